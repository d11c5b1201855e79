"""A metric is a value: its text parses back to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from pytest_recall.errors import MetricError
from pytest_recall.metrics.judged import hits_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.metrics.hits import Hits
    from pytest_recall.metrics.judged import JudgedRanking, Judgments

__all__ = ["Aggregate", "Better", "Cutoff", "Family", "Metric"]

Better = Literal["higher", "lower"]
Cutoff = Literal["required", "optional", "none"]
Family = Literal["ranking", "memory", "diagnostic", "latency"]
Aggregate = Literal["mean", "p50", "p95", "max"]


def _always(_: Judgments) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One way to score a case, and how the scores of many cases become one number.

    Attributes:
        name: without the cutoff, such as ``recall``.
        cutoff: the n of ``recall@n``, None without one.
        column: the values of many queries from their hits and the cutoff, for metrics that need no more.
        per_case: for any other the value of one case from its judged ranking and the cutoff, None where undefined.
        defined: whether a case's judgments alone define the metric.
        better: which way is better.
        maximum: the largest possible value; the smallest is always 0.
        takes_cutoff: whether the name needs, allows or refuses ``@n``.
        family: ``ranking`` metrics follow the suite's ``undefined`` policy, ``memory`` metrics are over the cases they
            are about, ``diagnostic`` and ``latency`` ones are never recorded or compared.
        aggregate: the mean over cases, or a nearest-rank percentile over queries.
        whole: each case scores either 0 or 1 (or another whole number), so that the mean moves in steps.
    """

    name: str
    cutoff: int | None = None
    column: Callable[[Hits, Any], list[float | None]] | None = None
    per_case: Callable[[JudgedRanking, Any], float | None] | None = None
    defined: Callable[[Judgments], bool] = _always
    better: Better = "higher"
    maximum: float = 1.0
    takes_cutoff: Cutoff = "optional"
    family: Family = "ranking"
    aggregate: Aggregate = "mean"
    whole: bool = False

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def score(self, judged: JudgedRanking) -> float | None:
        """The value of one case, None where it is undefined.

        Raises:
            MetricError: a user's metric gave a value outside of its range.
        """
        if self.column is not None:
            return self.column(hits_of([judged]), self.cutoff)[0]
        value = None if self.per_case is None else self.per_case(judged, self.cutoff)
        if value is not None and not 0 <= value <= self.maximum:
            raise MetricError(f"{self} gave {value!r:.80}, outside of its range ({self.range_text})")
        return value

    @property
    def recorded(self) -> bool:
        """Whether a baseline holds it."""
        return self.family in ("ranking", "memory")

    @property
    def range_text(self) -> str:
        return "0 or more" if self.maximum == inf else f"0 to {self.maximum:g}"
