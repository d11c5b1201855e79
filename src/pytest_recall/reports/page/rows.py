"""The rows of the tables of metrics: over all cases, by tag, and of several systems beside each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import count, decimals_to_tell, number
from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds
from pytest_recall.gates import Verdict
from pytest_recall.gates.reference import differences
from pytest_recall.pairing import Pairing
from pytest_recall.reports.page.bars import Bar, bar_of, top_of
from pytest_recall.reports.summary import SuiteReport, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.metrics import Better
    from pytest_recall.pairing import Change

__all__ = ["GroupRow", "MetricRow", "SystemRow", "group_rows", "metric_rows", "system_rows"]

MOST_GROUPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """A metric with all that is said of it, as texts.

    Attributes:
        tag: whether it is over the cases of a tag alone.
        direction: "better", "worse" or empty, of the change.
        bounds: what it is held to; several where it is held to several.
        verdict: empty where nothing was judged.
    """

    name: str
    tag: bool
    value: str
    baseline: str
    change: str
    direction: str
    bounds: tuple[str, ...]
    verdict: str
    bar: Bar | None


def metric_rows(report: SuiteReport) -> list[MetricRow]:
    """A row for each verdict over cases; of an evaluation that nothing judged one for each metric."""
    evaluation = report.evaluation
    metrics = evaluation.metrics.items()
    if not report.verdicts:
        return [_metric_row(Verdict(metric=name, value=each.value), each.better, "") for name, each in metrics]
    verdicts = report.over_cases()
    return [_metric_row(each, evaluation.metrics[each.metric].better, each.outcome) for each in verdicts]


def _metric_row(verdict: Verdict, better: Better, outcome: str) -> MetricRow:
    value, baseline, change, _ = numbers_of(verdict)
    bounds = verdict.bounds
    top = top_of(verdict.metric, [verdict.value, verdict.baseline, bounds.min, bounds.max])
    return MetricRow(
        name=verdict.name,
        tag=verdict.tag is not None,
        value=value,
        baseline=baseline,
        change=change,
        direction=_direction(verdict.change, better),
        bounds=tuple(_bound_texts(bounds)),
        verdict=outcome,
        bar=bar_of(verdict.name, verdict.value, verdict.baseline, bounds, top),
    )


def _direction(change: float | None, better: Better) -> str:
    if not change:
        return ""
    return "better" if (change < 0) == (better == "lower") else "worse"


def _bound_texts(bounds: Bounds) -> Iterator[str]:
    """``at least 0.8``, ``may drop 5%``."""
    for word, bound in (("at least", bounds.min), ("at most", bounds.max)):
        if bound is not None:
            yield f"{word} {bound:g}"
    for word, tolerance in (("may drop", bounds.max_drop), ("may rise", bounds.max_rise)):
        if tolerance is not None and tolerance.value:
            yield f"{word} {tolerance}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One metric over the cases of a tag, beside the baseline where there is one."""

    group: str
    cases: int
    value: str
    baseline: str
    change: str
    direction: str


def group_rows(evaluation: Evaluation, pairing: Pairing | None) -> tuple[Mapping[str, list[GroupRow]], int]:
    """Of each mean the tags, for one that rises can hide a tag that collapses; and how many tags are left out."""
    sizes = Counter(group for case in evaluation.cases for group in case.groups)
    if len(sizes) < 2:
        return {}, 0
    groups = sorted(group for group, _ in sizes.most_common(MOST_GROUPS))
    means = [name for name, summary in evaluation.metrics.items() if summary.aggregate == "mean"]
    rows = {metric: [_group_row(evaluation, pairing, group, metric) for group in groups] for metric in means}
    return {metric: [row for row in some if row.cases] for metric, some in rows.items()}, len(sizes) - len(groups)


def _group_row(evaluation: Evaluation, pairing: Pairing | None, group: str, metric: str) -> GroupRow:
    summary = evaluation.summary(metric, group)
    change = _change(pairing, metric, group)
    delta = None if change is None else change.value - change.baseline
    decimals = 3 if change is None else decimals_to_tell(change.value, change.baseline)
    return GroupRow(
        group=group,
        cases=summary.scored,
        value=number(summary.value, decimals),
        baseline="" if change is None else number(change.baseline, decimals),
        change="" if delta is None else f"{delta:+.{decimals}f}" if change and change.differing else "=",
        direction=_direction(delta, summary.better) if change and change.differing else "",
    )


def _change(pairing: Pairing | None, metric: str, group: str | None = None) -> Change | None:
    return None if pairing is None or metric not in pairing.entry.metrics else pairing.change(metric, group)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """One metric of one of several systems.

    Attributes:
        best: no other system is better.
        beside: in how many cases it differs from the first system; empty for that one.
    """

    system: str
    value: str
    best: bool
    beside: str
    bar: Bar | None


def system_rows(evaluations: Sequence[Evaluation]) -> Mapping[str, list[SystemRow]]:
    """Of each metric that the first system has, the systems beside each other."""
    first, *others = evaluations
    recorded = entry_of(first)
    pairings: list[Pairing | None] = [None]
    for other in others:
        pairing = Pairing(other, recorded)
        pairings.append(None if differences(pairing) else pairing)
    return {metric: _of_metric(metric, evaluations, pairings) for metric in first.metrics}


def _of_metric(metric: str, evaluations: Sequence[Evaluation], pairings: Sequence[Pairing | None]) -> list[SystemRow]:
    having = [(each, pairing) for each, pairing in zip(evaluations, pairings, strict=True) if metric in each.metrics]
    values = [each.metrics[metric].value for each, _ in having]
    defined = [value for value in values if value is not None]
    better = having[0][0].metrics[metric].better
    best = (min if better == "lower" else max)(defined, default=None)
    top = top_of(metric, values)
    others = [value for value in defined if value != best]
    decimals = decimals_to_tell(best, *others) if best is not None else 3
    return [
        SystemRow(
            system=evaluation.system,
            value=number(value, decimals),
            best=value == best is not None and bool(others),
            beside=_beside(_change(pairing, metric), better),
            bar=bar_of(f"{evaluation.system}: {metric}", value, None, Bounds(), top),
        )
        for (evaluation, pairing), value in zip(having, values, strict=True)
    ]


def _beside(change: Change | None, better: Better) -> str:
    """``12 cases better, 3 worse``."""
    if change is None or not change.is_mean:
        return ""
    gains = [(now.scores[change.metric] or 0) - (then.scores[change.metric] or 0) for now, then in change.differing]
    more = sum(gain > 0 for gain in gains)
    less = len(gains) - more
    won, lost = (less, more) if better == "lower" else (more, less)
    return f"{count(won, 'case')} better, {lost:,} worse" if gains else "no case differs"
