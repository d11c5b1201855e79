"""Where the relevant ids came back, found for all queries in one pass.

The time goes here, so the checks run over all queries at once at C speed; one set of a ranking's ids serves repeats and
the intersection with the relevant ones, and a handful of hits is found fastest by `index`.
"""

from __future__ import annotations

from itertools import chain, compress, count
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RecallError
from pytest_recall.metrics.hits import Gains, Hits, gain_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.metrics import Gain
    from pytest_recall.scoring.reading import Queries

__all__ = ["find_hits"]

FEW_HITS = 12
"""Up to this many hits are looked up one by one; more are found in one scan."""


def find_hits(queries: Queries, relevance_threshold: float, gain: Gain) -> Hits:
    """The hits of every query.

    Raises:
        RecallError: a ranking repeats an id; the query and both ranks are named.
    """
    grades = set(chain.from_iterable(map(dict.values, queries.qrels)))
    if grades <= {1} and relevance_threshold <= 1:
        return _plain_hits(queries)
    return _graded_hits(queries, relevance_threshold, gain)


def _plain_hits(queries: Queries) -> Hits:
    all_ranks = []
    for position, (judged, ids) in enumerate(zip(queries.qrels, queries.runs, strict=True)):
        unique = set(ids)
        if len(unique) != len(ids):
            raise RecallError(_repeated(queries.name(position), ids))
        found = unique.intersection(judged)
        if len(found) > FEW_HITS:
            all_ranks.append(list(compress(count(1), map(found.__contains__, ids))))
        else:
            index = ids.index
            ranks = [index(id) + 1 for id in found]
            ranks.sort()
            all_ranks.append(ranks)
    return Hits(ranks=all_ranks, sizes=list(map(len, queries.qrels)))


def _graded_hits(queries: Queries, relevance_threshold: float, gain: Gain) -> Hits:
    all_ranks, sizes, gains = [], [], {}
    for position, (judged, ids) in enumerate(zip(queries.qrels, queries.runs, strict=True)):
        unique = set(ids)
        if len(unique) != len(ids):
            raise RecallError(_repeated(queries.name(position), ids))
        found = gains[position] = _gains(judged, ids, unique, gain)
        relevant = {id for id, grade in judged.items() if grade >= relevance_threshold}
        all_ranks.append([rank for rank in found.ranks if ids[rank - 1] in relevant])
        sizes.append(len(relevant))
    return Hits(ranks=all_ranks, sizes=sizes, gains=gains)


def _gains(judged: Mapping[Any, float], ids: list[Any], unique: set[Any], gain: Gain) -> Gains:
    worth = {id: gain_of(grade, gain) for id, grade in judged.items() if grade > 0}
    found = unique.intersection(worth)
    if len(found) > FEW_HITS:
        ranks = list(compress(count(1), map(found.__contains__, ids)))
    else:
        ranks = sorted([ids.index(id) + 1 for id in found])
    values = [worth[ids[rank - 1]] for rank in ranks]
    return Gains(ranks=ranks, values=values, ideal=sorted(worth.values(), reverse=True))


def _repeated(query: str, ids: list[Any]) -> str:
    id = next(id for rank, id in enumerate(ids) if id in ids[:rank])
    first = ids.index(id)
    second = ids.index(id, first + 1)
    return (
        f"{query}: {id!r:.80} is ranked twice, at {first + 1} and {second + 1}; "
        f"duplicates='first' counts the first rank only"
    )
