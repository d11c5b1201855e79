from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.asking import Plan, ask_on, sentence_of
from pytest_recall.errors import RetrievalError
from tests.unit.asking.builders import Index, Unloadable, asker, questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.asking import Reply


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    # A forked process would hold what this one has imported, and hide what can't be pickled.
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(params=["processes", "threads"])
def executor(request: pytest.FixtureRequest) -> Executor:
    chosen: Executor = request.getfixturevalue(request.param)
    return chosen


def replies(executor: Executor, *texts: str, retriever: object = None, **plan: Any) -> list[Reply]:
    asked = asker(Index() if retriever is None else retriever, batch=plan.get("batch"))
    return list(ask_on(executor, asked, questions(texts), Plan(**plan)))


@pytest.mark.parametrize("plan", [{}, {"concurrency": 4}, {"timeout": 60}], ids=["serial", "concurrency", "timeout"])
def test_replies_come_in_order_with_the_latency_of_the_call(executor: Executor, plan: dict[str, Any]) -> None:
    texts = [f"q{number}" for number in range(100)]
    told = replies(executor, *texts, **plan)
    assert [reply.returned for reply in told] == [[text] for text in texts]
    assert all(reply.latency_ms is not None for reply in told)


def test_queries_are_asked_in_the_workers(processes: Executor) -> None:
    told = {reply.returned[0] for reply in replies(processes, *["process"] * 40)}
    assert os.getpid() not in told
    assert told


def test_retriever_is_unpacked_once_a_worker(processes: Executor) -> None:
    told = [reply.returned[0] for reply in replies(processes, *["calls"] * 60)]
    # Two workers at most, each with one index that counts on; 60 calls of 30 chunks.
    assert max(told) >= 30
    assert sorted(told)[:1] == [1]


def test_next_evaluation_has_a_retriever_of_its_own(processes: Executor) -> None:
    assert min(reply.returned[0] for reply in replies(processes, *["calls"] * 3)) == 1
    assert min(reply.returned[0] for reply in replies(processes, *["calls"] * 3)) == 1


def test_threads_get_the_retriever_itself(threads: Executor) -> None:
    index = Index()
    replies(threads, "a", "b", retriever=index)
    assert index.calls == 2


def test_each_worker_is_warmed_up_on_its_own(processes: Executor) -> None:
    told = [reply.returned[0] for reply in replies(processes, *["calls"] * 60, warmup=3)]
    assert min(told) == 4
    # Even if one worker had all 60 calls: three more in all, not three more a chunk.
    assert max(told) <= 63


def test_exception_comes_back_with_its_traceback_as_text(executor: Executor) -> None:
    fine, broken = replies(executor, "fine", "raise the alarm")
    assert fine.returned == ["fine"]
    assert repr(broken.error) == "LookupError('no raise the alarm')"
    assert broken.error is not None
    lines = str(broken.error.__cause__).strip().splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert "builders.py" in lines[1]
    assert lines[-1] == "LookupError: no raise the alarm"


def test_exception_that_can_not_travel_comes_back_as_its_sentence(executor: Executor) -> None:
    (reply,) = replies(executor, "difficult")
    assert reply.error is not None
    assert sentence_of(reply.error) == "DifficultError: 5: no disk"
    assert "in _difficult" in str(reply.error.__cause__)


def test_exception_that_can_not_be_pickled_comes_back_as_its_sentence(executor: Executor) -> None:
    fine, broken = replies(executor, "fine", "holding the door")
    assert fine.returned == ["fine"]
    assert broken.error is not None
    assert sentence_of(broken.error) == "HoldingError: no holding the door"
    assert "in _holding" in str(broken.error.__cause__)


def test_results_that_can_not_be_pickled_come_back_as_their_fields(executor: Executor) -> None:
    (reply,) = replies(executor, "objects")
    assert [(result["key"], result["score"], result["id"]) for result in reply.returned] == [
        ("a", 0.5, None),
        ("b", 0.25, None),
    ]
    assert reply.returned[0]["metadata"] == {"id": None, "key": None, "source": None}


def test_results_beside_them_come_back_as_they_are(executor: Executor) -> None:
    (reply,) = replies(executor, "mixed")
    assert (reply.returned[0], reply.returned[1]["key"]) == ("a", "b")


def test_response_comes_back_with_its_results_under_their_names(executor: Executor) -> None:
    (reply,) = replies(executor, "response")
    assert (reply.returned["took"], reply.returned["hits"]["total"]) == (3, 1)
    assert [(hit["key"], hit["score"]) for hit in reply.returned["hits"]["hits"]] == [("a", 0.5)]


def test_what_can_not_be_sent_back_is_an_error_of_its_query(executor: Executor) -> None:
    fine, lock = replies(executor, "fine", "lock")
    assert fine.returned == ["fine"]
    assert str(lock.error) == (
        "what the retriever returned (lock) can't be sent back by a worker: "
        "TypeError: cannot pickle '_thread.lock' object"
    )


def test_generator_is_drained_in_the_worker(executor: Executor) -> None:
    (reply,) = replies(executor, "lazily")
    assert reply.returned == [f"lazy-{number}" for number in range(10)]


def test_retriever_that_can_not_be_pickled_is_refused_with_the_way_out(processes: Executor) -> None:
    with pytest.raises(RetrievalError) as caught:
        replies(processes, "q", retriever=lambda query: [query])
    told = str(caught.value)
    assert told.startswith("the executor needs a retriever that can be pickled, and this one can't (")
    assert told.endswith(
        "): return an instance of a class at the top of a module, which opens its index when it is first called"
    )


def test_threads_take_a_retriever_that_can_not_be_pickled(threads: Executor) -> None:
    (reply,) = replies(threads, "q", retriever=lambda query: [query])
    assert reply.returned == ["q"]


def test_retriever_that_a_worker_can_not_load_is_refused(processes: Executor) -> None:
    with pytest.raises(RetrievalError) as caught:
        replies(processes, "q", retriever=Unloadable())
    assert str(caught.value) == ("a worker of the executor can't load the retriever: FileNotFoundError: no index here")


def test_queries_of_a_worker_that_died_are_errors() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        (reply,) = replies(executor, "exit")
    assert type(reply.error).__name__ == "BrokenProcessPool"


def test_executor_that_takes_nothing_is_refused() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RetrievalError) as caught:
        replies(executor, "q")
    assert str(caught.value) == (
        "the executor takes no queries: RuntimeError: cannot schedule new futures after shutdown"
    )


class Client:
    """What hands out executors, and is none."""

    def get_executor(self) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    ("executor", "error"),
    [
        (3, "the executor must be a concurrent.futures.Executor or None, not int"),
        (
            Client(),
            "the executor must be a concurrent.futures.Executor or None, not Client; return its get_executor()",
        ),
    ],
)
def test_what_is_no_executor_is_refused(executor: Any, error: str) -> None:
    with pytest.raises(RetrievalError) as caught:
        replies(executor, "q")
    assert str(caught.value) == error


class Recording(Executor):
    """Runs what it gets at once, and keeps the sizes of the chunks."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, function: Any, /, *args: Any, **_: Any) -> Future[Any]:
        self.sizes.append(len(args[1]))
        future: Future[Any] = Future()
        future.set_result(function(*args))
        return future


class Failing(Executor):
    """Fails in one way or another."""

    def __init__(self, way: str) -> None:
        self.way = way

    def submit(self, _function: Any, /, *_args: Any, **_: Any) -> Any:
        if self.way == "takes nothing":
            raise OSError("the scheduler is gone")
        future: Future[Any] = Future()
        if self.way == "loses its worker":
            future.set_exception(OSError("the worker is gone"))
        if self.way == "loses results":
            future.set_result([])
        return future if self.way != "promises nothing" else None


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("takes nothing", "the executor takes no queries: OSError: the scheduler is gone; the executor needs a "),
        ("loses its worker", "the executor gave no results: OSError: the worker is gone; the executor needs a "),
        ("loses results", "the executor gave 0 results for 1 query"),
        ("promises nothing", "the executor's submit must return a Future, not NoneType"),
    ],
)
def test_executors_own_failure_is_told(way: str, told: str) -> None:
    with pytest.raises(RetrievalError) as refused:
        list(ask_on(Failing(way), asker(lambda query: [query]), questions(["q"]), Plan()))
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("count", "plan", "sizes"),
    [
        (3, {}, [1, 1, 1]),
        (64, {}, [2] * 32),
        (65, {}, [3] * 21 + [2]),
        # Three repeats of a query stay together, and so do the queries of a batch.
        (12, {"repeat": 3}, [3] * 4),
        (20, {"batch": 8}, [8, 8, 4]),
        (30, {"repeat": 3, "batch": 2}, [6] * 5),
    ],
)
def test_chunks_are_few_and_hold_together_what_belongs_together(
    count: int, plan: dict[str, Any], sizes: list[int]
) -> None:
    executor = Recording()
    list(ask_on(executor, asker(Index()), questions(["q"] * count), Plan(**plan)))
    assert executor.sizes == sizes


def test_chunks_that_nobody_waits_for_are_cancelled() -> None:
    class Waiting(Recording):
        def submit(self, _function: Any, /, *_args: Any, **_: Any) -> Future[Any]:
            futures.append(Future())
            if len(futures) == 1:
                futures[0].set_exception(KeyboardInterrupt())
            return futures[-1]

    futures: list[Future[Any]] = []
    with pytest.raises(KeyboardInterrupt):
        list(ask_on(Waiting(), asker(Index()), questions("abc"), Plan()))
    assert [future.cancelled() for future in futures] == [False, True, True]
