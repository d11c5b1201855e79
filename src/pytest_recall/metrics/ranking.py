"""The ranking metrics, each as trec_eval defines it on list position.

Every function takes a judged ranking and a cutoff `n` (None: no cut) and returns a value in [0, 1]. They are asked only
about cases that define them: some relevant id, for nDCG some positive grade.
"""

from __future__ import annotations

from bisect import bisect_right
from math import expm1, fsum, log, log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_recall.metrics.judged import Gain, JudgedRanking


def hit_rate(judged: JudgedRanking, n: int) -> float:
    """1 if any of the first n ids is relevant, else 0.

    trec_eval: ``success_n``. Ranking x, a with a relevant: hit_rate@1 = 0, hit_rate@2 = 1.
    """
    return 1.0 if _hits(judged, n) else 0.0


def precision(judged: JudgedRanking, n: int) -> float:
    """Relevant ids among the first n, divided by n, also when fewer than n came back.

    trec_eval: ``P_n``. Ranking a, x with a and b relevant: precision@2 = 1/2, precision@4 = 1/4.
    """
    return _hits(judged, n) / n


def recall(judged: JudgedRanking, n: int) -> float:
    """Relevant ids among the first n, divided by the number of relevant ids.

    trec_eval: ``recall_n``. Ranking a, x with a and b relevant: recall@2 = 1/2.
    """
    return _hits(judged, n) / len(judged.judgments.relevant)


def capped_recall(judged: JudgedRanking, n: int) -> float:
    """Relevant ids among the first n, divided by how many could be there: min(n, number of relevant ids).

    Thakur et al. 2021 (BEIR). Ranking a, x with a, b and c relevant: capped_recall@2 = 1/2, recall@2 = 1/3.
    """
    return _hits(judged, n) / min(n, len(judged.judgments.relevant))


def reciprocal_rank(judged: JudgedRanking, n: int | None) -> float:
    """1 / rank of the first relevant id, 0 when there is none within the cutoff; its mean is the MRR.

    trec_eval: ``recip_rank``. Ranking x, a with a relevant: mrr = 1/2, mrr@1 = 0.
    """
    ranks = judged.relevant_ranks
    return 1 / ranks[0] if ranks and (n is None or ranks[0] <= n) else 0.0


def average_precision(judged: JudgedRanking, n: int | None) -> float:
    """Sum of the precision at each relevant rank within the cutoff, divided by the number of relevant ids.

    trec_eval: ``map``, ``map_cut_n``. Ranking a, x, b with a and b relevant: map = (1/1 + 2/3) / 2 = 5/6.
    """
    ranks = judged.relevant_ranks
    if n is not None:
        ranks = ranks[: bisect_right(ranks, n)]
    return fsum(hits / rank for hits, rank in enumerate(ranks, 1)) / len(judged.judgments.relevant)


def r_precision(judged: JudgedRanking, _: int | None) -> float:
    """Precision at the number of relevant ids.

    trec_eval: ``Rprec``. Ranking a, x, b with a and b relevant: r_precision = 1/2.
    """
    size = len(judged.judgments.relevant)
    return _hits(judged, size) / size


def ndcg(judged: JudgedRanking, n: int | None) -> float:
    """Discounted cumulative gain, Σ gain / log2(rank + 1), divided by that of the ideal ranking.

    The ideal is made of all judged grades, best first, cut at n. Järvelin and Kekäläinen 2002; trec_eval: ``ndcg``,
    ``ndcg_cut_n``. Ranking x, a with a of grade 1: ndcg = (1 / log2 3) / 1 = 0.631.
    """
    grades, kind = judged.judgments.grades, judged.judgments.gain
    gains = [_gain(grades.get(id, 0), kind) for id in judged.ranking[:n]]
    ideal = sorted((_gain(grade, kind) for grade in grades.values()), reverse=True)[:n]
    # Nearly equal grades in another order can round to more than the ideal.
    return min(_discounted(gains) / _discounted(ideal), 1.0)


def judged_share(judged: JudgedRanking, n: int) -> float | None:
    """Judged ids among the first n, divided by how many are there; undefined when nothing came back.

    ir_measures: ``Judged@n``. Ranking a, x with a judged: judged@2 = 1/2, judged@1 = 1.
    """
    top = judged.ranking[:n]
    return sum(id in judged.judgments.grades for id in top) / len(top) if top else None


def _hits(judged: JudgedRanking, n: int) -> int:
    return bisect_right(judged.relevant_ranks, n)


def _gain(grade: float, kind: Gain) -> float:
    if grade <= 0:
        return 0.0
    if kind == "linear":
        return float(grade)
    # A tiny grade has a gain too, which 2^grade - 1 would round to none.
    return 2.0**grade - 1 if grade >= 1 else expm1(grade * log(2))


def _discounted(gains: Iterable[float]) -> float:
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain)
