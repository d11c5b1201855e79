"""``@pytest.mark.recall`` on written tests: the same gates, judged when the test's body has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.answering import asks_retriever
from pytest_recall.errors import AnswererError, RecallError, RetrievalError
from pytest_recall.gates import judge
from pytest_recall.marks import Asked, read_marks
from pytest_recall.plugin.adapting import adapt_of
from pytest_recall.plugin.fixtures import executor_of
from pytest_recall.plugin.identity import is_marked, name_of
from pytest_recall.plugin.judging import fail_for
from pytest_recall.plugin.session import EvalSession
from pytest_recall.recording import Recall, TestIdentity

if TYPE_CHECKING:
    from collections.abc import Collection, Generator
    from pathlib import Path

    from pytest_recall.asked import Run
    from pytest_recall.suites import Suite

__all__ = ["MarkedTests", "asked_of", "make_recall", "marked_suite", "parametrize_cases"]

_RECALL = pytest.StashKey[Recall]()


class MarkedTests:
    """Judges what marked tests record; registered with the first of them, or that asks for the fixture `recall`."""

    def __init__(self, session: EvalSession) -> None:
        self.session = session

    # The innermost: what a retriever prints here is captured too. Methods of unittest have no other call hook.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        marked = is_marked(item)
        if marked and _RECALL not in item.stash:
            pytest.fail("a test marked `recall` needs the fixture `recall` among its arguments", pytrace=False)
        result = yield
        recall = item.stash.get(_RECALL, None)
        if recall is not None:
            assert isinstance(item, pytest.Function), "only functions have fixtures"
            recall.end()
            if recall.refusal is not None:
                pytest.fail(recall.refusal, pytrace=False)
            if marked:
                self._judge(item, recall)
        return result

    def _judge(self, item: pytest.Function, recall: Recall) -> None:
        __tracebackhide__ = True
        if not recall.recorded:
            pytest.fail("nothing was recorded: call recall(query, relevant, ranking) in the test", pytrace=False)
        try:
            run = recall.run
        except RetrievalError as error:
            answering = isinstance(error, AnswererError)
            name = "answerer" if answering else _asked_fixture(asked_of(item), recall.suite)
            raise pytest.fail.Exception(f"fixture {name!r}: {error}", pytrace=False) from None
        except RecallError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        reference = self.session.reference(run.evaluation)
        tolerances = self.session.tolerances(max_drop=recall.max_drop, alpha=recall.alpha)
        verdicts = tuple(
            verdict for gate in recall.gates() for verdict in judge(gate, run.evaluation, reference, tolerances)
        )
        self.session.record(item, run.evaluation, verdicts, tell=True)
        fail_for(item, verdicts, run, reference)


def asked_of(node: pytest.Item | pytest.Collector, labels: Collection[str] = ()) -> Asked:
    """What the marks of a test (or of a module) ask for, the closest first.

    Args:
        node: the test or the module.
        labels: what the suite that they name tells apart.

    Raises:
        RecallError: a mark means nothing.
    """
    return read_marks(((mark.args, mark.kwargs) for mark in node.iter_markers("recall")), labels)


def make_recall(request: pytest.FixtureRequest) -> Recall:
    """The fixture `recall` of one test."""
    item: pytest.Function = request.node
    try:
        asked = asked_of(item)
        suite = None if asked.file is None else marked_suite(item, item.path.parent)
        if suite is not None and suite.labels:
            # A label may hold a colon, as what precedes a tag does.
            asked = asked_of(item, [spec.canonical for spec in suite.labels])
    except RecallError as error:
        raise pytest.fail.Exception(f"@pytest.mark.recall: {error}", pytrace=False) from None
    key, system = name_of(item)
    identity = TestIdentity(
        key=key,
        system=system,
        folder=item.path.parent,
        root=item.config.rootpath,
    )
    # A fixture can't be asked for any more when the test has ended.
    answerer = request.getfixturevalue("answerer") if suite is not None and suite.answered else None
    needed = suite is not None and asks_retriever(suite, answerer)
    retriever = _retriever(request, _asked_fixture(asked, suite)) if suite is not None and needed else None
    executor = None if suite is None else executor_of(request)

    def ask(asked_suite: Suite, system: str, asked_retriever: object, asked_answerer: object) -> Run:
        place = executor_of(request) if suite is None else executor
        session = EvalSession.of(item.config)
        return session.ask(asked_suite, system, asked_retriever, item, answerer=asked_answerer, executor=place)

    async def ask_async(asked_suite: Suite, system: str, asked_retriever: object, asked_answerer: object) -> Run:
        session = EvalSession.of(item.config)
        return await session.ask_async(asked_suite, system, asked_retriever, item, answerer=asked_answerer)

    try:
        recall = Recall(
            asked, identity, ask, ask_async, suite=suite, retriever=retriever, answerer=answerer, adapt=adapt_of(item)
        )
    except RecallError as error:
        raise pytest.fail.Exception(f"@pytest.mark.recall: {error}", pytrace=False) from None
    item.stash[_RECALL] = recall
    return recall


def _asked_fixture(asked: Asked, suite: Suite) -> str:
    return asked.retriever or suite.role


def _retriever(request: pytest.FixtureRequest, name: str) -> object:
    try:
        return request.getfixturevalue(name)
    except pytest.fail.Exception as error:
        if "no parameter defined" not in str(error):
            raise
        text = f"fixture {name!r} is parametrised: take it as an argument of the test too, beside recall"
        raise pytest.fail.Exception(text, pytrace=False) from None


def marked_suite(node: pytest.Item | pytest.Collector, folder: Path) -> Suite:
    """The suite that a module's (or a test's) marks name.

    Raises:
        RecallError: they name none, or it has mistakes.
    """
    asked = asked_of(node)
    if asked.file is None:
        if isinstance(node, pytest.Module):
            raise RecallError(
                "no suite for the fixtures of this module, for they don't see the mark of a test: "
                "write pytestmark = pytest.mark.recall('FILE.eval.yaml') in it"
            )
        raise RecallError("the mark names no suite: write @pytest.mark.recall('FILE.eval.yaml')")
    return EvalSession.of(node.config).suite(folder / asked.file)


def parametrize_cases(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the suite that the mark of a test with an `eval_case` argument names."""
    definition = metafunc.definition
    try:
        if asked_of(definition).thresholds:
            raise RecallError("a test with an `eval_case` argument asserts for itself, so its mark takes no bounds")
        suite = marked_suite(definition, definition.path.parent)
    except RecallError as error:
        raise pytest.fail.Exception(f"@pytest.mark.recall: {error}", pytrace=False) from None
    metafunc.parametrize("eval_case", suite.cases, ids=[case.id for case in suite.cases])
