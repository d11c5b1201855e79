"""One metric against its recorded value."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_recall._text import count, decimals_to_tell, number
from pytest_recall.bounds import Bounds, Tolerance
from pytest_recall.gates.tolerances import EPSILON

if TYPE_CHECKING:
    from pytest_recall.bounds import Threshold
    from pytest_recall.gates.reference import Reference
    from pytest_recall.pairing import Change

__all__ = ["FEWEST_DIFFERING", "Regression"]

FEWEST_DIFFERING = 6
"""Below this many differing cases no p can be under 0.05, so none may excuse a drop."""

SMALLEST_P = 0.001
"""The smallest p that messages give as a number."""


class Regression:
    """What was compared, whether it got worse by more than it may, and how to say it.

    Attributes:
        change: over the common cases, None when nothing was compared.
        refusal: why nothing could be, which is a failure; empty otherwise.
        skipped: nothing had to be: an aggregate that is no mean, while not all cases are the same.
    """

    def __init__(self, threshold: Threshold, bounds: Bounds, reference: Reference) -> None:
        self.bounds = bounds
        self.refusal: str = reference.refusal(threshold.metric)
        self.change: Change | None = None
        self.skipped: bool = False
        if not self.refusal and reference.pairing is not None:
            self.skipped = not reference.pairing.compares(threshold.metric, threshold.tag)
            self.change = reference.pairing.change(threshold.metric, threshold.tag)
            if self.change is not None:
                self.refusal = reference.too_few(self.change, threshold.tag)
                self.change = None if self.refusal else self.change
            elif not self.skipped:
                self.refusal = f"none of its cases is in {reference.name}{reference.again}"

    @property
    def baseline(self) -> float | None:
        return None if self.change is None else self.change.baseline

    @property
    def delta(self) -> float | None:
        return None if self.change is None else self.change.value - self.change.baseline

    @cached_property
    def p(self) -> float | None:
        """The p of the change, however few cases differ; None when no two means were compared."""
        return None if self.change is None else self.change.p

    @property
    def failed(self) -> bool:
        if self.change is None:
            return not self.skipped
        if self._worse_by(self.change) <= self._allowed(self.change) + EPSILON:
            return False
        return not self._is_excused(self.change)

    def _is_excused(self, change: Change) -> bool:
        """Enough cases differ for a p to decide, and it says that this may be chance."""
        if self.bounds.alpha is None or self.p is None or len(change.differing) < FEWEST_DIFFERING:
            return False
        return self.p > self.bounds.alpha

    def text(self, value: float) -> str:
        """The clauses of a headline: ``, baseline 0.815, dropped 0.073 (p = 0.031, 9 of 60 cases differ)``."""
        if self.change is None:
            return f", {self.refusal}" if self.refusal else ""
        change = self.change
        decimals = decimals_to_tell(change.value, change.baseline)
        text = f", baseline {number(change.baseline, decimals)}"
        if abs(change.value - value) > EPSILON:
            text = f" ({number(change.value, decimals)} over the {len(change.pairs)} common){text}"
        worse, allowed = self._worse_by(change), self._allowed(change)
        if worse <= EPSILON:
            return text
        verb, may = ("rose", "may rise") if self._lower_is_better else ("dropped", "may drop")
        text += f", {verb} {number(worse, decimals_to_tell(worse, allowed, 0.0))}"
        if allowed:
            text += f", {may} {number(allowed, decimals_to_tell(allowed, worse))}"
        # Of a single case, such as a recorded run, there is nothing to count.
        return text if len(change.pairs) == 1 else f"{text} ({self._significance(change)})"

    def _significance(self, change: Change) -> str:
        amount = len(change.differing)
        differ = f"{amount:,} of {count(len(change.pairs), 'case')} {'differs' if amount == 1 else 'differ'}"
        if self.p is None:
            return differ
        if amount < FEWEST_DIFFERING:
            return f"{differ}, too few to decide"
        return f"p < 0.001, {differ}" if self.p < SMALLEST_P else f"p = {number(self.p)}, {differ}"

    @property
    def _lower_is_better(self) -> bool:
        return self.bounds.max_rise is not None

    def _worse_by(self, change: Change) -> float:
        delta = change.value - change.baseline
        return delta if self._lower_is_better else -delta

    def _allowed(self, change: Change) -> float:
        return (self.bounds.tolerance or Tolerance(0.0)).against(change.baseline)
