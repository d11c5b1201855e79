"""A suite and a retriever make an evaluation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_recall._text import count, listing
from pytest_recall.answering import answer_in, answering_of, as_answerer, asks_retriever, question_count, role_in
from pytest_recall.asking import Asker, Question, ask_here, ask_on, sentence_of
from pytest_recall.case_scores import CaseScores, score_raised
from pytest_recall.diagnosis import mismatch, near_misses, unlabelled
from pytest_recall.drafts import fast
from pytest_recall.errors import AsynchronousError, DegradedError, RecallError, RetrievalError
from pytest_recall.evaluation import CaseResult, Evaluation
from pytest_recall.metrics import JudgedRanking
from pytest_recall.repeats import over_repeats, unsteady
from pytest_recall.retrieval import NO_ANSWER, LabelReader, Reader, Reading
from pytest_recall.suites import Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from pytest_recall.asking import Plan, Reply
    from pytest_recall.evaluation import CaseId, Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import Adapt
    from pytest_recall.suites import Case

    Progress = Callable[[int], None]
    """Told how many queries are done, after each case."""

__all__ = [
    "Asked",
    "Run",
    "RunReader",
    "evaluate",
    "evaluate_async",
    "needs_no_loop",
    "results_of",
    "run_suite",
    "run_suite_async",
]

# A failing test shows the user's own lines.
__tracebackhide__ = True

# There is one for each query, of many fields.
_CaseResult = fast(CaseResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An evaluation, with the exceptions of the retriever by case id, their tracebacks whole."""

    evaluation: Evaluation
    exceptions: Mapping[CaseId, Exception] = field(default_factory=dict)


class Asked(NamedTuple):
    """What became of one question.

    Attributes:
        case: whose it is.
        reading: what came back; no ranking where there was none.
        latency_ms: milliseconds of the user's call, None where it was not measured; with an `error` the call was given
            up then.
        error: what was raised instead.
    """

    case: Case
    reading: Reading = Reading()
    latency_ms: float | None = None
    error: Exception | None = None


def evaluate(
    suite: Suite,
    retriever: object = None,
    *,
    answerer: object = None,
    system: str | None = None,
    adapt: Adapt | None = None,
    executor: Executor | None = None,
) -> Evaluation:
    """What `retriever` scores on `suite`; a case that raises is part of the result, and nothing is retried.

    Args:
        suite: what is asked, and how: its plan says what happens at once, and what is given up when.
        retriever: a callable, or an object with `search`, `invoke` or `retrieve`; for a suite with labels a classifier,
            a callable or an object with `classify` or `invoke`. Not asked where an answerer is given and no case says
            what should come back.
        answerer: a callable, or an object with `answer` or `invoke`, asked for the text that cases with `answers`
            judge; None where it comes with the retriever's results.
        system: what it is called, by default ``retriever``, ``classifier``, or ``answerer`` where that alone is asked.
        adapt: asked first, with what came back and the query; gives what a retriever may return, or None.
        executor: where it is called, in chunks of queries; by default here.

    Raises:
        RetrievalError: `retriever` or `answerer` can't be called at all, or not on the executor, or is asynchronous.

    >>> from pytest_recall import load_suite
    >>> from pathlib import Path
    >>> text = "{metrics: [mrr], cases: [{id: lease, query: when does the lease end?, relevant: [lease-2]}]}"
    >>> _ = Path("notes.eval.yaml").write_text(text, encoding="utf-8")
    >>> evaluate(load_suite("notes.eval.yaml"), lambda query, k: ["rent-1", "lease-2"])["mrr"]
    0.5
    """
    _check(suite)
    named = system or role_in(suite, answerer)
    run = run_suite(suite, retriever, answerer=answerer, system=named, adapt=adapt, executor=executor)
    return needs_no_loop(run, "await evaluate_async(suite, …)")


def _check(suite: object) -> None:
    if not isinstance(suite, Suite):
        kind = type(suite).__name__
        raise RecallError(f"what is evaluated is a suite, as load_suite reads one, and this is a {kind}")


def needs_no_loop(run: Run, instead: str) -> Evaluation:
    """The evaluation of a run without an event loop.

    Raises:
        RetrievalError: it needed one, which `instead` has.
    """
    for error in run.exceptions.values():
        if isinstance(error, AsynchronousError):
            raise RetrievalError(f"the {error.noun} is asynchronous, so call `{instead}`")
    return run.evaluation


def run_suite(
    suite: Suite,
    retriever: object,
    *,
    system: str,
    answerer: object = None,
    adapt: Adapt | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Run:
    """As `evaluate`, with the exceptions too."""

    def ask(asker: Asker, questions: Sequence[Question], plan: Plan) -> Generator[Reply, None, None]:
        return ask_here(asker, questions, plan) if executor is None else ask_on(executor, asker, questions, plan)

    reader, repeat = RunReader(suite, adapt), suite.policy.repeat
    answering = answering_of(suite, answerer)
    if asks_retriever(suite, answerer):
        with closing(ask(_asker(suite, retriever), _questions(suite), suite.plan)) as replies:
            of_cases = zip(*[replies] * repeat, strict=True)
            for number, (case, of_case) in enumerate(zip(suite.cases, of_cases, strict=True), 1):
                reader.add(case, of_case)
                if progress is not None:
                    progress(number * repeat)
    else:
        reader.skip()
    if answering is not None and (questions := reader.unanswered()):
        before = question_count(suite, answerer) - len(questions)
        with as_answerer(), closing(ask(answering, questions, replace(suite.plan, batch=None))) as replies:
            for number, reply in enumerate(replies, 1):
                reader.add_answer(reply)
                if progress is not None:
                    progress(before + number)
    return reader.run(system)


async def evaluate_async(
    suite: Suite,
    retriever: object = None,
    *,
    answerer: object = None,
    system: str | None = None,
    adapt: Adapt | None = None,
) -> Evaluation:
    """As `evaluate`, on the running event loop: what is asked may be asynchronous, whatever the suite says.

    Raises:
        RetrievalError: `retriever` or `answerer` can't be called at all.

    >>> import asyncio
    >>> from pytest_recall import load_suite
    >>> from pathlib import Path
    >>> text = "{metrics: [mrr], cases: [{id: lease, query: when does the lease end?, relevant: [lease-2]}]}"
    >>> _ = Path("notes.eval.yaml").write_text(text, encoding="utf-8")
    >>> async def search(query, k):
    ...     return ["lease-2"]
    >>> asyncio.run(evaluate_async(load_suite("notes.eval.yaml"), search))["mrr"]
    1.0
    """
    _check(suite)
    named = system or role_in(suite, answerer)
    return (await run_suite_async(suite, retriever, answerer=answerer, system=named, adapt=adapt)).evaluation


async def run_suite_async(
    suite: Suite,
    retriever: object,
    *,
    system: str,
    answerer: object = None,
    adapt: Adapt | None = None,
    progress: Progress | None = None,
) -> Run:
    """As `evaluate_async`, with the exceptions too."""
    from pytest_recall.asking.tasks import ask_in_tasks  # noqa: PLC0415  # asyncio is loaded where it is used

    reader, repeat = RunReader(suite, adapt), suite.policy.repeat
    answering = answering_of(suite, answerer)
    if asks_retriever(suite, answerer):
        replies = await ask_in_tasks(_asker(suite, retriever), _questions(suite), suite.plan, progress)
        for case, of_case in zip(suite.cases, zip(*[iter(replies)] * repeat, strict=True), strict=True):
            reader.add(case, of_case)
    else:
        reader.skip()
    if answering is not None and (questions := reader.unanswered()):
        before = question_count(suite, answerer) - len(questions)
        told = None if progress is None else lambda number: progress(before + number)
        for reply in await ask_in_tasks(answering, questions, replace(suite.plan, batch=None), told):
            reader.add_answer(reply)
    return reader.run(system)


def _asker(suite: Suite, retriever: object) -> Asker:
    if suite.labels:
        return Asker.of_classifier(retriever, suite.policy)
    return Asker.of(retriever, suite.k, suite.policy, suite.plan.batch)


def _questions(suite: Suite) -> list[Question]:
    """Each query as often as it is asked, its repeats one after the other."""
    repeat = suite.policy.repeat
    return [question for case in suite.cases for question in [Question(case.query, case.args)] * repeat]


class RunReader:
    """Reads the replies to one suite, in file order, so that what finished first changes nothing."""

    def __init__(self, suite: Suite, adapt: Adapt | None = None) -> None:
        self._suite = suite
        self._reader: LabelReader | Reader = (
            LabelReader(suite.labels, adapt)
            if suite.labels
            else Reader(suite.k, suite.policy, on_degraded=suite.on_degraded, adapt=adapt)
        )
        self._asked: list[Asked] = []
        self._unanswered: Iterator[int] = iter(())
        self._retrieved = True

    def skip(self) -> None:
        """No retriever is asked."""
        self._retrieved = False
        self._asked = [Asked(case=case) for case in self._suite.cases for _ in range(self._suite.policy.repeat)]

    def unanswered(self) -> list[Question]:
        """What an answerer is to be asked: the questions whose answer is judged, unless they have failed already."""
        asked = self._asked
        places = [place for place, each in enumerate(asked) if each.case.answers and each.error is None]
        self._unanswered = iter(places)
        return [Question(asked[place].case.query, asked[place].case.args) for place in places]

    def add_answer(self, reply: Reply) -> None:
        """The reply to the next of the unanswered questions."""
        place = next(self._unanswered)
        asked = self._asked[place]
        # What is timed is the retriever, where there is one.
        latency_ms = asked.latency_ms if self._retrieved else reply.latency_ms
        try:
            reading = asked.reading._replace(answer=answer_in(reply))
        except Exception as error:  # noqa: BLE001  # whatever the user's code raises
            late = not self._retrieved and reply.error is not None
            self._asked[place] = asked._replace(error=error, latency_ms=reply.latency_ms if late else None)
        else:
            self._asked[place] = asked._replace(reading=reading, latency_ms=latency_ms)

    def add(self, case: Case, replies: Iterable[Reply]) -> None:
        """The replies to all repeats of the next case."""
        for reply in replies:
            self._asked.append(self._read(case, reply))

    def _read(self, case: Case, reply: Reply) -> Asked:
        if reply.error is not None:
            return Asked(case=case, latency_ms=reply.latency_ms, error=reply.error)
        try:
            reading = self._reader.read(reply.returned, case.query)
        except DegradedError as error:
            return Asked(case=case, reading=Reading(status=error.status), error=error)
        except Exception as error:  # noqa: BLE001  # what came back is the user's code too
            return Asked(case=case, error=error)
        return Asked(case=case, reading=reading, latency_ms=reply.latency_ms)

    def run(self, system: str) -> Run:
        """All of it, once every case was added."""
        suite = self._suite
        asked = [*map(_complete, self._asked)] if suite.answered else self._asked
        each, exceptions = results_of(asked, suite.scored, suite.policy)
        results = [over_repeats(repeats) for repeats in zip(*[iter(each)] * suite.policy.repeat, strict=True)]
        evaluation = Evaluation.of(
            suite.name,
            system,
            suite.settings,
            suite.scored,
            results,
            problem=_problem(suite, results),
            notes=(
                *suite.notes,
                *self._reader.notes,
                *_timed_out(results),
                *unsteady(results),
                *(() if suite.labels else (*near_misses(results), *_short_windows(suite))),
            ),
        )
        return Run(evaluation=evaluation, exceptions=exceptions)


def _complete(asked: Asked) -> Asked:
    """What became of a question, an error where its answer is judged and none came."""
    if not asked.case.answers or asked.reading.answer is not None or asked.error is not None:
        return asked
    kind = asked.reading.no_text
    told = NO_ANSWER if kind is None else f"the answer beside the results is of type {kind}; an answer is text"
    return asked._replace(latency_ms=None, error=RetrievalError(told))


def results_of(
    asked: Sequence[Asked], metrics: Sequence[Metric], policy: Policy
) -> tuple[list[CaseResult], dict[CaseId, Exception]]:
    """A result for each question, and the first exception of each case, those of the user's own metrics among them.

    Of a case that raised, each metric that it would have defined is None.
    """
    judged = [
        JudgedRanking(
            policy.judgments(
                each.case.relevant, each.case.stale, answers=each.case.answers, expected=each.case.expected
            ),
            each.reading.ranking,
            each.reading.answer,
        )
        for each in asked
    ]
    scores = CaseScores(metrics, judged, policy.undefined)
    results: list[CaseResult] = []
    exceptions: dict[CaseId, Exception] = {}
    for place, each in enumerate(asked):
        error = each.error
        if error is None:
            try:
                results.append(_result(each, scores.of(place, each.latency_ms)))
                continue
            except Exception as raised:  # noqa: BLE001  # a metric of the user's own
                error = raised
                each = each._replace(latency_ms=None, error=error)  # noqa: PLW2901  # the same question
        exceptions.setdefault(each.case.id, error)
        results.append(_result(each, score_raised(metrics, judged[place].judgments, policy.undefined)))
    return results, exceptions


def _result(asked: Asked, scores: Mapping[str, float | None]) -> CaseResult:
    case, reading, error = asked.case, asked.reading, asked.error
    return _CaseResult(
        id=case.id,
        query=case.query,
        args=case.args,
        fingerprint=case.fingerprint,
        tags=case.tags,
        kind=case.kind,
        family=case.family,
        relevant=case.relevant,
        stale=case.stale,
        answers=case.answers,
        ranking=reading.ranking if error is None else (),
        status=reading.status,
        answer=reading.answer,
        scores=scores,
        latency_ms=asked.latency_ms,
        error=None if error is None else sentence_of(error),
        line=case.line,
    )


def _problem(suite: Suite, results: Sequence[CaseResult]) -> str | None:
    if suite.labels:
        return unlabelled(results, [spec.canonical for spec in suite.labels])
    return mismatch(results, [memory.id for memory in suite.memories])


def _timed_out(cases: Sequence[CaseResult]) -> Iterator[str]:
    late = [case for case in cases if case.error is not None and case.latency_ms is not None]
    if late:
        limit_s = (late[0].latency_ms or 0) / 1000
        named = listing(str(case.id) for case in late)
        yield f"{count(len(late), 'case')} timed out, so the latency is ≥ {limit_s:g} s: {named}"


def _short_windows(suite: Suite) -> Iterator[str]:
    if not any(metric.name == "r_precision" for metric in suite.scored):
        return
    larger = [case.id for case in suite.cases if len(suite.policy.judgments(case.relevant).relevant) > suite.k]
    if larger:
        yield f"r_precision of {larger[0]!r:.80} looks further than k = {suite.k}, for it has more relevant memories"
