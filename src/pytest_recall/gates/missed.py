"""The bounds that a value misses, and how to say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import decimals_to_tell, number
from pytest_recall.gates.tolerances import EPSILON
from pytest_recall.metrics import known_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.bounds import Bounds, Threshold
    from pytest_recall.evaluation import CaseResult, Evaluation

__all__ = ["Missed"]


@dataclass(frozen=True, slots=True)
class Missed:
    """The bounds that a value misses by more than `EPSILON`; false when it misses none."""

    value: float
    bounds: Bounds

    @property
    def limits(self) -> tuple[tuple[str, float], ...]:
        """Each missed bound with its verb."""
        low, high = self.bounds.min, self.bounds.max
        missed = []
        if low is not None and self.value < low - EPSILON:
            missed.append(("needs", low))
        if high is not None and self.value > high + EPSILON:
            missed.append(("may be at most", high))
        return tuple(missed)

    def __bool__(self) -> bool:
        return bool(self.limits)

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(limit for _, limit in self.limits)

    def text(self, threshold: Threshold, evaluation: Evaluation, cases: Sequence[CaseResult]) -> str:
        """The clauses of a headline: ``, needs 0.850 (support.eval.yaml:5)``."""
        decimals = decimals_to_tell(self.value, *self.numbers)
        place = "" if threshold.line is None else f"{threshold.file or evaluation.suite}:{threshold.line}"
        inside = "; ".join(part for part in (place, self._step(threshold, cases)) if part)
        origin = f" ({inside})" if inside else ""
        return "".join(f", {verb} {number(limit, decimals)}{origin}" for verb, limit in self.limits)

    def _step(self, threshold: Threshold, cases: Sequence[CaseResult]) -> str:
        """The step in which a mean moves, when no set of scores can meet a missed bound exactly."""
        scored = [case for case in cases if case.scores.get(threshold.metric) is not None]
        if not _are_whole(threshold.metric, scored):
            return ""
        sums = [limit * len(scored) for limit in self.numbers]
        reachable = all(abs(total - round(total)) <= EPSILON * len(scored) for total in sums)
        return "" if reachable else f"moves in steps of {number(1 / len(scored))}"


def _are_whole(metric: str, scored: Sequence[CaseResult]) -> bool:
    """Every case can only score whole numbers; a recall does where one memory is relevant."""
    known = known_metric(metric)
    if known is None or len(scored) < 2:
        return False
    return known.whole or (known.name == "recall" and all(len(case.relevant or ()) == 1 for case in scored))
