from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.asking import Plan
from pytest_recall.asking.tasks import ask_in_tasks
from tests.unit.asking.builders import asker, questions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pytest_recall.asking import Reply

anyio = pytest.importorskip("anyio")
checkpoint = pytest.importorskip("anyio.lowlevel").checkpoint


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    name: str = request.param
    return name


def asked(backend: str, retriever: object, texts: str, plan: Plan | None = None, **more: Any) -> list[Reply]:
    """The replies to some questions on a loop of their own."""

    async def main() -> list[Reply]:
        return await ask_in_tasks(asker(retriever, **more), questions(texts), plan or Plan())

    replies: list[Reply] = anyio.run(main, backend=backend)
    return replies


class Meeting:
    """Lets nobody pass before a number of tasks are there."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.came = 0
        self.full = anyio.Event()

    async def wait(self) -> None:
        full = self.full
        self.came += 1
        if self.came % self.size == 0:
            self.full = anyio.Event()
            full.set()
        await full.wait()


def test_calls_overlap_and_replies_keep_their_order(backend: str) -> None:
    meeting: list[Meeting] = []

    async def search(query: str) -> list[str]:
        if not meeting:
            meeting.append(Meeting(4))
        await meeting[0].wait()
        # Those who came first are the last to end.
        for _ in range(10 - ord(query) % 10):
            await checkpoint()
        return [query]

    replies = asked(backend, search, "abcdefgh", Plan(concurrency=4))
    assert [reply.returned for reply in replies] == [[query] for query in "abcdefgh"]


@pytest.mark.parametrize("concurrency", [None, 2])
def test_no_more_calls_than_asked_for_overlap(backend: str, concurrency: int | None) -> None:
    running: Counter[str] = Counter()
    most = []

    async def search(query: str) -> list[str]:
        running[query] += 1
        most.append(running.total())
        await checkpoint()
        running[query] -= 1
        return [query]

    asked(backend, search, "abcdefgh", Plan(concurrency=concurrency))
    assert max(most) == (concurrency or 1)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_query_that_takes_too_long_is_cancelled_and_the_others_are_asked(backend: str, concurrency: int) -> None:
    cleaned_up = []

    async def search(query: str) -> list[str]:
        if query == "b":
            try:
                await anyio.sleep_forever()
            finally:
                cleaned_up.append(query)
        return [query]

    before, late, after = asked(backend, search, "abc", Plan(timeout=0.05, concurrency=concurrency))
    assert (before.returned, after.returned) == (["a"], ["c"])
    assert before.latency_ms is not None
    assert (str(late.error), late.latency_ms) == ("timed out after 0.05 s", 50.0)
    assert cleaned_up == ["b"]


def test_query_that_holds_the_loop_is_given_up_when_it_ends(backend: str) -> None:
    async def search(query: str) -> list[str]:
        if query == "a":
            time.sleep(0.06)  # noqa: ASYNC251 - the mistake that is tested
        return [query]

    late, after = asked(backend, search, "ab", Plan(timeout=0.05))
    assert str(late.error) == "timed out after 0.05 s"
    assert after.returned == ["b"]


def test_query_that_ignores_its_cancellation_is_left_behind() -> None:
    async def search(query: str) -> list[str]:
        if query == "a":
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                await anyio.sleep_forever()
        return [query]

    late, after = asked("asyncio", search, "ab", Plan(timeout=0.05))
    assert str(late.error) == "timed out after 0.05 s"
    assert after.returned == ["b"]


def test_first_query_is_asked_before_without_limit_or_reply(backend: str) -> None:
    calls = []

    async def search(query: str) -> list[str]:
        calls.append(query)
        if len(calls) == 1:
            raise LookupError("cold")
        return [query]

    replies = asked(backend, search, "ab", Plan(warmup=2))
    assert calls == ["a", "a", "a", "b"]
    assert [reply.returned for reply in replies] == [["a"], ["b"]]


class Stop(BaseException):
    """As an interrupt, or an outcome of pytest."""


@pytest.mark.parametrize("plan", [Plan(), Plan(timeout=60)])
def test_what_is_no_exception_ends_all(backend: str, plan: Plan) -> None:
    calls = []

    async def search(query: str) -> list[str]:
        calls.append(query)
        if query == "b":
            raise Stop
        return [query]

    with pytest.raises(Stop):
        asked(backend, search, "abc", plan)
    assert calls == ["a", "b"]


@pytest.mark.parametrize("plan", [Plan(concurrency=3), Plan(concurrency=3, timeout=60)])
def test_what_ends_all_cancels_the_calls_beside_it(backend: str, plan: Plan) -> None:
    cancelled = []

    async def search(query: str) -> list[str]:
        if query == "b":
            await checkpoint()
            raise Stop
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(query)
        return [query]

    with pytest.raises(Stop):
        asked(backend, search, "abcde", plan)
    assert sorted(cancelled) == ["a", "c"]


def test_how_many_were_answered_is_told_after_each_call(backend: str) -> None:
    told: list[int] = []

    class Batches:
        async def batch(self, queries: list[str]) -> list[list[str]]:
            return [[query] for query in queries]

    async def main() -> list[Reply]:
        return await ask_in_tasks(asker(Batches(), batch=2), questions("abcde"), Plan(), told.append)

    replies = anyio.run(main, backend=backend)
    assert [reply.returned for reply in replies] == [["a"], ["b"], ["c"], ["d"], ["e"]]
    assert told == [2, 4, 5]


def test_batch_that_is_iterated_asynchronously_is_refused() -> None:
    class Batches:
        async def batch(self, queries: list[str]) -> AsyncIterator[list[str]]:
            for query in queries:
                yield [query]

    (reply,) = asked("asyncio", Batches(), "a", batch=2)
    assert str(reply.error) == "a batch of 1 brought an object of type async_generator, not one result a query"


PARTS = ["a#1", "a#2", "b#1", "b#2", "c#1", "d#1"]


@pytest.mark.parametrize(
    ("policy", "read"),
    [
        ({}, 2),
        # Two distinct ids, whatever is between.
        ({"duplicates": "first", "id_from": "^(.)"}, 3),
    ],
)
def test_generator_is_drained_as_far_as_the_ranking_needs_and_closed(
    backend: str, policy: dict[str, Any], read: int
) -> None:
    taken, closed = [], []

    async def search(_query: str) -> AsyncIterator[str]:
        try:
            for id in PARTS:
                taken.append(id)
                yield id
        finally:
            await checkpoint()
            closed.append(True)

    (reply,) = asked(backend, search, "q", k=2, **policy)
    assert reply.returned == taken == PARTS[:read]
    assert closed == [True]


def test_latency_is_that_of_the_call_and_of_reading_a_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("pytest_recall.asking.calls.perf_counter", lambda: now[0])

    async def search(query: str) -> list[str]:
        now[0] += 2
        return [query]

    async def lazily(query: str) -> AsyncIterator[str]:
        now[0] += 2
        yield query
        now[0] += 3

    def latencies(retriever: Callable[[str], object]) -> list[float | None]:
        return [reply.latency_ms for reply in asked("asyncio", retriever, "ab")]

    assert latencies(search) == [2000.0, 2000.0]
    assert latencies(lazily) == [5000.0, 5000.0]


def test_error_of_a_generator_is_that_of_its_question(backend: str) -> None:
    async def search(_query: str) -> AsyncIterator[str]:
        yield "a"
        raise LookupError("closed")

    (reply,) = asked(backend, search, "q")
    assert repr(reply.error) == "LookupError('closed')"
