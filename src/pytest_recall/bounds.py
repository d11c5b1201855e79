"""What a metric is held to: thresholds, tolerances, and the gates that judge them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeGuard

from pytest_recall._text import exact
from pytest_recall.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_recall.metrics import Metric

__all__ = [
    "BOUND_KEYS",
    "Bounds",
    "Gate",
    "Threshold",
    "Tolerance",
    "check_alpha",
    "check_bound",
    "check_for_all",
    "metric_and_tag",
    "parse_alpha",
    "parse_tolerance",
]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a metric may get worse: in its own unit, or as a share (below 1) of the baseline value.

    >>> share = Tolerance(0.05, relative=True)
    >>> Tolerance(0.05).against(0.5), share.against(0.5), str(share)
    (0.05, 0.025, '5%')
    """

    value: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not _is_number(self.value) or self.value < 0:
            raise MetricError(f"a tolerance is a finite number from 0, got {self.value!r:.80}")
        if self.relative and self.value >= 1:
            raise MetricError(f"a relative tolerance is a share below 1, such as 0.05 for 5%, got {self.value!r:.80}")

    def against(self, baseline: float) -> float:
        """The allowed change, in the metric's unit."""
        return self.value * baseline if self.relative else self.value

    def __str__(self) -> str:
        return f"{self.value * 100:g}%" if self.relative else f"{self.value:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one metric is held to; whatever is None is not asked.

    Attributes:
        min, max: inclusive, in the metric's unit.
        max_drop: tolerated change of a metric that is better higher.
        max_rise: tolerated change of a metric that is better lower.
        alpha: a change beyond the tolerance is excused while its p-value is above this.

    >>> bounds = Bounds(min=0.8, max_drop=Tolerance(0.02))
    >>> bounds.absolute, str(bounds.tolerance)
    (True, '0.02')
    """

    min: float | None = None
    max: float | None = None
    max_drop: Tolerance | None = None
    max_rise: Tolerance | None = None
    alpha: float | None = None

    def __post_init__(self) -> None:
        # NaN would let everything pass.
        for key in ("min", "max", "alpha"):
            if (value := getattr(self, key)) is not None and not _is_number(value):
                raise MetricError(f"{key} must be a finite number, got {value!r:.80}")
        for key in ("max_drop", "max_rise"):
            if (value := getattr(self, key)) is not None and not isinstance(value, Tolerance):
                raise MetricError(f"{key} must be a Tolerance, got {value!r:.80}")

    @property
    def tolerance(self) -> Tolerance | None:
        return self.max_drop if self.max_drop is not None else self.max_rise

    @property
    def absolute(self) -> bool:
        """Something is asked whatever was recorded."""
        return self.min is not None or self.max is not None

    @property
    def given(self) -> bool:
        """Something is asked at all."""
        return any(getattr(self, key) is not None for key in BOUND_KEYS)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


BOUND_KEYS = tuple(bound.name for bound in fields(Bounds))

_WHOLE = 100
"""Per cent."""

_COMPARING = ("max_drop", "max_rise", "alpha")


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A metric with its bounds, and where they were written.

    Attributes:
        metric: canonical text, such as ``recall@5``.
        tag: only the cases of this group count; None for all of them.
        line: line in the suite, None where no file holds it.
        file: name of the other file that the line is in, None for the suite itself.

    >>> str(Threshold(metric="recall@5", tag="legal", bounds=Bounds(min=0.8)))
    'recall@5:legal'
    """

    metric: str
    tag: str | None = None
    bounds: Bounds = field(default_factory=Bounds)
    line: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        return self.metric if self.tag is None else f"{self.metric}:{self.tag}"


def metric_and_tag(written: str, labels: Collection[str]) -> tuple[str, str | None]:
    """What ``METRIC`` or ``METRIC:TAG`` names: the last colon separates them, unless it is one of a label's own.

    >>> metric_and_tag("label_recall.a:b", ["a:b"]), metric_and_tag("mrr:legal", [])
    (('label_recall.a:b', None), ('mrr', 'legal'))
    """
    name, colon, tag = written.rpartition(":")
    return (name, tag) if colon and written.partition(".")[2] not in labels else (written, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One item that judges: a metric (perhaps of a tag), or the own bounds of one case.

    Attributes:
        name: node name, such as ``recall-at-5:legal`` or ``case:lease-end``.
        thresholds: one for a metric, one a bounded metric for a case.
        case: id of the case that is judged alone, None for a metric over cases.
        line: where the gate is written.
        file: name of the other file that the line is in, None for the suite itself.

    >>> Gate(name="mrr", thresholds=(Threshold(metric="mrr", bounds=Bounds(min=0.8)),)).case is None
    True
    """

    name: str
    thresholds: tuple[Threshold, ...]
    case: str | None = None
    line: int = 1
    file: str | None = None


def check_bound(metric: Metric, key: str, value: float | Tolerance) -> str | None:
    """What is wrong with one bound of a metric, None when it is fine. The value has the type its key asks for."""
    if key in _COMPARING and not metric.recorded:
        return f"{metric} is never compared with a baseline, so it takes no {key}"
    if isinstance(value, Tolerance):
        right = "max_drop" if metric.better == "higher" else "max_rise"
        if key != right:
            return f"{metric} is better {metric.better}: use {right}, not {key}"
        loss = _any_loss(value, metric.maximum)
        return loss and f"{key} {exact(value.value)} tolerates any loss of {metric}, which is from {loss}"
    return None if key == "alpha" else _check_range(metric, key, value)


def check_for_all(tolerance: Tolerance) -> str | None:
    """What is wrong with a tolerance of all metrics, most of which are from 0 to 1; None when it is fine."""
    loss = _any_loss(tolerance, 1.0)
    return loss and f"{exact(tolerance.value)!r} tolerates any loss of a metric from {loss}"


def _any_loss(tolerance: Tolerance, maximum: float) -> str | None:
    """The range that a tolerance leaves nothing of, and what may have been meant; None when it leaves something."""
    if tolerance.relative or tolerance.value < maximum:
        return None
    hint = f" (did you mean '{exact(tolerance.value)}%'?)" if tolerance.value < _WHOLE else ""
    return f"0 to {exact(maximum)}{hint}"


def _check_range(metric: Metric, key: str, value: float) -> str | None:
    if 0 <= value <= metric.maximum and not math.isinf(value):
        return None
    return f"{key} {exact(value)} is outside the range of {metric} ({metric.range_text})"


def parse_tolerance(text: str, *, for_all: bool = False) -> Tolerance:
    """``0.02`` or ``5%`` as a tolerance; one for all metrics has to leave something to lose.

    Raises:
        MetricError: anything else, or a negative or infinite number.
    """
    match = re.fullmatch(r"\s*\+?((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(%?)\s*", text)
    value = float(match[1]) if match else math.inf
    if match is None or math.isinf(value):
        raise MetricError(f"{text!r} is no tolerance: write a number from 0 such as 0.02, or a share such as 5%")
    if not match[2]:
        tolerance = Tolerance(value)
        if for_all and (wrong := check_for_all(tolerance)):
            raise MetricError(wrong)
        return tolerance
    if value >= _WHOLE:
        raise MetricError(f"{text!r} is no tolerance: a share is below 100%, such as 5%")
    return Tolerance(value / _WHOLE, relative=True)


def parse_alpha(text: str) -> float:
    """``0.05`` as a significance level.

    Raises:
        MetricError: no number above 0 and below 1.
    """
    try:
        alpha = float(text)
    except ValueError:
        alpha = math.nan
    if check_alpha(alpha):
        raise MetricError(f"{text!r} {_NO_ALPHA}")
    return alpha


_NO_ALPHA = "is no alpha: write a number above 0 and below 1, such as 0.05"


def check_alpha(value: object) -> str | None:
    """What is wrong with a significance level, None when it is fine."""
    return None if _is_number(value) and 0 < value < 1 else f"{value!r:.80} {_NO_ALPHA}"
