"""The memory metrics: what must not come back. Each is asked only about the cases it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_recall.metrics.judged import JudgedRanking

__all__ = ["false_injection_rate", "negative_accuracy", "noise", "resolution_accuracy", "stale_hit_rate"]


def stale_hit_rate(judged: JudgedRanking, n: int) -> float:
    """1 if any stale id is among the first n, else 0.

    Ranking a, old with old stale: stale_hit_rate@1 = 0, stale_hit_rate@2 = 1.
    """
    stale_rank = judged.stale_rank
    return 1.0 if stale_rank is not None and stale_rank <= n else 0.0


def resolution_accuracy(judged: JudgedRanking, _: int | None) -> float:
    """1 if the best relevant id ranks above the best stale one (absent counts as below everything), else 0.

    Ranking new, old with new relevant and old stale: resolution_accuracy = 1. Ranking old, new with new relevant and
    old stale: resolution_accuracy = 0. Ranking x with new relevant and old stale: resolution_accuracy = 0.
    """
    if not judged.relevant_ranks:
        return 0.0
    stale_rank = judged.stale_rank
    return 1.0 if stale_rank is None or judged.relevant_ranks[0] < stale_rank else 0.0


def negative_accuracy(judged: JudgedRanking, _: int | None) -> float:
    """1 if nothing came back, as it should for a negative, else 0.

    Ranking a with nothing relevant: negative_accuracy = 0.
    """
    return 0.0 if judged.ranking else 1.0


def false_injection_rate(judged: JudgedRanking, _: int | None) -> float:
    """1 if anything came back where nothing should, else 0.

    Ranking a with nothing relevant: false_injection_rate = 1.
    """
    return 1.0 if judged.ranking else 0.0


def noise(judged: JudgedRanking, _: int | None) -> float:
    """How many ids came back where none should; the mean of it is ``mean_noise``.

    Ranking a, b with nothing relevant: mean_noise = 2.
    """
    return float(len(judged.ranking))
