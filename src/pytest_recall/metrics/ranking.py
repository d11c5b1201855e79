"""The ranking metrics, each as trec_eval defines it on list position.

A metric gives a column: the value of each query, None where its judgments leave it undefined. It takes where the
relevant ids came back, and a cutoff `n` (None: no cut).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from math import fsum, log2
from operator import mul, truediv
from typing import TYPE_CHECKING

from pytest_recall.metrics.hits import too_large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_recall.metrics.hits import Hits
    from pytest_recall.metrics.judged import JudgedRanking

__all__ = [
    "average_precision",
    "capped_recall",
    "hit_rate",
    "judged_share",
    "ndcg",
    "precision",
    "r_precision",
    "recall",
    "reciprocal_rank",
]

# A failing test shows the user's own lines.
__tracebackhide__ = True

Column = list["float | None"]


def hit_rate(hits: Hits, n: int) -> Column:
    """1 if any of the first n ids is relevant, else 0.

    trec_eval: ``success_n``. Ranking x, a with a relevant: hit_rate@1 = 0, hit_rate@2 = 1.
    """
    found = zip(hits.within(n), hits.sizes, strict=True)
    return [(1.0 if hit else 0.0) if size else None for hit, size in found]


def precision(hits: Hits, n: int) -> Column:
    """Relevant ids among the first n, divided by n, also when fewer than n came back.

    trec_eval: ``P_n``. Ranking a, x with a and b relevant: precision@2 = 1/2, precision@4 = 1/4.
    """
    return [found / n if size else None for found, size in zip(hits.within(n), hits.sizes, strict=True)]


def recall(hits: Hits, n: int) -> Column:
    """Relevant ids among the first n, divided by the number of relevant ids.

    trec_eval: ``recall_n``. Ranking a, x with a and b relevant: recall@2 = 1/2.
    """
    return [found / size if size else None for found, size in zip(hits.within(n), hits.sizes, strict=True)]


def capped_recall(hits: Hits, n: int) -> Column:
    """Relevant ids among the first n, divided by how many could be there: min(n, number of relevant ids).

    Thakur et al. 2021 (BEIR). Ranking a, x with a, b and c relevant: capped_recall@2 = 1/2, recall@2 = 1/3.
    """
    return [found / min(n, size) if size else None for found, size in zip(hits.within(n), hits.sizes, strict=True)]


def reciprocal_rank(hits: Hits, n: int | None) -> Column:
    """1 / rank of the first relevant id, 0 when there is none within the cutoff; its mean is the MRR.

    trec_eval: ``recip_rank``. Ranking x, a with a relevant: mrr = 1/2, mrr@1 = 0.
    """
    return [
        (1 / ranks[0] if ranks and (n is None or ranks[0] <= n) else 0.0) if size else None
        for ranks, size in zip(hits.ranks, hits.sizes, strict=True)
    ]


def average_precision(hits: Hits, n: int | None) -> Column:
    """Sum of the precision at each relevant rank within the cutoff, divided by the number of relevant ids.

    trec_eval: ``map``, ``map_cut_n``. Ranking a, x, b with a and b relevant: map = (1/1 + 2/3) / 2 = 5/6.
    """
    cut = hits.ranks if n is None else [r[:found] for r, found in zip(hits.ranks, hits.within(n), strict=True)]
    counted = range(1, max(map(len, cut), default=0) + 1)
    return [
        fsum(map(truediv, counted, ranks)) / size if ranks else 0.0 if size else None
        for ranks, size in zip(cut, hits.sizes, strict=True)
    ]


def r_precision(hits: Hits, _: int | None) -> Column:
    """Precision at the number of relevant ids.

    trec_eval: ``Rprec``. Ranking a, x, b with a and b relevant: r_precision = 1/2.
    """
    found = zip(hits.ranks, hits.sizes, strict=True)
    return [bisect_right(ranks, size) / size if size else None for ranks, size in found]


def ndcg(hits: Hits, n: int | None) -> Column:
    """Discounted cumulative gain, Σ gain / log2(rank + 1), divided by that of the ideal ranking.

    The ideal is made of all judged grades, best first, cut at n. Järvelin and Kekäläinen 2002; trec_eval: ``ndcg``,
    ``ndcg_cut_n``. Ranking x, a with a of grade 1: ndcg = (1 / log2 3) / 1 = 0.631.
    """
    column: Column = [None] * len(hits.ranks) if len(hits.gains) == len(hits.ranks) else _plain_ndcg(hits, n)
    if hits.gains:
        _grade(column, hits, n)
    return column


def judged_share(judged: JudgedRanking, n: int) -> float | None:
    """Judged ids among the first n, divided by how many are there; undefined when nothing came back.

    ir_measures: ``Judged@n``. Ranking a, x with a judged: judged@2 = 1/2, judged@1 = 1.
    """
    top = judged.ranking[:n]
    return sum(id in judged.judgments.grades for id in top) / len(top) if top else None


def _plain_ndcg(hits: Hits, n: int | None) -> Column:
    """Where every relevant id has a gain of 1."""
    discount = _discounts(hits.ranks, n)
    ideal = {size: _ideal(size if n is None or size < n else n) for size in set(hits.sizes)}
    return [
        fsum(map(discount, ranks)) / ideal[size] if ranks else 0.0 if size else None
        for ranks, size in zip(hits.ranks, hits.sizes, strict=True)
    ]


def _discounts(all_ranks: Iterable[Sequence[int]], n: int | None) -> Callable[[int], float]:
    """What a hit at each of the ranks weighs: nothing past the cutoff."""
    depth = max((ranks[-1] for ranks in all_ranks if ranks), default=0)
    return discounts(n, _next_power(depth)).__getitem__


@lru_cache(maxsize=64)
def discounts(n: int | None, depth: int) -> list[float]:
    """1 / log2(rank + 1) at each rank up to `n`, then 0, up to `depth`; rank 0 is none.

    A list, as its items are fetched faster than those of a tuple.
    """
    cut = depth if n is None else min(n, depth)
    return [0.0, *(1 / log2(rank + 1) for rank in range(1, cut + 1)), *[0.0] * (depth - cut)]


@lru_cache(maxsize=4096)
def _ideal(size: int) -> float:
    return fsum(discounts(None, _next_power(size))[1 : size + 1])


def _next_power(depth: int) -> int:
    """A power of two, so that few tables serve every depth."""
    return 1 << max(depth - 1, 15).bit_length()


def _grade(column: Column, hits: Hits, n: int | None) -> None:
    """Put the values of the graded queries into their places.

    Raises:
        RecallError: a sum of gains is more than a float holds.
    """
    discount = _discounts((ranks for ranks, _, _ in hits.gains.values()), n)
    longest = max(len(ideal) for _, _, ideal in hits.gains.values())
    from_the_first = discounts(n, _next_power(longest))[1:]
    ideals: dict[tuple[float, ...], float] = {}
    for position, (ranks, values, ideal) in hits.gains.items():
        best = ideals.get(ideal)
        try:
            gain = fsum(map(mul, values, map(discount, ranks)))
            if not gain:
                column[position] = 0.0 if ideal else None
                continue
            if best is None:
                best = ideals[ideal] = fsum(map(mul, ideal, from_the_first))
        except OverflowError:
            raise too_large() from None
        value = gain / best
        # Nearly equal gains in another order can round to more than the ideal.
        column[position] = value if value < 1 else 1.0
