"""A suite and a retriever make an evaluation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_recall.answering import answering_of, as_answerer, asks_retriever, question_count, role_in
from pytest_recall.asked import RunReader
from pytest_recall.asking import Asker, Question, ask_here, ask_on
from pytest_recall.errors import AsynchronousError, RecallError, RetrievalError
from pytest_recall.scoring.options import check_system
from pytest_recall.suites import Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from concurrent.futures import Executor

    from pytest_recall.asked import Run
    from pytest_recall.asking import Plan, Reply
    from pytest_recall.evaluation import Evaluation
    from pytest_recall.retrieval import Adapt

    Progress = Callable[[int], None]
    """Told how many queries are done, after each case."""

__all__ = ["evaluate", "evaluate_async", "needs_no_loop", "run_suite", "run_suite_async"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


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
        MetricError: `system` is no text, or a blank one.

    >>> from pytest_recall import load_suite
    >>> from pathlib import Path
    >>> text = "{metrics: [mrr], cases: [{id: lease, query: when does the lease end?, relevant: [lease-2]}]}"
    >>> _ = Path("notes.eval.yaml").write_text(text, encoding="utf-8")
    >>> evaluate(load_suite("notes.eval.yaml"), lambda query, k: ["rent-1", "lease-2"])["mrr"]
    0.5
    """
    _check(suite)
    named = role_in(suite, answerer) if system is None else check_system(system)
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
        MetricError: `system` is no text, or a blank one.

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
    named = role_in(suite, answerer) if system is None else check_system(system)
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
