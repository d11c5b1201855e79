"""The fixtures a suite's items and a user's retriever ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor
    from types import TracebackType

    from pytest_recall.recording import Recall
    from pytest_recall.retrieval.lexical import LexicalRetriever
    from pytest_recall.suites import Case, Memory, Suite

__all__ = [
    "HOW_TO_AGENT",
    "MissingRetriever",
    "answerer",
    "classifier",
    "eval_case",
    "eval_executor",
    "eval_memories",
    "eval_suite",
    "executor_of",
    "how_to",
    "lexical_retriever",
    "recall",
    "retriever",
]

_HOW_TO_RETRIEVE = """\
write this fixture in conftest.py; it is called as search(query, k) and returns ids, best first:
    @pytest.fixture(scope="module")
    def {name}(eval_memories):
        return MyIndex(eval_memories).search"""

_HOW_TO_CLASSIFY = """\
write this fixture in conftest.py; it is called as classify(input) and returns a label, or a text that names one:
    @pytest.fixture(scope="module")
    def {name}():
        return MyModel().classify"""

_HOW_TO_ANSWER = """\
write this fixture in conftest.py; it is called as answer(query) and returns text:
    @pytest.fixture(scope="module")
    def answerer():
        return MyPipeline().answer"""


def how_to(suite: Suite, name: str) -> str:
    """How to write the fixture that a suite asks for."""
    if name == "answerer":
        return _HOW_TO_ANSWER
    return (_HOW_TO_CLASSIFY if suite.labels else _HOW_TO_RETRIEVE).format(name=name)


HOW_TO_AGENT = """\
write this fixture in conftest.py; it is called as agent(input, llm, tools) and returns its final text:
    @pytest.fixture
    def {name}():
        return answer_with_tools"""


class MissingRetriever:
    """Stands where nobody wrote a retriever or a classifier, so that each item of a suite fails and none is skipped."""


@pytest.fixture
def retriever(request: pytest.FixtureRequest) -> object:
    """The system under test; this default only tells how to write one."""
    if getattr(request.node.parent, "suite", None) is None:
        pytest.fail(f"no retriever: {_HOW_TO_RETRIEVE.format(name='retriever')}", pytrace=False)
    return MissingRetriever()


@pytest.fixture
def classifier(request: pytest.FixtureRequest) -> object:
    """The classifier of suites with labels; this default only tells how to write one."""
    if getattr(request.node.parent, "suite", None) is None:
        pytest.fail(f"no classifier: {_HOW_TO_CLASSIFY.format(name='classifier')}", pytrace=False)
    return MissingRetriever()


@pytest.fixture(scope="session")
def answerer() -> object:
    """What answers, where answers don't come with the results of the retriever: a callable that returns text."""
    return None


@pytest.fixture(scope="module")
def eval_suite(request: pytest.FixtureRequest) -> Suite:
    """The suite: that of its own items, or the one that ``pytestmark = pytest.mark.recall("FILE")`` names."""
    suite: Suite | None = getattr(request.node, "suite", None)
    if suite is not None:
        return suite
    from pytest_recall.errors import RecallError  # noqa: PLC0415
    from pytest_recall.plugin.marked import marked_suite  # noqa: PLC0415

    try:
        return marked_suite(request.node, request.path.parent)
    except RecallError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture(scope="module")
def eval_memories(eval_suite: Suite) -> Sequence[Memory]:
    """The memories of the suite, in file order: ``.id .text .title .metadata .valid_from .valid_to .superseded_by``."""
    return eval_suite.memories


@pytest.fixture
def eval_case() -> Case:
    """One case of the suite that the test's mark names; the test runs once for each."""
    pytest.fail("eval_case needs a suite: write @pytest.mark.recall('FILE.eval.yaml') on the test", pytrace=False)


@pytest.fixture(scope="session")
def eval_executor() -> Executor | None:
    """Where queries are asked: any `concurrent.futures.Executor`, to which they go in chunks. None: in this process."""
    return None


def executor_of(request: pytest.FixtureRequest) -> Executor | None:
    """The value of `eval_executor`, asked for only where queries are: most items of a suite ask none."""
    __tracebackhide__ = True
    try:
        executor: Executor | None = request.getfixturevalue("eval_executor")
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # raised again below, where it keeps its context
        if isinstance(error, pytest.fail.Exception) and "no parameter defined" in str(error):
            text = "fixture 'eval_executor' is parametrised, and no score depends on it: parametrise the retriever"
            raise pytest.fail.Exception(text, pytrace=False) from None
        raised = error
    else:
        return executor
    raise raised.with_traceback(_of_the_fixture(raised.__traceback__))


def _of_the_fixture(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the fixture's own lines on; pytest's way there is long, and longer the second time."""
    own = trace
    while trace is not None:
        name: str = trace.tb_frame.f_globals["__name__"]
        trace = trace.tb_next
        if name.partition(".")[0] in ("_pytest", "pluggy", "pytest_recall") and name != "_pytest.outcomes":
            own = trace
    return own


@pytest.fixture
def recall(request: pytest.FixtureRequest) -> Recall:
    """Takes the rankings that a test collects, to be judged by its ``@pytest.mark.recall``."""
    from pytest_recall.plugin.marked import make_recall  # noqa: PLC0415

    return make_recall(request)


@pytest.fixture(scope="module")
def lexical_retriever(eval_memories: Sequence[Memory]) -> LexicalRetriever:
    """BM25 with the porter stemmer over ``eval_memories`` (SQLite FTS5): the yardstick for a team's own system."""
    from pytest_recall.retrieval.lexical import LexicalRetriever  # noqa: PLC0415  # sqlite3 only when it is used

    return LexicalRetriever(eval_memories)
