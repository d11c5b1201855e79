"""The scores of many cases: what comes from ranks alone for all of them at once, the rest case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_recall.metrics import hits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_recall.metrics import Hits, JudgedRanking, Judgments, Metric

__all__ = ["CaseScores", "Undefined", "score_raised"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

Undefined = Literal["exclude", "zero", "one", "error"]

_FILLED: Mapping[Undefined, float | None] = {"exclude": None, "zero": 0.0, "one": 1.0, "error": None}


class CaseScores:
    """The scores of rankings; a metric that is not about a case is left out of its scores.

    Args:
        metrics: in the order of the scores.
        cases: the rankings, each with its judgments.
        undefined: what a case counts that does not define a ranking metric.
    """

    def __init__(self, metrics: Iterable[Metric], cases: Sequence[JudgedRanking], undefined: Undefined) -> None:
        self._cases, self._filled = cases, _FILLED[undefined]
        hits = hits_of(cases)
        self._columns = [(str(metric), metric, self._column(metric, hits)) for metric in metrics]
        self._unranked = [column for column in self._columns if not column[1].of_rankings]

    def _column(self, metric: Metric, hits: Hits) -> list[float | None] | None:
        """The scores of all cases, where ranks alone give them."""
        if metric.column is None:
            return None
        return [self._filled if value is None else value for value in metric.column(hits, metric.cutoff)]

    def of(self, place: int, latency_ms: float | None = None) -> dict[str, float | None]:
        """The scores of the case at a place.

        Raises:
            MetricError: a user's metric gave a value outside of its range; whatever else it raises goes through.
        """
        judged, scores = self._cases[place], dict[str, "float | None"]()
        for name, metric, column in self._columns if judged.judgments.ranked else self._unranked:
            if column is not None:
                scores[name] = column[place]
            elif metric.family == "latency":
                scores[name] = latency_ms
            elif metric.defined(judged.judgments):
                value = metric.score(judged)
                # A case that got another label is none of a label's precision.
                if value is not None or metric.family != "label":
                    scores[name] = value
            elif metric.family == "ranking":
                scores[name] = self._filled
        return scores


def score_raised(metrics: Iterable[Metric], judgments: Judgments, undefined: Undefined) -> dict[str, float | None]:
    """What a case that raised would have scored: None for each metric that its labels define."""
    return {
        str(metric): None for metric in metrics if metric.defines(judgments) or _is_filled(metric, judgments, undefined)
    }


def _is_filled(metric: Metric, judgments: Judgments, undefined: Undefined) -> bool:
    return metric.family == "ranking" and judgments.ranked and undefined != "exclude"
