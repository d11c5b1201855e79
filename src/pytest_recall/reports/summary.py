"""The `eval` section at the end of a run: a row for each metric, then the cases worth a look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_recall._text import count, decimals_to_tell, exact, listing, number, shorten
from pytest_recall.gates import EPSILON, Verdict
from pytest_recall.reports.moves import move_lines, moves_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.pairing import Pairing
    from pytest_recall.reports.moves import Move

__all__ = [
    "Line",
    "SuiteReport",
    "moves_behind",
    "notes_of",
    "numbers_of",
    "one_line",
    "pairing_notes",
    "reasons_of",
    "summary_lines",
]

WIDTH = 80
WORST_CASES = 5
_ROW = "  {:<29} {:>8} {:>8} {:>8} {:>10}  {:<8}"

Tone = Literal["plain", "heading", "good", "bad", "note"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the section, with what it means for its colour."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """One evaluation with everything that was judged of it."""

    evaluation: Evaluation
    verdicts: tuple[Verdict, ...]
    pairing: Pairing | None = None

    @property
    def failed(self) -> bool:
        return self.evaluation.problem is not None or any(verdict.failed for verdict in self.verdicts)

    def over_cases(self) -> list[Verdict]:
        """The verdicts on metrics, in the order in which the suite names them, each before its tags."""
        order = {metric: place for place, metric in enumerate(self.evaluation.metrics)}
        metrics = [verdict for verdict in self.verdicts if verdict.case is None]
        return sorted(metrics, key=lambda verdict: (order[verdict.metric], verdict.line or 0, verdict.tag or ""))

    def of_cases(self) -> list[Verdict]:
        """The verdicts on single cases, in file order."""
        order = {case.id: place for place, case in enumerate(self.evaluation.cases)}
        cases = [verdict for verdict in self.verdicts if verdict.case is not None]
        return sorted(cases, key=lambda verdict: order[verdict.case or ""])


def one_line(reports: Sequence[SuiteReport]) -> Line:
    """``eval: 2 suites, 14 gates passed, 1 failed``."""
    verdicts = [verdict for report in reports for verdict in report.verdicts]
    failed = sum(verdict.failed for verdict in verdicts)
    suites = len({report.evaluation.suite for report in reports})
    free = sum(verdict.outcome == "no gate" for verdict in verdicts)
    text = f"eval: {count(suites, 'suite')}, {count(len(verdicts) - failed - free, 'gate')} passed, {failed} failed"
    text += f", {count(free, 'value')} without a gate" if free else ""
    unjudged = sum(report.failed and not report.verdicts for report in reports)
    text += f", {unjudged} not evaluated" if unjudged else ""
    return Line(text, "bad" if failed or unjudged else "good")


def summary_lines(reports: Sequence[SuiteReport], *, verbose: bool) -> Iterator[Line]:
    """The section, at most 80 columns wide."""
    yield Line(_ROW.format("", "value", "baseline", "change", "bound", "verdict").rstrip(), "heading")
    for report in reports:
        yield from _suite_lines(report, verbose=verbose)


def _suite_lines(report: SuiteReport, *, verbose: bool) -> Iterator[Line]:
    evaluation = report.evaluation
    tail = f"  {shorten(evaluation.system, 30)}  {count(len(evaluation.cases), 'case')}"
    yield Line(f"{shorten(evaluation.suite, WIDTH - len(tail))}{tail}", "heading")
    for verdict in report.over_cases() if report.verdicts else _unjudged(evaluation):
        yield _row(verdict)
    if evaluation.problem is not None and not report.verdicts:
        yield Line(shorten(f"  {evaluation.problem}", 4 * WIDTH), "bad")
    yield from _case_lines(report, verbose=verbose)
    if verbose and report.pairing is not None:
        yield from _group_lines(report)
    yield from (_note(note) for note in notes_of(report))


def _unjudged(evaluation: Evaluation) -> list[Verdict]:
    """A row for each metric, where no gate has one."""
    metrics = evaluation.metrics.items()
    return [Verdict(metric=name, value=summary.value, outcome="no gate") for name, summary in metrics]


def numbers_of(verdict: Verdict) -> tuple[str, str, str, str]:
    """Value, baseline, change and bound as a row shows them; as many decimals as tell the value from the others."""
    value, baseline, least, most = verdict.value, verdict.baseline, verdict.bounds.min, verdict.bounds.max
    others = (other for other in (baseline, least, most) if other is not None)
    decimals = 3 if value is None else decimals_to_tell(value, *others)
    change = "" if verdict.change is None else f"{verdict.change:+.{decimals}f}" if verdict.change else "="
    bound = f">= {exact(least)}" if least is not None else f"<= {exact(most)}" if most is not None else ""
    return number(value, decimals), "" if baseline is None else number(baseline, decimals), change, bound


def _row(verdict: Verdict) -> Line:
    value, baseline, change, bound = numbers_of(verdict)
    text = _ROW.format(shorten(verdict.name, 29), value[:8], baseline[:8], change[:8], bound[:10], verdict.outcome)
    return Line(text.rstrip(), "bad" if verdict.failed else "plain")


def _case_lines(report: SuiteReport, *, verbose: bool) -> Iterator[Line]:
    verdicts = report.of_cases()
    if verdicts:
        failed = {verdict.case: None for verdict in verdicts if verdict.failed}
        total = len({verdict.case for verdict in verdicts})
        text = f"  cases with their own bounds: {total - len(failed)} passed, {len(failed)} failed"
        yield Line(text, "bad" if failed else "plain")
    failing = [verdict for verdict in report.over_cases() if verdict.failed and verdict.value is not None]
    moves: dict[str, Move] = {}
    for verdict in failing:
        for move in moves_of(verdict, report.evaluation, report.pairing):
            if move.kind != "gained" or verbose:
                moves.setdefault(move.case, move)
    worst = list(moves.values()) if verbose else list(moves.values())[:WORST_CASES]
    yield from (Line(shorten(f"    {line}", WIDTH)) for line in move_lines(worst))


def _group_lines(report: SuiteReport) -> Iterator[Line]:
    """How every tag moved, for a mean that rises can hide a tag that collapses."""
    assert report.pairing is not None, "asked only of a comparison"
    groups = dict.fromkeys(group for case in report.evaluation.cases for group in case.groups)
    compared = [verdict.metric for verdict in report.over_cases() if verdict.baseline is not None]
    for metric in dict.fromkeys(compared):
        for group in groups if len(groups) > 1 else ():
            change = report.pairing.change(metric, group)
            if change is not None and change.differing:
                delta = change.value - change.baseline
                name = shorten(f"{metric}:{group}", 29)
                yield Line(
                    _ROW.format(name, number(change.value), number(change.baseline), f"{delta:+.3f}", "", "").rstrip()
                )


def reasons_of(report: SuiteReport) -> list[str]:
    """Why gates failed; what is wrong with all the numbers is said once."""
    if report.evaluation.problem is not None:
        return [report.evaluation.problem]
    return [verdict.reason for verdict in (*report.over_cases(), *report.of_cases()) if verdict.failed]


def moves_behind(report: SuiteReport) -> list[Move]:
    """The cases behind failures, and all that moved against the baseline, each once; what was gained comes last."""
    moves: dict[str, Move] = {}
    for verdict in sorted(report.over_cases(), key=lambda verdict: not verdict.failed):
        if verdict.value is None or report.evaluation.problem is not None:
            continue
        for move in moves_of(verdict, report.evaluation, report.pairing):
            if verdict.failed or move.kind != "missed":
                moves.setdefault(move.case, move)
    return sorted(moves.values(), key=lambda move: move.kind == "gained")


def _note(text: str) -> Line:
    return Line(shorten(f"  {text}", 4 * WIDTH), "note")


def notes_of(report: SuiteReport) -> list[str]:
    """What a reader should know beside the numbers of a suite, and beside its baseline."""
    return [f"note: {note}" for note in (*report.evaluation.notes, *_repeat_notes(report), *_baseline_notes(report))]


def _repeat_notes(report: SuiteReport) -> Iterator[str]:
    if report.evaluation.problem is None:
        yield from (verdict.note for verdict in (*report.over_cases(), *report.of_cases()) if verdict.note)


def _baseline_notes(report: SuiteReport) -> Iterator[str]:
    pairing = report.pairing
    if pairing is None:
        return
    if not pairing.complete:
        yield f"baseline and change are over the {count(len(pairing.common), 'case')} that both sides ask"
    for verdict in report.over_cases():
        if verdict.baseline is not None and (ids := pairing.one_sided(verdict.metric, verdict.tag)):
            has = "has" if len(ids) == 1 else "have"
            told = f"{count(len(ids), 'case')} that {has} a value on one side only: {listing(map(str, ids))}"
            yield f"{verdict.name} is compared without {told}"
    others = [each.name for each in report.over_cases() if not pairing.compares(each.metric, each.tag)]
    yield from pairing_notes(pairing, "the baseline", others)
    missing = [metric for metric in pairing.entry.metrics if metric not in report.evaluation.metrics]
    if missing:
        yield f"in the baseline, but not computed any more: {listing(missing, most=5)}"
    better = [verdict.name for verdict in report.over_cases() if _improved(verdict, report.evaluation)]
    if better and not report.failed:
        yield f"better than the baseline: {listing(better, most=5)}; record it with --eval-update"


def pairing_notes(pairing: Pairing, before: str, others: Sequence[str]) -> Iterator[str]:
    """How the questions and the memories differ from what they were.

    Args:
        pairing: the two sides.
        before: what the earlier one is called.
        others: metrics that are not compared unless the questions are all the same.
    """
    for word in ("changed", "added", "removed"):
        ids = getattr(pairing, word)
        if ids:
            yield f"{count(len(ids), 'case')} {word} since {before}: {listing(map(str, ids))}"
    for old, new in pairing.renamed[:3]:
        yield f"{old!r:.60} is now called {new!r:.60} (same question)"
    if others:
        yield f"not compared, being no mean over the same cases: {listing(others, most=5)}"
    if pairing.entry.memories != pairing.evaluation.settings.memories:
        yield f"the memories were edited since {before}"


def _improved(verdict: Verdict, evaluation: Evaluation) -> bool:
    if verdict.change is None:
        return False
    lower = evaluation.metrics[verdict.metric].better == "lower"
    return (-verdict.change if lower else verdict.change) > EPSILON
