"""Why ids never match: the most common fault of a retrieval test, and the one nobody tells."""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_recall.evaluation import CaseResult

__all__ = ["MOST_NEAR_MISSES", "mismatch", "near_misses", "unlabelled"]

MOST_NEAR_MISSES = 3


def mismatch(cases: Sequence[CaseResult], memory_ids: Sequence[str]) -> str | None:
    """The sentence for a suite whose results share no id with what is known; None when some do, or nothing came back.

    Args:
        cases: all of the suite.
        memory_ids: ids of the suite's memories; where it has none, the expected ids stand in.
    """
    known = dict.fromkeys(memory_ids) or _expected(cases)
    # Most often the first ranking settles it.
    if not known or any(not known.keys().isdisjoint(case.ranking) for case in cases):
        return None
    came = next(chain.from_iterable(case.ranking for case in cases), None)
    if came is None:
        return None
    example = _like(came, known)
    if memory_ids:
        return f"no returned id is a memory of this suite: returned {came!r:.80}, memories look like {example!r:.80}"
    return f"no expected id ever came back: returned {came!r:.80}, expected ids look like {example!r:.80}"


def unlabelled(cases: Sequence[CaseResult], labels: Sequence[str]) -> str | None:
    """The sentence for a classifier that never gave a label; None when it did, or raised every time.

    Args:
        cases: all of the suite.
        labels: what there is to tell apart.
    """
    answered = [case for case in cases if case.error is None]
    if not answered or any(case.ranking or any(case.labels) for case in answered):
        return None
    output = next((case.answer for case in answered if case.answer is not None), None)
    if output is None:
        return "the classifier returned None for every input (missing return?)"
    return f"no output names exactly one label: returned {output!r:.80}, labels look like {labels[0]!r:.80}"


def near_misses(cases: Sequence[CaseResult]) -> Iterator[str]:
    """A sentence for each id that would have come back after NFC, case folding or stripping, the first few.

    Stale ids are looked for as well: one that is missed makes a case look better than it is.
    """
    alike = _alike(cases)
    if not alike:
        return
    told: set[str] = set()
    for case in cases:
        expected = [*(id for id, grade in (case.relevant or {}).items() if grade > 0), *case.stale]
        for id in expected:
            if id in told or id in case.ranking:
                continue
            others = (came for came in alike.get(id, ()) if came in case.ranking and came not in expected)
            other = next(others, None)
            if other is None:
                continue
            told.add(id)
            yield f"returned {other!r:.80}, which is {id!r:.80} but for {_difference(other, id)}"
            if len(told) == MOST_NEAR_MISSES:
                return


def _expected(cases: Sequence[CaseResult]) -> dict[str, None]:
    return dict.fromkeys(chain.from_iterable([(*(case.relevant or ()), *case.stale) for case in cases]))


def _alike(cases: Sequence[CaseResult]) -> dict[str, list[str]]:
    """Expected id → ids that fold to the same and came back for some case; each is folded once, as most occur often."""
    spellings: dict[str, list[str]] = {}
    for id in dict.fromkeys(chain.from_iterable([case.ranking for case in cases])):
        spellings.setdefault(_folded(id), []).append(id)
    alike = {id: spellings.get(_folded(id), []) for id in _expected(cases)}
    return {id: came for id, came in alike.items() if came and came != [id]}


def _folded(id: str) -> str:
    return unicodedata.normalize("NFC", id).strip().casefold()


def _difference(left: str, right: str) -> str:
    if left.strip() == right.strip():
        return "blanks"
    if unicodedata.normalize("NFC", left) == unicodedata.normalize("NFC", right):
        return "its Unicode form (NFC)"
    return "letter case" if left.casefold() == right.casefold() else "letter case, blanks or Unicode form"


def _like(id: str, known: Iterable[str]) -> str:
    """The known id that stands inside `id`, else the first one."""
    candidates = list(known)
    return next((candidate for candidate in candidates if candidate and candidate in id), candidates[0])
