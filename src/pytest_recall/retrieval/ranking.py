"""From results to the ranking that is judged: distinct ids, best first, at most k."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pytest_recall.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_recall.evaluation import Policy
    from pytest_recall.retrieval.results import Columns, ResultReader

__all__ = ["read_ranking"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def read_ranking(results: Iterable[object], k: int, policy: Policy, reader: ResultReader) -> tuple[str, ...]:
    """At most k distinct ids, as the policy reads them; results are taken only while they are needed.

    With ``duplicates: error`` only the first k results are read; with ``first`` as many as it takes to find k distinct
    ids, since several results may be parts of one document. A result without a number for a score (NaN) is below every
    `min_score`.

    Raises:
        RetrievalError: a result that has no id, a repeated id under ``duplicates: error``, a result without a score
            under `min_score`, an id that `id_from` does not match.
    """
    if policy.duplicates == "error":
        ids = _ids(reader.read([*islice(results, k)]), policy)
        if len({*ids}) != len(ids):
            raise RetrievalError(_repeated(ids))
        return tuple(ids)
    left, found = iter(results), dict[str, None]()
    while len(found) < k and (some := [*islice(left, k - len(found))]):
        found.update(dict.fromkeys(_ids(reader.read(some), policy)))
    return tuple(found)


def _ids(columns: Columns, policy: Policy) -> Sequence[str]:
    ids, scores = columns
    if policy.min_score is not None:
        ids = [id for id, score in zip(ids, scores, strict=True) if _is_enough(id, score, policy.min_score)]
    if policy.id_from is not None:
        pattern = re.compile(policy.id_from)
        ids = [_mapped(pattern, id) for id in ids]
    return ids


def _is_enough(id: str, score: float | None, least: float) -> bool:
    if score is None:
        raise RetrievalError(f"min_score needs scores, and {id!r:.80} came back without one")
    return score >= least  # False for NaN


def _mapped(pattern: re.Pattern[str], id: str) -> str:
    match = pattern.search(id)
    if match is None or not match[1]:
        raise RetrievalError(f"id_from {pattern.pattern!r} finds no id in {id!r:.80}")
    return match[1]


def _repeated(ids: Sequence[str]) -> str:
    first: dict[str, int] = {}
    id, rank = next((id, rank) for rank, id in enumerate(ids, 1) if first.setdefault(id, rank) != rank)
    return (
        f"{id!r:.80} came back twice, at ranks {first[id]} and {rank}; "
        f"where several results are parts of one document, duplicates 'first' counts each once"
    )
