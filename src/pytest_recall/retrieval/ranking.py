"""From results to the ranking that is judged: distinct ids, best first, at most k."""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import TYPE_CHECKING

from pytest_recall.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_recall.evaluation import Policy
    from pytest_recall.retrieval.results import Hit

__all__ = ["read_ranking"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def read_ranking(hits: Iterable[Hit], k: int, policy: Policy) -> tuple[str, ...]:
    """At most k distinct ids, as the policy reads them.

    With ``duplicates: error`` only the first k results are read; with ``first`` as many as it takes to find k distinct
    ids, since several results may be parts of one document. A result without a number for a score (NaN) is below every
    `min_score`.

    Raises:
        RetrievalError: a repeated id under ``duplicates: error``, a result without a score under `min_score`, an id
            that `id_from` does not match.
    """
    if policy.duplicates == "first":
        return _first(_ids(hits, policy), k)
    ids = tuple(_ids(islice(hits, k), policy))
    if len(set(ids)) != len(ids):
        raise RetrievalError(_repeated(ids))
    return ids


def _first(ids: Iterator[str], k: int) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for id in ids:
        found[id] = None
        if len(found) == k:
            break
    return tuple(found)


def _ids(hits: Iterable[Hit], policy: Policy) -> Iterator[str]:
    pattern = re.compile(policy.id_from) if policy.id_from is not None else None
    for id, score in hits:
        if policy.min_score is not None:
            if score is None:
                raise RetrievalError(f"min_score needs scores, and {id!r:.80} came back without one")
            if math.isnan(score) or score < policy.min_score:
                continue
        yield id if pattern is None else _mapped(pattern, id)


def _mapped(pattern: re.Pattern[str], id: str) -> str:
    match = pattern.search(id)
    if match is None or not match[1]:
        raise RetrievalError(f"id_from {pattern.pattern!r} finds no id in {id!r:.80}")
    return match[1]


def _repeated(ids: tuple[str, ...]) -> str:
    first: dict[str, int] = {}
    id, rank = next((id, rank) for rank, id in enumerate(ids, 1) if first.setdefault(id, rank) != rank)
    return (
        f"{id!r:.80} came back twice, at ranks {first[id]} and {rank}; "
        f"where several results are parts of one document, write 'duplicates: first' in the suite"
    )
