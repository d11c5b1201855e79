"""Repeats of a query that would not have come out alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall._text import decimals_to_tell, number
from pytest_recall.evaluation import CaseResult, summarise
from pytest_recall.gates.missed import Missed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.bounds import Threshold
    from pytest_recall.metrics import Aggregate

__all__ = ["straddling"]


def straddling(label: str, threshold: Threshold, cases: Sequence[CaseResult], aggregate: Aggregate) -> str:
    """The sentence for repeats of which some meet a bound and some don't; empty where they agree."""
    if not any(case.repeats for case in cases):
        return ""
    values = _over_repeats(threshold.metric, cases, aggregate)
    missed = [limit for value in values for _, limit in Missed(value, threshold.bounds).limits]
    if not missed or all(Missed(value, threshold.bounds) for value in values):
        return ""
    decimals = max(decimals_to_tell(value, missed[0]) for value in values)
    shown = ", ".join(number(value, decimals) for value in values)
    return f"{label}: the repeats lie on both sides of {number(missed[0], decimals)}: {shown}"


def _over_repeats(metric: str, cases: Sequence[CaseResult], aggregate: Aggregate) -> list[float]:
    """What each repeat alone would have come to; nothing where the queries were asked once, or one raised."""
    scored = [case for case in cases if case.scores.get(metric) is not None]
    times = min((len(case.repeats) for case in scored), default=0)
    values = (
        summarise(metric, "higher", aggregate, [_alone(case, time) for case in scored]).value for time in range(times)
    )
    return [value for value in values if value is not None]


def _alone(case: CaseResult, time: int) -> CaseResult:
    """One repeat of a case, as if it had been the only one."""
    labels = case.labels[time : time + 1]
    return CaseResult(id=case.id, relevant=case.relevant, scores=case.repeats[time], labels=labels)
