"""Where the relevant ids came back, found for all queries in one pass.

The time goes here, so both loops are written out. Joining a ranking checks at C speed that its ids are text, one set of
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

__all__ = ["find_hits"]

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
        return Hits(ranks=_plain_ranks(queries, check), sizes=list(map(len, queries.qrels)))
    return _graded_hits(queries, relevance_threshold, gain, check)


def _plain_ranks(queries: Queries, check: Check) -> list[list[int]]:
    all_ranks: list[list[int]] = []
    for judged, ids in zip(queries.qrels, queries.runs, strict=True):
        check(ids)
        unique = set(ids)
        if len(unique) != len(ids):
            raise RecallError(_repeated(queries.name(len(all_ranks)), ids))
        if len(judged) > FEW:
            ranks = list(compress(count(1), map(judged.__contains__, ids)))
        else:
            index = ids.index
            ranks = [index(id) + 1 for id in judged if id in unique]
            ranks.sort()
        all_ranks.append(ranks)
    return all_ranks


def _graded_hits(queries: Queries, relevance_threshold: float, gain: Gain, check: Check) -> Hits:
    all_ranks: list[list[int]] = []
    sizes: list[int] = []
    gains: dict[int, Gains] = {}
    worth_of = {grade: gain_of(grade, gain) for grade in queries.grades}
    plain_worth = all(grade == worth and worth > 0 for grade, worth in worth_of.items())
    all_relevant = all(grade >= relevance_threshold for grade in queries.grades)
    for position, (judged, ids) in enumerate(zip(queries.qrels, queries.runs, strict=True)):
        check(ids)
        unique = set(ids)
        if len(unique) != len(ids):
            raise RecallError(_repeated(queries.name(position), ids))
        worth = judged if plain_worth else {id: worth_of[grade] for id, grade in judged.items() if grade > 0}
        if len(worth) > FEW:
            ranks = list(compress(count(1), map(worth.__contains__, ids)))
        else:
            index = ids.index
            ranks = [index(id) + 1 for id in worth if id in unique]
            ranks.sort()
        values = [worth[ids[rank - 1]] for rank in ranks]
        gains[position] = ranks, values, tuple(sorted(worth.values(), reverse=True))
        if all_relevant:
            all_ranks.append(ranks)
            sizes.append(len(judged))
        else:
            all_ranks.append([rank for rank in ranks if judged[ids[rank - 1]] >= relevance_threshold])
            sizes.append(sum(grade >= relevance_threshold for grade in judged.values()))
    return Hits(ranks=all_ranks, sizes=sizes, gains=gains)


def _repeated(query: str, ids: list[Any]) -> str:
    id = next(id for rank, id in enumerate(ids) if id in ids[:rank])
    first = ids.index(id)
    second = ids.index(id, first + 1)
    return (
        f"{query}: {id!r:.80} is ranked twice, at {first + 1} and {second + 1}; "
        f"duplicates='first' counts the first rank only"
    )
