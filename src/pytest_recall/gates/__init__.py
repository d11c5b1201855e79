"""Whether an evaluation is good enough: bounds, and no regression against what was recorded."""

from __future__ import annotations

from pytest_recall.gates.judging import judge
from pytest_recall.gates.missed import Missed
from pytest_recall.gates.reference import Reference
from pytest_recall.gates.tolerances import EPSILON, Tolerances
from pytest_recall.gates.verdict import Outcome, Verdict

__all__ = ["EPSILON", "Missed", "Outcome", "Reference", "Tolerances", "Verdict", "judge"]
