"""Rankings that a test collects itself, under the same metrics and gates as a suite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from pytest_recall.asked import Asked as AskedCase
from pytest_recall.asked import Run, results_of
from pytest_recall.asking import sentence_of
from pytest_recall.bounds import Gate, Threshold
from pytest_recall.diagnosis import mismatch, near_misses
from pytest_recall.errors import NoRankingError, RecallError, RetrievalError
from pytest_recall.evaluation import Evaluation, Policy, Settings
from pytest_recall.marks import DEFAULT_K, Asked
from pytest_recall.metrics import default_metrics, parse_metric
from pytest_recall.recorded_case import read_answer, read_case
from pytest_recall.retrieval import Reader
from pytest_recall.suites import Case, Suite, load_suite

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_recall.bounds import Tolerance
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import Adapt, Reading

    Ask = Callable[[Suite, str, object, object], Run]
    """Runs a suite: for a system, with its retriever and its answerer."""

    AskAsync = Callable[[Suite, str, object, object], Awaitable[Run]]
    """The same on the running event loop."""

__all__ = ["Recall", "TestIdentity"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestIdentity:
    """Where a test's entry stands in a baseline, and where the files it names are looked for.

    Attributes:
        key: its node id without parameters.
        system: its parameter id, or ``default``.
        folder: of the test module.
        root: what names of suites are relative to.
    """

    __test__ = False

    key: str
    system: str
    folder: Path
    root: Path


def _remembered(method: Callable[Concatenate[Recall, P], None]) -> Callable[Concatenate[Recall, P], None]:
    """A call that keeps why it was refused, whatever for: its error may be caught, or stay in a thread."""

    @wraps(method)
    def call(self: Recall, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except BaseException as error:
            query = args[0] if args else kwargs.get("query")
            self.refusal = self.refusal or _refusal(query, error)
            raise

    return call


class Recall:
    """The fixture `recall`: takes the rankings of a test, or evaluates the suite that its mark names.

    What is recorded is judged by the bounds of ``@pytest.mark.recall`` when the test has ended. A call that is refused
    fails the test, even where its error is caught, for a gate needs every case; so it does where no mark judges it.
    Threads may share the fixture.

    Attributes:
        refusal: why the first of the calls that were refused was, None where none was.

    >>> import pytest
    >>> @pytest.mark.recall(min_mrr=0.8)
    ... def test_search(recall):
    ...     recall("when does the lease end?", ["lease-2"], ["lease-2", "rent-1"])
    """

    def __init__(
        self,
        asked: Asked,
        identity: TestIdentity,
        ask: Ask,
        ask_async: AskAsync,
        *,
        suite: Suite | None = None,
        retriever: object = None,
        answerer: object = None,
        adapt: Adapt | None = None,
    ) -> None:
        if suite is not None:
            _check(suite, asked)
        self._asked, self._identity, self._suite = asked, identity, suite
        self._retriever, self._answerer = retriever, answerer
        self._ask, self._ask_async = ask, ask_async
        self._k = asked.k or max([DEFAULT_K, *(metric.cutoff or 0 for metric in asked.metrics)])
        self._policy = Policy(undefined=asked.undefined or "exclude", duplicates=asked.duplicates or "error")
        self._reader = Reader(self._k, self._policy, adapt=adapt)
        self._cases: dict[str, AskedCase] = {}
        self._run: Run | None = None
        # Of the reader too, which learns from one ranking how to read the next.
        self._lock = RLock()
        self._ended = False
        self.refusal: str | None = None

    @_remembered
    def __call__(
        self,
        query: str,
        relevant: Collection[str] | Mapping[str, float] | None,
        ranking: object,
        *,
        id: str | None = None,  # the word of the suites
        stale: Iterable[str] = (),
        answers: Collection[str] = (),
        answer: str | None = None,
        tags: Sequence[str] = (),
    ) -> None:
        """Record what came back for a query.

        Args:
            query: the query; also the id of the case, unless `id` is given.
            relevant: the ids that answer it, or id → grade; empty where nothing should come back, None where `answers`
                alone are to be judged.
            ranking: anything a retriever may return, best first; the first k count.
            id: must be given where one query is asked twice.
            stale: ids that must not come back.
            answers: texts that would do as an answer.
            answer: the text that was answered; by default the one that came with the ranking.
            tags: groups for bounds such as ``thresholds={"recall@5:legal": 0.9}``.

        Raises:
            RecallError: the judgments, the ranking or the answer are none, the id is recorded already, or the test was
                judged.
        """
        if not self._asked.marked:
            raise RecallError("nothing judges what is recorded here: put @pytest.mark.recall on the test")
        with self._lock:
            if self._ended:
                raise RecallError(
                    "the test was judged when its body ended: call recall(query, relevant, ranking) in the body"
                )
            self._check_new(query if id is None else id)
            case = read_case(query, relevant, id=id, stale=stale, answers=answers, tags=tags)
            self._cases[case.id] = AskedCase(case=case, reading=self._read(case, ranking, answer))

    def _check_new(self, id: object) -> None:
        if self._suite is not None:
            raise RecallError(
                f"the mark evaluates {self._asked.file!r}: a test records rankings or names a suite, not both"
            )
        if isinstance(id, str) and id in self._cases:
            raise RecallError(f"{id!r:.80} is recorded already; give each case an id of its own with id=")

    def _read(self, case: Case, ranking: object, answer: object) -> Reading:
        try:
            reading = self._reader.read(ranking, case.query)
        except NoRankingError as error:
            # A test may have it from anywhere.
            raise RetrievalError(f"the ranking is {error.what}") from None
        if answer is not None:
            reading = reading._replace(answer=read_answer(answer))
        if case.answers and reading.answer is None:
            raise RecallError(f"{case.id!r:.80}: no answer came back; give it with answer=")
        return reading

    def end(self) -> None:
        """Take no more rankings, for the test is judged now."""
        with self._lock:
            self._ended = True

    def evaluate(
        self, suite: str | os.PathLike[str], retriever: object = None, *, answerer: object = None
    ) -> Evaluation:
        """What a retriever scores on a suite, without any gate.

        Args:
            suite: path of the file, relative to the test module.
            retriever: anything that a fixture `retriever` may be, or for a suite with labels a fixture `classifier`;
                not asked where an answerer is given and no case says what should come back.
            answerer: anything that a fixture `answerer` may be.

        Raises:
            SuiteError: the file has mistakes.
            RetrievalError: `retriever` or `answerer` can't be called.
        """
        loaded = self._load(suite)
        return self._ask(loaded, loaded.role, retriever, answerer).evaluation

    async def evaluate_async(
        self, suite: str | os.PathLike[str], retriever: object = None, *, answerer: object = None
    ) -> Evaluation:
        """As `evaluate`, in an asynchronous test: what may be asynchronous is asked on the test's loop."""
        loaded = self._load(suite)
        return (await self._ask_async(loaded, loaded.role, retriever, answerer)).evaluation

    def _load(self, suite: str | os.PathLike[str]) -> Suite:
        return load_suite(self._identity.folder / suite, root=self._identity.root)

    @property
    def suite(self) -> Suite:
        """The suite that the mark names.

        Raises:
            RecallError: it names none.
        """
        if self._suite is None:
            raise RecallError("the mark names no suite; write @pytest.mark.recall('FILE.eval.yaml')")
        return self._suite

    @property
    def max_drop(self) -> Tolerance | None:
        """The suite's tolerance; the mark's own stands in its thresholds."""
        return None if self._suite is None else self._suite.max_drop

    @property
    def alpha(self) -> float | None:
        """The mark's level, else the suite's."""
        return self._asked.alpha or (None if self._suite is None else self._suite.alpha)

    @property
    def recorded(self) -> bool:
        """There is something to judge."""
        return self._suite is not None or bool(self._cases)

    @property
    def evaluation(self) -> Evaluation:
        """What was recorded so far, or what the marked suite's retriever scores; a suite is evaluated once."""
        return self.run.evaluation

    @property
    def run(self) -> Run:
        """As `evaluation`, with the exceptions of the retriever."""
        if self._suite is None:
            return self._of_cases()
        if self._run is None:
            self._run = self._of_suite(self._suite)
        return self._run

    def gates(self) -> tuple[Gate, ...]:
        """What the test is held to: its mark, and whatever else the suite that it names asks for.

        One gate a metric and one a bounded tag, then the cases with bounds of their own, as a suite would have them.
        """
        bounded = {(each.metric, each.tag): each for each in (*self._of_the_suite(), *self._asked.thresholds)}
        thresholds = []
        for metric in dict.fromkeys((*self._asked.metrics, *self._reported())):
            own = bounded.get((str(metric), None), Threshold(metric=str(metric)))
            of_tags = [each for (name, tag), each in bounded.items() if name == str(metric) and tag is not None]
            thresholds += [self._asked.tolerant(each, metric) for each in (own, *of_tags)]
        gates = [Gate(name=str(threshold), thresholds=(threshold,)) for threshold in thresholds]
        return (*gates, *self._of_single_cases())

    def _reported(self) -> tuple[Metric, ...]:
        if self._suite is not None:
            return self._suite.metrics
        computed = (parse_metric(name) for name in self.evaluation.metrics)
        return tuple(metric for metric in computed if metric.recorded)

    def _of_the_suite(self) -> list[Threshold]:
        """The suite's own thresholds; their line is in another file than the test's."""
        gates = () if self._suite is None else self._suite.gates
        over_cases = [threshold for gate in gates if gate.case is None for threshold in gate.thresholds]
        return [replace(threshold, line=None) for threshold in over_cases if threshold.bounds.given]

    def _of_single_cases(self) -> list[Gate]:
        gates = () if self._suite is None else self._suite.gates
        return [
            replace(gate, thresholds=tuple(replace(threshold, line=None) for threshold in gate.thresholds))
            for gate in gates
            if gate.case is not None
        ]

    def _of_suite(self, suite: Suite) -> Run:
        asked = self._asked
        policy = replace(
            suite.policy,
            undefined=asked.undefined or suite.policy.undefined,
            duplicates=asked.duplicates or suite.policy.duplicates,
        )
        k = asked.k or max([suite.k, *(metric.cutoff or 0 for metric in asked.metrics)])
        of_rankings = [metric for metric in suite.scored if metric.family != "diagnostic"]
        judged = () if suite.labels or not suite.ranked else (parse_metric(f"judged@{k}"),)
        scored = dict.fromkeys((*asked.metrics, *of_rankings, *judged))
        asking = replace(suite, k=k, policy=policy, scored=tuple(scored))
        run = self._ask(asking, self._identity.system, self._retriever, self._answerer)
        return replace(run, evaluation=replace(run.evaluation, suite=self._identity.key))

    def _of_cases(self) -> Run:
        cases = [asked.case for asked in self._cases.values()]
        judgments = [self._policy.judgments(case.relevant, case.stale, answers=case.answers) for case in cases]
        defaults = [metric for metric in default_metrics(self._k) if any(map(metric.defines, judgments))]
        share = [parse_metric(f"judged@{self._k}")] if any(each.ranked for each in judgments) else []
        metrics = tuple(dict.fromkeys((*self._asked.metrics, *defaults, *share)))
        results, exceptions = results_of([*self._cases.values()], metrics, self._policy)
        evaluation = Evaluation.of(
            self._identity.key,
            self._identity.system,
            Settings(k=self._k, policy=self._policy),
            metrics,
            results,
            problem=mismatch(results, ()),
            notes=(*self._reader.notes, *near_misses(results)),
        )
        return Run(evaluation=evaluation, exceptions=exceptions)


def _check(suite: Suite, asked: Asked) -> None:
    """Refuse a suite that the mark can't evaluate.

    Raises:
        RecallError: it is asynchronous, or names a cutoff above the mark's k.
    """
    if suite.loop_scope is not None:
        raise RecallError(
            f"{suite.name} is asynchronous, and a mark evaluates outside of the event loop: "
            f"leave the suite to its own tests, or write await recall.evaluate_async({asked.file!r}, retriever)"
        )
    if suite.labels:
        _check_for_classifier(suite, asked)
    elif asked.k is not None:
        _check_cutoffs(suite, asked.k)


def _check_for_classifier(suite: Suite, asked: Asked) -> None:
    given = [name for name in ("k", "undefined", "duplicates") if getattr(asked, name) is not None]
    given += [str(metric) for metric in asked.metrics if metric.family not in ("label", "latency")]
    if given:
        raise RecallError(f"{given[0]} is for retrievers, and {suite.name} has labels")


def _check_cutoffs(suite: Suite, k: int) -> None:
    over = [metric for metric in suite.scored if metric.family != "diagnostic" and (metric.cutoff or 0) > k]
    if over:
        raise RecallError(f"k={k} is below the cutoff of {over[0]}, which {suite.name} asks for")


def _refusal(query: Any, error: BaseException) -> str:
    """Why a call was refused, told when the test is judged."""
    called = f"{query!r:.80}" if isinstance(query, str) else "…"
    return f"recall({called}, …) was refused, and a gate needs every case: {sentence_of(error)}"
