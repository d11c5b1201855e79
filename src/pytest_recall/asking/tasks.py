"""Calls on the running event loop: several at once as tasks, and each within a time limit."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from pytest_recall.asking.calls import given_up

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from pytest_recall.asking.calls import Asker, Question, Reply
    from pytest_recall.asking.plan import Plan

    Call = tuple[Question, ...]

__all__ = ["ask_in_tasks"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


async def ask_in_tasks(
    asker: Asker, questions: Sequence[Question], plan: Plan, progress: Callable[[int], None] | None = None
) -> list[Reply]:
    """The reply to each question, in their order, whatever finished first.

    Args:
        asker: makes a call, whose reply may be awaited.
        questions: all there are.
        plan: as in threads, but that a call which holds the loop can't be given up.
        progress: told how many questions were answered, after each call.
    """
    loop, calls = _running_loop(), list(asker.calls(questions))
    for _ in range(plan.warmup or 0):
        await asker.call_async(calls[0])
    replies: dict[int, Sequence[Reply]] = {}
    waiting, answered = iter(enumerate(calls)), 0

    async def work() -> None:
        nonlocal answered
        for number, call in waiting:
            replies[number] = await _within(plan.timeout, loop, asker, call)
            answered += len(call)
            if progress is not None:
                progress(answered)

    concurrency = min(plan.concurrency or 1, len(calls))
    await (work() if concurrency == 1 else loop.together(work, concurrency))
    return [reply for number in range(len(calls)) for reply in replies[number]]


async def _within(limit_s: float | None, loop: _Loop, asker: Asker, call: Call) -> Sequence[Reply]:
    if limit_s is None:
        return await asker.call_async(call)
    began = perf_counter()
    replies = await loop.within(limit_s, asker.call_async(call))
    # A call that held the loop ends before its cancellation is heard.
    if replies is None or perf_counter() - began > limit_s:
        return given_up(limit_s, len(call))
    return replies


class _Loop(Protocol):
    """What the kinds of event loops do differently."""

    async def within(self, limit_s: float, call: Coroutine[Any, Any, Sequence[Reply]]) -> Sequence[Reply] | None:
        """What a call brings, None when it was cancelled at the limit."""

    async def together(self, work: Callable[[], Awaitable[None]], times: int) -> None:
        """Do the same work several times at once, until all is done."""


class _Asyncio:
    async def within(self, limit_s: float, call: Coroutine[Any, Any, Sequence[Reply]]) -> Sequence[Reply] | None:
        task = asyncio.ensure_future(call)
        try:
            await asyncio.wait([task], timeout=limit_s)
        finally:
            late = not task.done() and task.cancel()
        if not late:
            return task.result()
        # Time to clean up; a call that ignores its cancellation is left behind.
        await asyncio.wait([task], timeout=limit_s)
        return None

    async def together(self, work: Callable[[], Awaitable[None]], times: int) -> None:
        tasks = [asyncio.ensure_future(work()) for _ in range(times)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class _Trio:
    async def within(self, limit_s: float, call: Coroutine[Any, Any, Sequence[Reply]]) -> Sequence[Reply] | None:
        import trio  # noqa: PLC0415  # it is what runs this

        with trio.move_on_after(limit_s):
            return await call
        return None

    async def together(self, work: Callable[[], Awaitable[None]], times: int) -> None:
        import trio  # noqa: PLC0415  # as above

        try:
            async with trio.open_nursery() as nursery:
                for _ in range(times):
                    nursery.start_soon(work)
        except BaseException as error:
            # Of several at once the first stands for all, as it does elsewhere.
            while hasattr(error, "exceptions"):
                error = error.exceptions[0]
            raise error from None


def _running_loop() -> _Loop:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _Trio()
    return _Asyncio()
