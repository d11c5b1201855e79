"""How much a metric may get worse, and whose word counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.bounds import Tolerance, check_alpha, check_bound, check_for_all
from pytest_recall.errors import MetricError
from pytest_recall.metrics import known_metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.bounds import Bounds

__all__ = ["EPSILON", "Tolerances"]

EPSILON = 1e-9
"""A bound is met, and a tolerance kept, within this; far below the weight of one case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """How much may get worse, from the strongest voice to the weakest: option, the metric's own, suite, ini, nothing.

    Attributes:
        option, ini: tolerance by metric; the key ``""`` is for all of them.
        suite: of all metrics.
        option_alpha, suite_alpha, ini_alpha: significance levels, above 0 and below 1.

    Raises:
        MetricError: a tolerance is none, or tolerates any loss; or a level is none.

    >>> from pytest_recall import Bounds, Tolerance
    >>> Tolerances(suite=Tolerance(0.02), ini={"": Tolerance(0.1)}).of("mrr", Bounds())
    Tolerance(value=0.02, relative=False)
    """

    option: Mapping[str, Tolerance] = field(default_factory=dict)
    suite: Tolerance | None = None
    ini: Mapping[str, Tolerance] = field(default_factory=dict)
    option_alpha: float | None = None
    suite_alpha: float | None = None
    ini_alpha: float | None = None

    def __post_init__(self) -> None:
        for name, given in (("option", self.option), ("suite", {"": self.suite}), ("ini", self.ini)):
            for metric, tolerance in given.items():
                if tolerance is not None and (wrong := _wrong(metric, tolerance)):
                    raise MetricError(f"{name}: {wrong}")
        for name in ("option_alpha", "suite_alpha", "ini_alpha"):
            if (level := getattr(self, name)) is not None and (wrong := check_alpha(level)):
                raise MetricError(f"{name}: {wrong}")

    def of(self, metric: str, bounds: Bounds) -> Tolerance:
        """The tolerance of one metric."""
        voices = (
            self.option.get(metric, self.option.get("")),
            bounds.tolerance,
            self.suite,
            self.ini.get(metric, self.ini.get("")),
        )
        return next((voice for voice in voices if voice is not None), Tolerance(0.0))

    def alpha_of(self, bounds: Bounds) -> float | None:
        """The significance level of one metric, None when no p may excuse a drop."""
        voices = (self.option_alpha, bounds.alpha, self.suite_alpha, self.ini_alpha)
        return next((voice for voice in voices if voice is not None), None)


def _wrong(metric: str, tolerance: object) -> str | None:
    """What is wrong with a tolerance of one metric, or of all of them."""
    if not isinstance(tolerance, Tolerance):
        return f"a Tolerance is needed, got {tolerance!r:.80}"
    if not metric:
        return check_for_all(tolerance)
    known = known_metric(metric)
    if known is None:
        return None
    return check_bound(known, "max_drop" if known.better == "higher" else "max_rise", tolerance)
