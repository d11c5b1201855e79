from __future__ import annotations

import threading
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.asking import Plan, ask_here
from tests.unit.asking.builders import asker, questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Long enough for any machine; nobody waits for it to pass.
SOON_S = 60


def returned(search: Callable[..., Any], texts: str, plan: Plan) -> list[Any]:
    return [reply.returned for reply in ask_here(asker(search), questions(texts), plan)]


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """Never set while the test runs; what hangs on it ends with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_calls_overlap_and_replies_keep_their_order() -> None:
    together = threading.Barrier(4)

    def search(query: str) -> list[object]:
        together.wait(SOON_S)
        return [query, threading.current_thread().daemon]

    assert returned(search, "abcdefgh", Plan(concurrency=4)) == [[query, True] for query in "abcdefgh"]


def test_no_more_calls_than_asked_for_overlap() -> None:
    running, most = count(), []
    lock = threading.Lock()
    level = 0

    def search(query: str) -> list[str]:
        nonlocal level
        with lock:
            level += 1
            most.append(level)
        next(running)
        with lock:
            level -= 1
        return [query]

    returned(search, "abcdefghijklmnop", Plan(concurrency=2))
    assert max(most) <= 2


def test_without_concurrency_queries_are_asked_in_this_thread_and_in_order() -> None:
    seen: list[tuple[str, threading.Thread]] = []

    def search(query: str) -> list[str]:
        seen.append((query, threading.current_thread()))
        return []

    returned(search, "abc", Plan())
    assert seen == [(query, threading.current_thread()) for query in "abc"]


def test_reply_that_is_not_taken_is_not_asked_for() -> None:
    asked: list[str] = []

    def search(query: str) -> list[str]:
        asked.append(query)
        return [query]

    replies = ask_here(asker(search), questions("abc"), Plan())
    assert next(replies).returned == ["a"]
    replies.close()
    assert asked == ["a"]


def test_no_call_begins_when_nobody_waits_any_more() -> None:
    asked: list[str] = []
    first_taken = threading.Event()

    def search(query: str) -> list[str]:
        asked.append(query)
        if query == "b":
            first_taken.wait(SOON_S)
        return [query]

    replies = ask_here(asker(search), questions("abc"), Plan(timeout=SOON_S))
    assert next(replies).returned == ["a"]
    replies.close()
    first_taken.set()
    for thread in threading.enumerate():
        if thread.name == "pytest-recall":
            thread.join(SOON_S)
    assert "c" not in asked


def test_query_that_takes_too_long_is_given_up_and_the_others_are_asked(stuck: threading.Event) -> None:
    def search(query: str) -> list[str]:
        if query == "b":
            stuck.wait(SOON_S)
        return [query]

    before, late, after = ask_here(asker(search), questions("abc"), Plan(timeout=0.05))
    assert (before.returned, after.returned) == (["a"], ["c"])
    assert str(late.error) == "timed out after 0.05 s"
    assert late.latency_ms == 50.0
    assert before.latency_ms is not None


def test_as_many_calls_overlap_after_one_was_given_up(stuck: threading.Event) -> None:
    together = threading.Barrier(2)

    def search(query: str) -> list[str]:
        if query in "ab":
            stuck.wait(SOON_S)
        together.wait(SOON_S)
        return [query]

    replies = list(ask_here(asker(search), questions("abcdef"), Plan(timeout=0.5, concurrency=2)))
    assert [reply.error is None for reply in replies] == [False, False, True, True, True, True]


class Clock:
    """Seconds that pass when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("pytest_recall.asking.threads.perf_counter", clock)
    # Nobody who waits can know that this clock has moved.
    monkeypatch.setattr("pytest_recall.asking.threads._PATIENCE_S", 0.01)
    return clock


def test_late_result_is_dropped(clock: Clock) -> None:
    both_began, late = threading.Barrier(2), threading.Event()
    threads: list[threading.Thread] = []

    def search(query: str) -> list[str]:
        threads.append(threading.current_thread())
        both_began.wait(SOON_S)
        clock.now = 100
        late.wait(SOON_S)
        return [query]

    replies = ask_here(asker(search), questions("ab"), Plan(timeout=60, concurrency=2))
    first = next(replies)
    # Both were given up, and now both come after all, before the second is told.
    late.set()
    for thread in threads:
        thread.join(SOON_S)
    assert [str(reply.error) for reply in (first, *replies)] == ["timed out after 60 s"] * 2


def test_call_that_ends_after_its_limit_was_too_late_whoever_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    now = count(step=3.0)  # every look at the clock is three seconds after the last
    monkeypatch.setattr("pytest_recall.asking.threads.perf_counter", lambda: next(now))
    (reply,) = ask_here(asker(lambda query: [query]), questions("a"), Plan(timeout=2))
    assert str(reply.error) == "timed out after 2 s"


def test_generator_is_within_the_limit(stuck: threading.Event) -> None:
    def search(_query: str) -> Iterator[str]:
        yield "a"
        stuck.wait(SOON_S)
        yield "b"

    (reply,) = ask_here(asker(search), questions("q"), Plan(timeout=0.05))
    assert str(reply.error) == "timed out after 0.05 s"


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_what_ends_the_run_ends_it_from_a_thread_too(error: type[BaseException]) -> None:
    def search(query: str) -> list[str]:
        if query == "b":
            raise error
        return [query]

    replies = ask_here(asker(search), questions("abc"), Plan(concurrency=2))
    assert next(replies).returned == ["a"]
    with pytest.raises(error):
        next(replies)


def test_exception_in_a_thread_is_that_of_its_question() -> None:
    def search(query: str) -> list[str]:
        raise LookupError(query)

    errors = [repr(reply.error) for reply in ask_here(asker(search), questions("ab"), Plan(concurrency=2))]
    assert errors == ["LookupError('a')", "LookupError('b')"]


def test_threads_see_what_a_fixture_set_for_its_context() -> None:
    tenant: ContextVar[str] = ContextVar("tenant")
    token = tenant.set("alice")
    try:
        assert returned(lambda _: [tenant.get()], "ab", Plan(concurrency=2)) == [["alice"], ["alice"]]
    finally:
        tenant.reset(token)


@pytest.mark.parametrize("plan", [Plan(warmup=2), Plan(warmup=2, timeout=SOON_S), Plan(warmup=2, concurrency=3)])
def test_first_query_is_asked_before_and_not_told(plan: Plan) -> None:
    asked: list[str] = []

    def search(query: str) -> list[str]:
        asked.append(query)
        if len(asked) <= 2:
            raise ConnectionError("waking up")
        return [query]

    assert returned(search, "abc", plan) == [["a"], ["b"], ["c"]]
    assert asked[:2] == ["a", "a"]
    assert sorted(asked[2:]) == ["a", "b", "c"]


def test_warm_up_may_take_its_time(clock: Clock) -> None:
    second_began = threading.Event()
    overlapped: list[bool] = []

    def search(query: str) -> list[str]:
        if clock.now:
            second_began.set()
        else:
            clock.now = 3600
            overlapped.append(second_began.wait(0.2))
        return [query]

    assert returned(search, "a", Plan(warmup=1, timeout=2)) == [["a"]]
    assert overlapped == [False]


def test_no_questions_bring_no_replies() -> None:
    for plan in (Plan(warmup=1), Plan(warmup=1, concurrency=2)):
        assert returned(lambda query: [query], "", plan) == []
