"""All that the page shows, in its order, so that the template only has to write it down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from string import ascii_uppercase
from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.gates.reference import differences
from pytest_recall.reports.moves import move_lines
from pytest_recall.reports.page.cases import table_of
from pytest_recall.reports.page.curves import chart_of, recall_of, recorded_recall_of
from pytest_recall.reports.page.distribution import distributions_of
from pytest_recall.reports.page.labels import label_panel
from pytest_recall.reports.page.rows import group_rows, metric_rows, system_rows
from pytest_recall.reports.page.steps import MOST_STEPS, step_facts, step_rows
from pytest_recall.reports.replayed import steps_of
from pytest_recall.reports.summary import moves_behind, notes_of, one_line, reasons_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.pairing import Pairing
    from pytest_recall.reports.page.cases import CaseTable
    from pytest_recall.reports.page.curves import Chart
    from pytest_recall.reports.page.distribution import Distribution
    from pytest_recall.reports.page.labels import LabelPanel
    from pytest_recall.reports.page.rows import GroupRow, MetricRow, SystemRow
    from pytest_recall.reports.page.steps import StepRow
    from pytest_recall.reports.summary import SuiteReport

__all__ = ["Page", "SuiteView", "SystemView", "page_of"]

MOST_MOVES = 50
"""Of those shown where no script runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """One evaluation.

    Attributes:
        anchor: an id for its heading.
        verdict: "passed", "failed" or empty where nothing was judged.
        tally: how many gates passed and failed.
        facts: what it was made with.
        reasons: why gates failed.
        steps: of a replayed run, instead of single cases.
        steps_left_out: steps beyond those shown.
        compared: whether its cases are shown beside those of a baseline.
        groups_left_out: tags beyond those shown.
        labels: of a classifier how it did label by label, None of a retriever.
    """

    anchor: str
    suite: str
    system: str
    verdict: str
    tally: str
    facts: tuple[str, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    metrics: tuple[MetricRow, ...]
    groups: Mapping[str, Sequence[GroupRow]]
    groups_left_out: int
    labels: LabelPanel | None
    distributions: tuple[Distribution, ...]
    recall: Chart | None
    steps: tuple[StepRow, ...]
    steps_left_out: int
    compared: bool
    cases: int
    table: CaseTable
    moves: tuple[str, ...]

    @property
    def has_baseline(self) -> bool:
        return self.compared or any(row.baseline for row in self.metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteView:
    """The systems that were evaluated on one suite; beside each other where there are several."""

    anchor: str
    suite: str
    systems: tuple[SystemView, ...]
    comparison: Mapping[str, Sequence[SystemRow]]
    recall: Chart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The whole.

    Attributes:
        verdict: as of a system, over all.
        summary: how many suites and gates.
    """

    verdict: str
    summary: str
    suites: tuple[SuiteView, ...]

    @property
    def systems(self) -> list[SystemView]:
        return [system for suite in self.suites for system in suite.systems]


def page_of(reports: Sequence[SuiteReport]) -> Page:
    """The page of some reports, those of one suite together."""
    ordered = sorted(reports, key=lambda report: report.evaluation.suite)
    suites = [list(group) for _, group in groupby(ordered, key=lambda report: report.evaluation.suite)]
    judged = [report for report in reports if report.verdicts]
    return Page(
        verdict=("failed" if any(report.failed for report in judged) else "passed") if judged else "",
        summary=one_line(reports).text.removeprefix("eval: ") if judged else count(len(suites), "suite"),
        suites=tuple(_suite_view(f"s{number}", group) for number, group in enumerate(suites, 1)),
    )


def _suite_view(anchor: str, reports: Sequence[SuiteReport]) -> SuiteView:
    evaluations = [report.evaluation for report in reports]
    several = len(reports) > 1
    curves = {each.system: None if _is_classified(each) else recall_of(each) for each in evaluations}
    return SuiteView(
        anchor=anchor,
        suite=evaluations[0].suite,
        systems=tuple(_system_view(f"{anchor}-{number}", report) for number, report in enumerate(reports, 1)),
        comparison=system_rows(evaluations) if several else {},
        recall=chart_of(curves, ascii_uppercase) if several else None,
    )


def _system_view(anchor: str, report: SuiteReport) -> SystemView:
    evaluation = report.evaluation
    pairing = _comparable(report.pairing)
    pairs = steps_of(evaluation)
    groups, groups_left_out = group_rows(evaluation, pairing)
    lines = {}
    if not _is_classified(evaluation):
        lines = {"now": recall_of(evaluation), "baseline": recorded_recall_of(pairing) if pairing else None}
    return SystemView(
        anchor=anchor,
        suite=evaluation.suite,
        system=evaluation.system,
        verdict=("failed" if report.failed else "passed") if report.verdicts else "",
        tally=_tally(report),
        facts=step_facts(pairs) if pairs else _facts(evaluation),
        reasons=tuple(reasons_of(report)),
        notes=tuple(note.removeprefix("note: ") for note in notes_of(report)),
        metrics=tuple(metric_rows(report)),
        groups=groups,
        groups_left_out=groups_left_out,
        labels=label_panel(evaluation),
        distributions=() if pairs else distributions_of(evaluation, pairing),
        recall=chart_of(lines, lines),
        steps=tuple(step_rows(pairs)[:MOST_STEPS]),
        steps_left_out=max(0, len(pairs) - MOST_STEPS),
        compared=pairing is not None,
        cases=len(evaluation.cases),
        table=table_of(evaluation, pairing),
        moves=tuple(move_lines(moves_behind(report)[:MOST_MOVES])),
    )


def _comparable(pairing: Pairing | None) -> Pairing | None:
    """Cases scored by other rules are not shown beside each other."""
    return None if pairing is None or differences(pairing) else pairing


def _tally(report: SuiteReport) -> str:
    outcomes = [verdict.outcome for verdict in report.verdicts]
    if not outcomes:
        return ""
    return f"{count(outcomes.count('passed'), 'gate')} passed, {outcomes.count('failed'):,} failed"


def _is_classified(evaluation: Evaluation) -> bool:
    return any(case.classified for case in evaluation.cases)


def _facts(evaluation: Evaluation) -> tuple[str, ...]:
    settings = evaluation.settings
    facts = [count(len(evaluation.cases), "case")]
    if not _is_classified(evaluation):
        facts.append(f"k = {settings.k}")
    if settings.memories is not None:
        facts.append(count(settings.memories.count, "memory", "memories"))
    if settings.policy.repeat > 1:
        facts.append(f"each asked {settings.policy.repeat} times")
    return tuple(facts)
