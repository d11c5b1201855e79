"""How much a metric may get worse, and whose word counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.bounds import Tolerance

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
