"""How the scores of single cases are spread, now and in the baseline."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall.reports.page.bars import nice_top

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_recall.baseline import RecordedCase
    from pytest_recall.evaluation import CaseResult, Evaluation
    from pytest_recall.pairing import Pairing

__all__ = ["Bin", "Distribution", "distributions_of"]

MOST_WHOLE = 10
PARTS = 5
LATENCY = "latency_"

_Ends = tuple[tuple[str, float], ...]
"""Of each bin its label, and its upper end, which belongs to it."""

# Nothing and everything stand alone: they are what most cases score, and what matters first.
_SHARES: _Ends = (("0", 0.0), ("≤ 0.25", 0.25), ("≤ 0.5", 0.5), ("≤ 0.75", 0.75), ("< 1", 1 - 1e-9), ("1", 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """How many cases score within a part of the scale; before is None where nothing is compared."""

    label: str
    now: int
    before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The scores of one metric.

    Attributes:
        heading: of the column of bins.
        most: the largest count in a bin.
        cases: how many cases score now, and how many of the common ones did.
    """

    metric: str
    heading: str
    bins: tuple[Bin, ...]
    most: int
    cases: tuple[int, int | None]


def distributions_of(evaluation: Evaluation, pairing: Pairing | None) -> tuple[Distribution, ...]:
    """One for each metric that some case scores; of latencies one for all their aggregates."""
    latencies = [metric for metric in evaluation.metrics if metric.startswith(LATENCY)]
    metrics = [metric for metric in evaluation.metrics if metric not in latencies[1:]]
    recorded = [] if pairing is None else [before for _, before in pairing.common]
    both = ((metric, _scores(evaluation.cases, metric), _scores(recorded, metric)) for metric in metrics)
    return tuple(_distribution(metric, now, before) for metric, now, before in both if now)


def _scores(cases: Iterable[CaseResult | RecordedCase], metric: str) -> list[float]:
    return [score for case in cases if (score := case.scores.get(metric)) is not None]


def _distribution(metric: str, now: Sequence[float], before: Sequence[float]) -> Distribution:
    timed = metric.startswith(LATENCY)
    ends = _ends([*now, *before])
    counts = _counts(now, ends)
    recorded = _counts(before, ends) if before else [None] * len(ends)
    bins = zip(ends, counts, recorded, strict=True)
    return Distribution(
        metric="latency in ms" if timed else metric,
        heading="ms" if timed else "score",
        bins=tuple(Bin(label=label, now=count, before=then) for (label, _), count, then in bins),
        most=max([*counts, *(then or 0 for then in recorded)]),
        cases=(len(now), len(before) or None),
    )


def _ends(scores: Sequence[float]) -> _Ends:
    most = max(scores)
    if most <= MOST_WHOLE and all(float(score).is_integer() for score in scores):
        return tuple((str(whole), float(whole)) for whole in range(max(int(most), 1) + 1))
    if most <= 1:
        return _SHARES
    top = nice_top(most)
    return tuple((f"≤ {top * part / PARTS:g}", top * part / PARTS) for part in range(1, PARTS + 1))


def _counts(scores: Iterable[float], ends: _Ends) -> list[int]:
    """How many scores lie in each bin."""
    upper = [end for _, end in ends]
    counts = [0] * len(ends)
    for score in scores:
        # A score that took another route may lie a hair above the last end.
        counts[min(bisect_left(upper, score), len(ends) - 1)] += 1
    return counts
