"""A suite and a retriever make an evaluation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall._text import count, listing
from pytest_recall.asking import Asker, Question, ask_here, ask_on, sentence_of
from pytest_recall.diagnosis import mismatch, near_misses
from pytest_recall.evaluation import CaseResult, Evaluation, score_case, score_raised
from pytest_recall.metrics import JudgedRanking
from pytest_recall.repeats import over_repeats, unsteady
from pytest_recall.retrieval import ResultReader, read_ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from pytest_recall.asking import Reply
    from pytest_recall.evaluation import Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.suites import Case, Suite

    Progress = Callable[[int], None]
    """Told how many queries are done, after each case."""

__all__ = ["Run", "RunReader", "evaluate", "result_of", "run_suite"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An evaluation, with the exceptions of the retriever by case id, their tracebacks whole."""

    evaluation: Evaluation
    exceptions: Mapping[str, Exception] = field(default_factory=dict)


def evaluate(
    suite: Suite, retriever: object, *, system: str = "retriever", executor: Executor | None = None
) -> Evaluation:
    """What `retriever` scores on `suite`; a case that raises is part of the result, and nothing is retried.

    Args:
        suite: what is asked, and how: its plan says what happens at once, and what is given up when.
        retriever: a callable, or an object with `search`, `invoke` or `retrieve`.
        system: what it is called.
        executor: where it is called, in chunks of queries; by default here.

    Raises:
        RetrievalError: `retriever` can't be called at all, or not on the executor.
    """
    return run_suite(suite, retriever, system=system, executor=executor).evaluation


def run_suite(
    suite: Suite,
    retriever: object,
    *,
    system: str,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Run:
    """As `evaluate`, with the exceptions too."""
    asker = Asker.of(retriever, suite.k, suite.policy, suite.plan.batch)
    repeat = suite.policy.repeat
    questions = [question for case in suite.cases for question in [Question(case.query, case.args)] * repeat]
    asked = (
        ask_here(asker, questions, suite.plan) if executor is None else ask_on(executor, asker, questions, suite.plan)
    )
    reader = RunReader(suite)
    with closing(asked) as replies:
        of_cases = zip(*[replies] * repeat, strict=True)
        for number, (case, of_case) in enumerate(zip(suite.cases, of_cases, strict=True), 1):
            reader.add(case, of_case)
            if progress is not None:
                progress(number * repeat)
    return reader.run(system)


class RunReader:
    """Reads the replies to one suite, in file order, so that what finished first changes nothing."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._reader = ResultReader()
        self._results: list[CaseResult] = []
        self._exceptions: dict[str, Exception] = {}

    def add(self, case: Case, replies: Sequence[Reply]) -> None:
        """The replies to all repeats of the next case."""
        self._results.append(over_repeats([self._result(case, reply) for reply in replies]))

    def _result(self, case: Case, reply: Reply) -> CaseResult:
        suite, error = self._suite, reply.error
        if error is None:
            try:
                ranking = read_ranking(self._reader.hits(reply.returned), suite.k, suite.policy)
                return result_of(case, suite.scored, suite.policy, ranking=ranking, latency_ms=reply.latency_ms)
            except Exception as raised:  # noqa: BLE001  # what came back is the user's code too
                error = raised
        self._exceptions.setdefault(case.id, error)
        # Only of a query that was given up is it known how long it took at least.
        latency_ms = None if reply.error is None else reply.latency_ms
        return result_of(case, suite.scored, suite.policy, error=sentence_of(error), latency_ms=latency_ms)

    def run(self, system: str) -> Run:
        """All of it, once every case was added."""
        suite, results = self._suite, self._results
        evaluation = Evaluation.of(
            suite.name,
            system,
            suite.settings,
            suite.scored,
            results,
            problem=mismatch(results, [memory.id for memory in suite.memories]),
            notes=(
                *suite.notes,
                *self._reader.notes,
                *_timed_out(results),
                *unsteady(results),
                *near_misses(results),
                *_short_windows(suite),
            ),
        )
        return Run(evaluation=evaluation, exceptions=self._exceptions)


def result_of(
    case: Case,
    metrics: Sequence[Metric],
    policy: Policy,
    *,
    ranking: tuple[str, ...] = (),
    latency_ms: float | None = None,
    error: str | None = None,
) -> CaseResult:
    """A case with its scores; of one that raised, each metric that it would have defined is None."""
    judgments = policy.judgments(case.relevant, case.stale)
    if error is None:
        scores = score_case(metrics, JudgedRanking(judgments, ranking), policy.undefined, latency_ms)
    else:
        scores = dict(score_raised(metrics, judgments, policy.undefined))
    return CaseResult(
        id=case.id,
        query=case.query,
        args=case.args,
        fingerprint=case.fingerprint,
        tags=case.tags,
        kind=case.kind,
        family=case.family,
        relevant=case.relevant,
        stale=case.stale,
        ranking=ranking,
        scores=scores,
        latency_ms=latency_ms,
        error=error,
        line=case.line,
    )


def _timed_out(cases: Sequence[CaseResult]) -> Iterator[str]:
    late = [case for case in cases if case.error is not None and case.latency_ms is not None]
    if late:
        limit_s = (late[0].latency_ms or 0) / 1000
        yield f"{count(len(late), 'case')} timed out, so the latency is ≥ {limit_s:g} s: {listing(c.id for c in late)}"


def _short_windows(suite: Suite) -> Iterator[str]:
    if not any(metric.name == "r_precision" for metric in suite.scored):
        return
    larger = [case.id for case in suite.cases if len(suite.policy.judgments(case.relevant).relevant) > suite.k]
    if larger:
        yield f"r_precision of {larger[0]!r:.80} looks further than k = {suite.k}, for it has more relevant memories"
