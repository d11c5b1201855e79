"""Where the relevant ids came back, found for all queries in one pass.

The time goes here, so the loop is written out. Joining a ranking checks at C speed that its ids are text, one set of
them serves repeats and tells which judged ids came back, and a handful of these is found fastest by `index`.
"""

from __future__ import annotations

from itertools import compress, count
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_recall.errors import RecallError
from pytest_recall.metrics.hits import Hits, gain_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.metrics import Gain
    from pytest_recall.metrics.hits import Gains
    from pytest_recall.scoring.reading import Queries

__all__ = ["FEW", "find_hits"]

Check: TypeAlias = "Callable[[list[Any]], object]"

FEW = 16
"""Up to this many judged ids are looked up one by one; more are found in one scan of the ranking."""


def find_hits(queries: Queries, relevance_threshold: float, gain: Gain) -> Hits:
    """The hits of every query.

    Raises:
        RecallError: a ranking repeats an id, or its ids are none; the query is named.
    """
    try:
        return _find(queries, relevance_threshold, gain, check=len if queries.careful else "".join)
    except TypeError:
        return _find(queries.read_carefully(), relevance_threshold, gain, check=len)


def _find(queries: Queries, relevance_threshold: float, gain: Gain, check: Check) -> Hits:
    if queries.grades <= {1} and relevance_threshold <= 1:
        return Hits(ranks=_ranks(queries.qrels, queries, check), sizes=list(map(len, queries.qrels)))
    return _graded_hits(queries, relevance_threshold, gain, check)


def _ranks(wanted: list[dict[Any, float]], queries: Queries, check: Check) -> list[list[int]]:
    """For each query the ranks of the ids that are wanted, ascending."""
    all_ranks: list[list[int]] = []
    for judged, ids in zip(wanted, queries.runs, strict=True):
        check(ids)
        unique = {*ids}
        if len(unique) != len(ids):
            raise RecallError(_repeated(queries.name(len(all_ranks)), ids))
        if len(judged) > FEW:
            ranks = list(compress(count(1), map(judged.__contains__, ids)))
        else:
            ranks = []
            for id in judged:  # as a comprehension it would be one more call a query
                if id in unique:
                    ranks.append(ids.index(id) + 1)
            ranks.sort()
        all_ranks.append(ranks)
    return all_ranks


def _graded_hits(queries: Queries, relevance_threshold: float, gain: Gain, check: Check) -> Hits:
    qrels, runs = queries.qrels, queries.runs
    worth_of = {grade: gain_of(grade, gain) for grade in queries.grades}
    worths = qrels
    if any(grade != worth or worth <= 0 for grade, worth in worth_of.items()):
        worths = [{id: worth_of[grade] for id, grade in judged.items() if grade > 0} for judged in qrels]
    all_ranks = _ranks(worths, queries, check)
    gains: dict[int, Gains] = {}
    for worth, ids, ranks in zip(worths, runs, all_ranks, strict=True):
        values = [worth[ids[rank - 1]] for rank in ranks]
        gains[len(gains)] = ranks, values, tuple(sorted(worth.values(), reverse=True))
    if all(grade >= relevance_threshold for grade in queries.grades):
        return Hits(ranks=all_ranks, sizes=list(map(len, qrels)), gains=gains)
    return Hits(
        ranks=[
            [rank for rank in ranks if judged[ids[rank - 1]] >= relevance_threshold]
            for judged, ids, ranks in zip(qrels, runs, all_ranks, strict=True)
        ],
        sizes=[sum(grade >= relevance_threshold for grade in judged.values()) for judged in qrels],
        gains=gains,
    )


def _repeated(query: str, ids: list[Any]) -> str:
    id = next(id for rank, id in enumerate(ids) if id in ids[:rank])
    first = ids.index(id)
    second = ids.index(id, first + 1)
    return (
        f"{query}: {id!r:.80} is ranked twice, at {first + 1} and {second + 1}; "
        f"duplicates='first' counts the first rank only"
    )
