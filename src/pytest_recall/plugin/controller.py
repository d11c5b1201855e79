"""What happens once, where all reports arrive: collecting, writing the baseline, the summary."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall._text import count, listing, printable, shorten
from pytest_recall.baseline import entry_of, update_baseline
from pytest_recall.errors import BaselineError, ReportError, SuiteError
from pytest_recall.evaluation import Evaluation
from pytest_recall.metrics import parse_metric
from pytest_recall.plugin.hearing import Heard, hearing_conftests, tell
from pytest_recall.plugin.identity import first_line
from pytest_recall.plugin.options import is_suite_file
from pytest_recall.plugin.session import COLLECTED, DESELECTED, HEARING
from pytest_recall.plugin.telling import Told
from pytest_recall.reports import Line, SuiteReport, one_line, summary_lines
from pytest_recall.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_recall.baseline import Entry, Key
    from pytest_recall.gates import Verdict
    from pytest_recall.plugin.session import EvalSession

__all__ = ["Controller"]

COLOURS: dict[str, dict[str, bool]] = {
    "plain": {},
    "heading": {"bold": True},
    "good": {"green": True},
    "bad": {"red": True},
    "note": {"yellow": True},
}

CONFLICT = "two workers got different results"

# What leaves out some of the tests, or all.
SELECTIONS = ("keyword", "markexpr", "lf", "stepwise", "deselect", "collectonly")

_NOTHING_WRONG = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


@dataclass(slots=True)
class _SuiteTold:
    """What was told of one suite and system.

    Attributes:
        evaluations: of each worker the latest, for a test that is run again evaluates again.
        unjudged: node id of what failed before it was judged → why.
    """

    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
    verdicts: dict[tuple[str, str | None, str | None], Verdict] = field(default_factory=dict)

    @property
    def evaluation(self) -> Evaluation | None:
        """One worker's, for all agree unless there is a conflict."""
        evaluation = next(iter(self.evaluations.values()), None)
        if evaluation is None:
            return None
        return replace(evaluation, notes=(*evaluation.notes, CONFLICT)) if self.conflict else evaluation

    @property
    def conflict(self) -> bool:
        """Two workers got different results, latency aside."""
        first, *others = self.evaluations.values()
        return any(_without_latency(other) != _without_latency(first) for other in others)


class Controller:
    """Collects what items told of their suites, whichever process ran them."""

    def __init__(self, session: EvalSession) -> None:
        self.session = session
        self.told: dict[tuple[str, str], _SuiteTold] = {}
        self.closing: list[Line] = []
        self._all_passed = False
        self._skipped: dict[str, str] = {}
        self._crashed: dict[str, str] = {}
        self._hearing: set[str] = set()
        self._made: list[SuiteReport] | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Taken off the report, which pytest keeps to the end.
        item: Told | str | None = report.__dict__.pop("recall", None)
        if report.skipped:
            self._skipped.setdefault(report.nodeid.partition("::")[0], _why_skipped(report))
        if item is None:
            # What pytest-xdist says of a test that ended its worker.
            if report.failed and str(report.when) == "???":
                self._crashed.setdefault(report.nodeid, shorten(str(report.longrepr), 500))
            return
        item = Told.from_text(item) if isinstance(item, str) else item
        told = self.told.setdefault((item.suite, item.system), _SuiteTold())
        for verdict in item.verdicts:
            told.verdicts[verdict.metric, verdict.tag, verdict.case] = verdict
        # What is run again may be judged the second time.
        told.unjudged.pop(report.nodeid, None)
        if item.unjudged is not None:
            told.unjudged[report.nodeid] = item.unjudged
        if item.evaluation is not None:
            told.evaluations[item.worker] = item.evaluation

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._keep_unjudged(report.nodeid, report.nodeid, first_line(report))

    def _keep_unjudged(self, file: str, nodeid: str, reason: str) -> None:
        """Why nothing is known of a suite, and of its system no more than the suite says."""
        config, options = self.session.config, self.session.options
        path = config.rootpath / file
        if not is_suite_file(path, config):
            return
        try:
            fixture = options.fixture_of(self.session.suite(path))
        except SuiteError:
            fixture = options.retriever or options.ini_retriever
        self.told.setdefault((file, fixture), _SuiteTold()).unjudged[nodeid] = reason

    def _keep_crashed(self) -> None:
        """A worker that crashed told nothing; another may have judged the suite for its other items."""
        judged = {suite for suite, _ in self.told}
        for nodeid, reason in self._crashed.items():
            file = nodeid.partition("::")[0]
            if file not in judged:
                self._keep_unjudged(file, nodeid, reason)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        # A worker that crashed has told nothing.
        told = getattr(node, "workeroutput", {})
        self.session.collected |= told.get(COLLECTED, False)
        self.session.deselected |= told.get(DESELECTED, False)
        self._hearing |= {*told.get(HEARING, ())}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        options = self.session.options
        self._keep_crashed()
        # What failed may have made no entry, and what was deselected made none.
        self._all_passed = session.exitstatus == pytest.ExitCode.OK and not self._is_selective()
        problem = self._write() if options.updating else None
        nothing = session.exitstatus in _NOTHING_WRONG and not self.session.collected and self._is_whole()
        if problem is None and options.required and nothing:
            done = "recorded" if options.updating else "compared"
            problem = f"--eval-baseline={options.baseline_name}: no suite was collected, so nothing was {done}"
            problem += f"; suites are files named {listing(session.config.getini('eval_files'))}"
        problems = [] if problem is None else [problem]
        heard = Heard()
        if not session.config.option.collectonly:
            problems += self._write_reports()
            heard = tell(session.config, [report for report in self._reports() if report.evaluation.cases])
            problems += heard.problems
        self.closing += [Line(sentence, "bad") for sentence in (*problems, *heard.exit_words)]
        self.closing += [Line(f"note: {sentence}", "note") for sentence in (*self._deaf(), *self._passed_over())]
        if problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if heard.exit_status is not None:
            session.exitstatus = heard.exit_status

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        # What could not be read is an error above already.
        reports = [report for report in self._reports() if report.evaluation.cases or report.verdicts]
        if not reports and not self.closing:
            return
        quiet = terminalreporter.verbosity < 0
        lines = [one_line(reports)] if quiet and reports else []
        if not quiet:
            terminalreporter.write_sep("=", "eval")
            lines = list(summary_lines(reports, verbose=terminalreporter.verbosity > 0)) if reports else []
        for line in (*lines, *self._unseen(reports), *self.closing):
            terminalreporter.write_line(printable(line.text), **COLOURS[line.tone])

    def _reports(self) -> list[SuiteReport]:
        """What was told of each suite and system, sorted; made once, when the session ends."""
        # No cached property: pytest 7 looks at all attributes of a plugin when it is registered.
        if self._made is None:
            reports = [self._report(key, told) for key, told in sorted(self.told.items(), key=lambda item: item[0])]
            self._made = [report for report in reports if report is not None]
        return self._made

    def _report(self, key: tuple[str, str], told: _SuiteTold) -> SuiteReport | None:
        evaluation = told.evaluation
        if evaluation is None:
            return _unjudged(*key, told) if told.unjudged else None
        reference = self.session.reference(evaluation)
        report = SuiteReport(
            evaluation=evaluation,
            verdicts=tuple(told.verdicts.values()),
            pairing=reference.pairing if reference else None,
        )
        # Told in whatever order the items ran.
        return replace(report, verdicts=(*report.of_cases(), *report.over_cases()))

    def _write_reports(self) -> Iterator[str]:
        """Write what `--eval-report` asks for; a sentence for each that can't be written."""
        for path in self.session.options.reports:
            from pytest_recall.reports import files  # noqa: PLC0415  # few runs write one

            try:
                files.write(path, self._reports())
            except ReportError as error:
                yield f"--eval-report: {error}"

    def _deaf(self) -> Iterator[str]:
        """A sentence for each conftest whose hook only workers know."""
        for path in sorted(self._hearing - hearing_conftests(self.session.config)):
            told = "is not called under pytest-xdist; move it to the root conftest"
            yield f"hook pytest_recall_evaluated of {path} {told}"

    def _passed_over(self) -> Iterator[str]:
        """A sentence for each suite of which no test ran, for all were skipped."""
        config, told = self.session.config, {suite for suite, _ in self.told}
        for file, reason in sorted(self._skipped.items()):
            if file not in told and is_suite_file(config.rootpath / file, config):
                yield f"not judged, for it was skipped: {file} ({reason})"

    def _unseen(self, reports: Iterable[SuiteReport]) -> Iterator[Line]:
        """What the baseline holds and a whole run did not compute."""
        baseline = self.session.baseline
        if baseline is None or not self._is_whole() or not self.told:
            return
        seen = {self.session.key(report.evaluation) for report in reports}
        unseen = [f"{suite} ({system})" for suite, system in baseline.entries if (suite, system) not in seen]
        if unseen:
            yield Line(f"note: in {self.session.options.baseline_name}, but not in this run: {listing(unseen)}", "note")

    def _write(self) -> str | None:
        """Record what finished; the sentence of what went wrong, None when all is well."""
        options, entries, left_out = self.session.options, {}, []
        for (suite, system), told in sorted(self.told.items()):
            evaluation = told.evaluation
            if evaluation is None:
                left_out += [f"{suite} ({system}): {reason}" for reason in [*told.unjudged.values()][:1]]
                continue
            reason = _unfit(evaluation, told)
            if reason is None:
                entries[self.session.key(evaluation)] = entry_of(evaluation)
            else:
                left_out.append(f"{suite} ({system}): {reason}")
        assert options.baseline is not None, "checked with the options"
        drop = (lambda key: self._is_gone(key, entries)) if options.prune else None
        try:
            update = update_baseline(options.baseline, entries, only_missing=options.update_new, drop=drop)
        except BaselineError as error:
            return str(error)
        parts = [
            f"{len(keys)} {word}"
            for word in ("added", "replaced", "unchanged", "dropped")
            if (keys := getattr(update, word))
        ]
        self.closing += [Line(f"not recorded: {text}", "bad") for text in left_out]
        text = "recorded in" if update.written else "nothing to record in"
        self.closing.append(Line(f"{text} {options.baseline_name}: {', '.join(parts) or 'no entry'}", "note"))
        return None

    def _is_gone(self, key: Key, entries: Mapping[Key, Entry]) -> bool:
        """Whether an entry's file is gone; or the file is there and ran as a whole, and no longer makes the entry."""
        assert self.session.options.baseline is not None, "checked with the options"
        file = _file_of(key)
        if not (self.session.options.baseline.parent / file).exists():
            return True
        if not self._all_passed or file in map(self.session.key_of, self._skipped):
            return False
        return file in map(_file_of, entries) and key not in entries

    def _is_selective(self) -> bool:
        """Some of the tests in the collected files were left out."""
        config = self.session.config
        paths: list[str] = config.getoption("file_or_dir", None) or []
        selected = any(config.getoption(name, None) for name in SELECTIONS) or any("::" in path for path in paths)
        return selected or self.session.deselected

    def _is_whole(self) -> bool:
        """Nothing was selected: the run was meant to hold everything."""
        return not (self._is_selective() or self.session.config.getoption("file_or_dir", None))


def _unjudged(suite: str, system: str, told: _SuiteTold) -> SuiteReport:
    """The report of what was never evaluated: it failed, and says why."""
    verdicts = tuple(verdict for verdict in told.verdicts.values() if verdict.case is None)
    evaluation = Evaluation.of(
        suite,
        system,
        Settings(k=1),
        [parse_metric(name) for name in dict.fromkeys(verdict.metric for verdict in verdicts)],
        (),
        problem=next(iter(told.unjudged.values())),
    )
    return SuiteReport(evaluation=evaluation, verdicts=verdicts)


def _why_skipped(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return shorten(report.longrepr[2].removeprefix("Skipped: "), 200)
    # A fixture that calls pytest.xfail skips too.
    return shorten(getattr(report, "wasxfail", "").removeprefix("reason: "), 200)


def _file_of(key: Key) -> str:
    return key[0].partition("::")[0]


def _without_latency(evaluation: Evaluation) -> dict[str, Any]:
    def rest(mapping: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in mapping.items() if not key.startswith("latency_")}

    record = evaluation.to_record()
    cases = [
        {**rest(case), "scores": rest(case["scores"]), "repeats": [rest(scores) for scores in case["repeats"]]}
        for case in record["cases"]
    ]
    return {**record, "metrics": rest(record["metrics"]), "cases": cases}


def _unfit(evaluation: Evaluation, told: _SuiteTold) -> str | None:
    if told.conflict:
        return CONFLICT
    if evaluation.problem is not None:
        return evaluation.problem
    return f"{count(len(evaluation.errors), 'case')} raised" if evaluation.errors else None
