"""The state of one run: what was evaluated, what it is compared with, and what the workers told."""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall._text import printable
from pytest_recall.answering import question_count
from pytest_recall.baseline import Baseline, read_baseline, suite_key
from pytest_recall.errors import BaselineError
from pytest_recall.gates import Reference, Tolerances, Verdict
from pytest_recall.pairing import Pairing
from pytest_recall.plugin.adapting import adapt_of
from pytest_recall.plugin.hearing import hearing_conftests
from pytest_recall.plugin.identity import first_line, is_marked, name_of, system_of
from pytest_recall.plugin.options import Options, add_metrics, is_worker, refusal
from pytest_recall.plugin.progress import shown_progress
from pytest_recall.plugin.telling import Told
from pytest_recall.running import run_suite, run_suite_async
from pytest_recall.suites import load_suite

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Hashable, Iterator
    from concurrent.futures import Executor
    from pathlib import Path

    from pytest_recall.asked import Run
    from pytest_recall.bounds import Tolerance
    from pytest_recall.evaluation import CaseId, Evaluation
    from pytest_recall.suites import Suite

__all__ = ["COLLECTED", "DESELECTED", "HEARING", "EvalSession"]

COLLECTED, DESELECTED, HEARING = "recall_collected", "recall_deselected", "recall_hearing"
"""Under which a worker tells pytest-xdist's controller `EvalSession.collected`, `EvalSession.deselected`, and
`hearing_conftests`."""

_KEY = pytest.StashKey["EvalSession"]()
_TOLD = pytest.StashKey[Told]()


@dataclass(slots=True)
class _Held:
    """A run, the items that were judged by it, whether it was told, and the cases whose tracebacks were shown."""

    run: Run
    asked: set[str] = field(default_factory=set)
    told: bool = False
    shown: set[CaseId] = field(default_factory=set)


@dataclass(slots=True)
class _Refused:
    """What ended a run, and the items that were told."""

    outcome: BaseException | None = None
    items: set[str] = field(default_factory=set)


class EvalSession:
    """One a process, registered as a plugin with the first suite (and at once where a baseline has to be used).

    A worker judges and tells; the controller, or the only process, collects, sums up and writes.

    Attributes:
        collected: some suite or marked test was collected, here or by a worker, whether it then ran or not.
        deselected: some test was left out, by an option or by a plugin.
    """

    @classmethod
    def of(cls, config: pytest.Config) -> EvalSession:
        """The run's own session, made when first asked for."""
        if _KEY not in config.stash:
            config.stash[_KEY] = session = cls(config)
            config.pluginmanager.register(session, "recall-session")
            if not is_worker(config):
                from pytest_recall.plugin.controller import Controller  # noqa: PLC0415

                config.pluginmanager.register(Controller(session), "recall-controller")
        return config.stash[_KEY]

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        add_metrics(config)
        self.options: Options = Options(config)
        self.collected: bool = False
        self.deselected: bool = False
        self.baseline_problem: str | None = None
        self.baseline: Baseline | None = self._read()
        self._refused: dict[tuple[str, str], _Refused] = {}
        self._held: dict[tuple[str, str], _Held] = {}
        self._suites: dict[Path, Suite] = {}
        self._referred: tuple[Evaluation, Reference | None] | None = None
        self._said: set[Hashable] = set()
        self._process = os.getpid()
        self._worker: str = getattr(config, "workerinput", {}).get("workerid", "")

    def _read(self) -> Baseline | None:
        """The baseline; what is wrong with one from the command line stops the run, with one from ini each gate."""
        path = self.options.baseline
        if path is None:
            return None
        try:
            # A name that is too long is an error for Path.
            if not os.path.exists(path):  # noqa: PTH110
                return self._without(path)
            return read_baseline(path)
        except BaselineError as error:
            if self.options.required or self.options.updating:
                raise refusal(str(error)) from None
            self.baseline_problem = str(error)
            return None

    def _without(self, path: Path) -> Baseline:
        """An empty baseline to start from, where one is to be written.

        Raises:
            BaselineError: it is to be read, or could not be written.
        """
        name = self.options.baseline_name
        folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
        if not os.path.isdir(folder):  # noqa: PTH112
            shown = str(path.parent) if not path.parent.is_dir() else folder
            raise BaselineError(f"{name}: the folder {shown!r} does not exist; make it first")
        if not self.options.updating:
            raise BaselineError(f"{name}: no such baseline; record it: {self._command('--eval-update')}")
        return Baseline()

    def _command(self, flag: str, suite: str = "") -> str:
        return shlex.join(
            part for part in ("pytest", suite, f"--eval-baseline={self.options.baseline_name}", flag) if part
        )

    def once(self, what: Hashable) -> bool:
        """True the first time it is asked about something."""
        new = what not in self._said
        self._said.add(what)
        return new

    def run(self, item: pytest.Item, suite: str, system: str, ask: Callable[[], Run]) -> Run:
        """The one run of a suite and system in this process; an item that comes a second time gets a new one."""
        __tracebackhide__ = True
        held = self.held(item, suite, system)
        if held is not None:
            return held
        with self._refusing(item, suite, system):
            return self._hold(item, ask())

    async def run_async(self, item: pytest.Item, suite: str, system: str, ask: Callable[[], Awaitable[Run]]) -> Run:
        """As `run`, on the running event loop; the first item asks for all, however long its loop lives."""
        __tracebackhide__ = True
        held = self.held(item, suite, system)
        if held is not None:
            return held
        with self._refusing(item, suite, system):
            return self._hold(item, await ask())

    def held(self, item: pytest.Item, suite: str, system: str) -> Run | None:
        """The run by which an item is to be judged, where another item has asked for it already."""
        held = self._held.get((suite, system))
        if held is None or item.nodeid in held.asked:
            return None
        held.asked.add(item.nodeid)
        return held.run

    @contextmanager
    def _refusing(self, item: pytest.Item, suite: str, system: str) -> Iterator[None]:
        """What ends a run before it has an evaluation, ends it for the suite's other items too, without a new one."""
        refused = self._refused.setdefault((suite, system), _Refused())
        if refused.outcome is not None and item.nodeid not in refused.items:
            refused.items.add(item.nodeid)
            raise refused.outcome
        try:
            yield
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as outcome:
            refused.outcome = outcome
            refused.items = {item.nodeid}
            raise

    def _hold(self, item: pytest.Item, run: Run) -> Run:
        self._held[run.evaluation.suite, run.evaluation.system] = _Held(run, asked={item.nodeid})
        return run

    def ask(
        self,
        suite: Suite,
        system: str,
        retriever: object,
        item: pytest.Item,
        *,
        answerer: object,
        executor: Executor | None,
    ) -> Run:
        """A new run, as the options and the suite want its queries asked."""
        __tracebackhide__ = True
        suite = self._planned(suite)
        with shown_progress(self.config, question_count(suite, answerer)) as progress:
            return run_suite(
                suite,
                retriever,
                system=system,
                answerer=answerer,
                adapt=adapt_of(item),
                executor=executor,
                progress=progress,
            )

    async def ask_async(
        self, suite: Suite, system: str, retriever: object, item: pytest.Item, *, answerer: object
    ) -> Run:
        """As `ask`, on the running event loop."""
        __tracebackhide__ = True
        suite = self._planned(suite)
        with shown_progress(self.config, question_count(suite, answerer)) as progress:
            return await run_suite_async(
                suite, retriever, system=system, answerer=answerer, adapt=adapt_of(item), progress=progress
            )

    def _planned(self, suite: Suite) -> Suite:
        return suite.planned(self.options.plan.over(suite.plan).over(self.options.ini_plan))

    def key(self, evaluation: Evaluation) -> tuple[str, str]:
        """Where an evaluation stands in the baseline."""
        return self.key_of(evaluation.suite), evaluation.system

    def key_of(self, suite: str) -> str:
        """The name of a suite (or of any file of tests) as the baseline has it."""
        assert self.options.baseline is not None, "asked only with a baseline"
        return suite_key(suite, self.config.rootpath, self.options.baseline.parent)

    def reference(self, evaluation: Evaluation) -> Reference | None:
        """What an evaluation is judged against; None when it is being recorded, or there is no baseline."""
        # Made once for all items of a suite: it pairs every case with its record.
        if self._referred is None or self._referred[0] is not evaluation:
            self._referred = evaluation, self._reference(evaluation)
        return self._referred[1]

    def _reference(self, evaluation: Evaluation) -> Reference | None:
        name, suite = self.options.baseline_name, evaluation.suite
        if self.baseline_problem is not None:
            return Reference(name=name, pairing=None, problem=self.baseline_problem)
        if self.baseline is None or self.options.update:
            return None
        entry = self.baseline.entries.get(self.key(evaluation))
        if entry is None and self.options.update_new:
            return None
        return Reference(
            name=name,
            pairing=None if entry is None else Pairing(evaluation, entry),
            add=self._command("--eval-update-new", suite),
            record=self._command("--eval-update", suite),
        )

    def is_recorded(self, evaluation: Evaluation) -> bool:
        """Whether the baseline has an entry for an evaluation, whatever becomes of it in this run."""
        return self.baseline is not None and self.key(evaluation) in self.baseline.entries

    def tolerances(self, *, max_drop: Tolerance | None = None, alpha: float | None = None) -> Tolerances:
        """What may get worse, with the word of the suite or the mark."""
        options = self.options
        return Tolerances(
            option=options.max_drop,
            suite=max_drop,
            ini=options.ini_max_drop,
            option_alpha=options.alpha,
            suite_alpha=alpha,
            ini_alpha=options.ini_alpha,
        )

    def suite(self, path: Path) -> Suite:
        """A suite that tests of a module share, read once."""
        if path not in self._suites:
            self._suites[path] = load_suite(path, root=self.config.rootpath)
        return self._suites[path]

    def untold(self, run: Run) -> bool:
        """True the first time it is asked about a run: an evaluation travels once."""
        held = self._held[run.evaluation.suite, run.evaluation.system]
        told, held.told = held.told, True
        return not told

    def unshown(self, run: Run, case_id: CaseId) -> bool:
        """True the first time it is asked about a case that raised in a suite's run: its traceback is shown once."""
        held = self._held.get((run.evaluation.suite, run.evaluation.system))
        if held is None or held.run is not run:
            return True
        new = case_id not in held.shown
        held.shown.add(case_id)
        return new

    def record(self, item: pytest.Item, evaluation: Evaluation, verdicts: tuple[Verdict, ...], *, tell: bool) -> None:
        """Keep what an item found for its report, with the evaluation itself where it is to be told."""
        item.stash[_TOLD] = Told(
            suite=evaluation.suite,
            system=evaluation.system,
            verdicts=verdicts,
            evaluation=evaluation if tell else None,
            worker=self._worker,
        )
        others = [(name, value) for name, value in item.user_properties if not name.startswith("eval.")]
        # pytest escapes the values in JUnit files, and not the names.
        scores = [
            (f"eval.{printable(verdict.name)}", verdict.value) for verdict in verdicts if verdict.value is not None
        ]
        item.user_properties[:] = [*others, *scores]

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        if item.get_closest_marker("recall") is not None:
            self.collected = True
        file: Any = item.parent
        if isinstance(item, pytest.Function) and hasattr(file, "keywords_of"):
            item.extra_keyword_matches.update(file.keywords_of(file.gates[item.originalname]))

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        """Run an asynchronous item that no plugin with a loop has run, where its file can do without one."""
        alone: Callable[[Any], None] | None = getattr(pyfuncitem.parent, "run_alone", None)
        if alone is None or not iscoroutinefunction(pyfuncitem.obj):
            return None
        arguments = signature(pyfuncitem.obj).parameters
        alone(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in arguments}))
        return True

    def pytest_deselected(self) -> None:
        self.deselected = True

    def pytest_sessionfinish(self) -> None:
        if is_worker(self.config):
            worker: Any = self.config
            told = {COLLECTED: self.collected, DESELECTED: self.deselected, HEARING: [*hearing_conftests(self.config)]}
            worker.workeroutput.update(told)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "call" and _TOLD in item.stash:
            self._tell(report, item.stash[_TOLD])
            del item.stash[_TOLD]
        self._explain(item, call, report)
        if report.failed and call.when != "teardown" and not hasattr(report, "recall"):
            self._tell_unjudged(item, report)
        return report

    def _tell(self, report: pytest.TestReport, told: Told) -> None:
        # Items can run in processes that are no workers: pytest-forked makes one for each.
        here = not self._worker and os.getpid() == self._process
        report.recall = told if here else told.to_text()  # type: ignore[attr-defined]

    def _tell_unjudged(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """What failed before it was judged is told too, or a report of the run would pass without it."""
        file: Any = item.parent
        reason, verdicts = first_line(report), list[Verdict]()
        if not isinstance(item, pytest.Function):
            return
        if hasattr(file, "gates"):
            suite, system, gate = file.shown, system_of(item, file.fixture_name), file.gates[item.originalname]
            verdicts += [Verdict.failed_at(threshold, gate.case, reason) for threshold in gate.thresholds]
        elif is_marked(item):
            suite, system = name_of(item)
        else:
            return
        self._tell(
            report,
            Told(suite=suite, system=system, verdicts=tuple(verdicts), unjudged=reason, worker=self._worker),
        )

    def _explain(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Say in our words that what is judged is no fixture; pytest would print the suite as if it were code."""
        error = call.excinfo and call.excinfo.value
        file: Any = item.parent
        name: str | None = getattr(file, "fixture_name", None)
        if name is not None and isinstance(error, pytest.FixtureLookupError) and error.argname == name:
            told = "see the first failure of this suite"
            if self.once(("no fixture", item.parent)):
                told = file.how_to(name)
            report.longrepr = f"no fixture {name!r} for {file.shown}: {told}"
