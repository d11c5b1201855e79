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

__all__ = ["OVER_LABELS", "Aggregate", "Better", "Cutoff", "Family", "Metric"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

Better = Literal["higher", "lower"]
Cutoff = Literal["required", "optional", "none"]
Family = Literal["ranking", "memory", "answer", "label", "replay", "diagnostic", "latency"]
Aggregate = Literal["mean", "p50", "p95", "max", "macro_f1", "label_precision"]

OVER_LABELS: tuple[Aggregate, ...] = ("macro_f1", "label_precision")
"""What is made of the labels of all cases, so that no single case has it."""


def _always(_: Judgments) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One way to score a case, and how the scores of many cases become one number.

    Attributes:
        name: without the cutoff, such as ``recall``.
        cutoff: the n of ``recall@n``, None without one.
        label: the label of ``label_recall.LABEL``, None without one.
        column: the values of many queries from their hits and the cutoff, for metrics that need no more.
        per_case: for any other the value of one case from its judged ranking and the cutoff (or the label), None where
            undefined.
        defined: whether a case's judgments alone define the metric, of those that it can be about.
        better: which way is better.
        maximum: the largest possible value; the smallest is always 0.
        takes_cutoff: whether the name needs, allows or refuses ``@n``.
        takes_label: whether the name needs ``.LABEL``, and else refuses it.
        family: ``ranking`` metrics follow the suite's ``undefined`` policy, ``memory`` and ``answer`` metrics are over
            the cases they are about, ``label`` ones are over those of a classifier, ``replay`` ones over recorded agent
            runs; ``diagnostic`` and ``latency`` ones are never recorded or compared.
        aggregate: the mean over cases, a nearest-rank percentile over queries, or what `ClassificationReport` makes of
            all expected labels beside those that came.
        whole: each case scores either 0 or 1 (or another whole number), so that the mean moves in steps.

    >>> from pytest_recall import parse_metric
    >>> metric = parse_metric("success@5")
    >>> str(metric), metric.cutoff, metric.better, metric.range_text
    ('hit_rate@5', 5, 'higher', '0 to 1')
    """

    name: str
    cutoff: int | None = None
    label: str | None = None
    column: Callable[[Hits, Any], list[float | None]] | None = None
    per_case: Callable[[JudgedRanking, Any], float | None] | None = None
    defined: Callable[[Judgments], bool] = _always
    better: Better = "higher"
    maximum: float = 1.0
    takes_cutoff: Cutoff = "optional"
    takes_label: bool = False
    family: Family = "ranking"
    aggregate: Aggregate = "mean"
    whole: bool = False

    def __str__(self) -> str:
        if self.label is not None:
            return f"{self.name}.{self.label}"
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def defines(self, judgments: Judgments) -> bool:
        """Whether a case has a value; a metric of rankings has none where what comes back is not judged."""
        return (judgments.ranked or not self.of_rankings) and self.defined(judgments)

    def score(self, judged: JudgedRanking) -> float | None:
        """The value of one case, None where it is undefined.

        Raises:
            MetricError: a user's metric gave a value outside of its range.
        """
        if self.column is not None:
            return self.column(hits_of([judged]), self.cutoff)[0]
        of = self.cutoff if self.label is None else self.label
        value = None if self.per_case is None else self.per_case(judged, of)
        if value is not None and not 0 <= value <= self.maximum:
            raise MetricError(f"{self} gave {value!r:.80}, outside of its range ({self.range_text})")
        return value

    @property
    def of_rankings(self) -> bool:
        """Whether it judges what came back."""
        return self.family in ("ranking", "memory", "diagnostic")

    @property
    def recorded(self) -> bool:
        """Whether a baseline holds it."""
        return self.family not in ("diagnostic", "latency")

    @property
    def range_text(self) -> str:
        return "0 or more" if self.maximum == inf else f"0 to {self.maximum:g}"
