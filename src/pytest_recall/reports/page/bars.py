"""A value on its scale, with what it is held to and compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import number
from pytest_recall.metrics import known_metric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_recall.bounds import Bounds

__all__ = ["Bar", "Mark", "bar_of", "nice_top", "top_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One line across a bar, at a share of the scale."""

    label: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A value as a share of its scale.

    Attributes:
        top: where the scale ends; it starts at 0.
        baseline: the recorded value as a share, None where there is none.
        bounds: the thresholds.
        text: what the bar shows, in words.
    """

    share: float
    top: float
    baseline: float | None
    bounds: tuple[Mark, ...]
    text: str


def bar_of(metric: str, value: float | None, baseline: float | None, bounds: Bounds, top: float) -> Bar | None:
    """The bar of a metric, None where it is undefined."""
    if value is None:
        return None
    words = {"at least": bounds.min, "at most": bounds.max}
    held = {label: bound for label, bound in words.items() if bound is not None}
    parts = [f"{metric} {number(value)} on a scale from 0 to {top:g}"]
    parts += [] if baseline is None else [f"baseline {number(baseline)}"]
    parts += [f"{label} {bound:g}" for label, bound in held.items()]
    return Bar(
        share=_share(value, top),
        top=top,
        baseline=None if baseline is None else _share(baseline, top),
        bounds=tuple(Mark(label=label, share=_share(bound, top)) for label, bound in held.items()),
        text=", ".join(parts),
    )


def top_of(metric: str, values: Iterable[float | None]) -> float:
    """Where the scale of a metric ends: at its largest possible value, else above the values."""
    known = known_metric(metric)
    most = max((value for value in values if value is not None), default=0.0)
    maximum = 1.0 if known is None else known.maximum
    return maximum if most <= maximum < math.inf else nice_top(most)


def nice_top(most: float) -> float:
    """The next of 1, 2, 5, 10, 20, … from a value on; 0.35 has 0.5."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 5, 10) if most <= step * power * (1 + 1e-9))


def _share(value: float, top: float) -> float:
    return min(max(value / top, 0.0), 1.0)
