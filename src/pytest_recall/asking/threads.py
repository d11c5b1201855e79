"""Calls in daemon threads: several at once, and each within a time limit."""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import dataclass, field
from math import inf
from threading import Condition, Thread
from time import perf_counter
from typing import TYPE_CHECKING

from pytest_recall.asking.calls import given_up

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_recall.asking.calls import Asker, Question, Reply

__all__ = ["ask_in_threads"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

# The longest wait: where no lock can be interrupted, Ctrl-C is heard in between.
_PATIENCE_S = 0.5

Call = tuple["Question", ...]


def ask_in_threads(
    asker: Asker, calls: Sequence[Call], concurrency: int, limit_s: float | None, *, untimed: int = 0
) -> Generator[Sequence[Reply], None, None]:
    """The replies of each call, in order.

    Args:
        asker: makes a call.
        calls: the questions of each.
        concurrency: the most calls at once.
        limit_s: seconds that a call may take; it is then given up, and its thread replaced.
        untimed: how many calls at the start have no limit, and are made one after the other.
    """
    pool = _Pool(asker=asker, calls=calls, limit_s=inf if limit_s is None else limit_s, untimed=untimed)
    try:
        pool.start(1)
        for number in range(len(calls)):
            if number == untimed:
                pool.start(min(concurrency, len(calls) - untimed) - 1)
            yield pool.wait_for(number)
    finally:
        pool.close()


@dataclass(slots=True, kw_only=True)
class _Pool:
    """What the threads and the one who waits for them share.

    Attributes:
        next: number of the call that is made next.
        running: call → when it began; one that is no longer here was given up, and what it brings is dropped.
        done: call → its replies, or what ends the whole run.
    """

    asker: Asker
    calls: Sequence[Call]
    limit_s: float
    untimed: int
    next: int = 0
    running: dict[int, float] = field(default_factory=dict)
    done: dict[int, Sequence[Reply] | BaseException] = field(default_factory=dict)
    changed: Condition = field(default_factory=Condition)

    def start(self, threads: int) -> None:
        for _ in range(threads):
            # Like the thread that waits, each sees what fixtures set for it. A stuck daemon holds no exit.
            Thread(target=copy_context().run, args=(self._work,), name="pytest-recall", daemon=True).start()

    def close(self) -> None:
        """Let no further call begin."""
        with self.changed:
            self.next = len(self.calls)

    def wait_for(self, number: int) -> Sequence[Reply]:
        """The replies of a call.

        Raises:
            BaseException: of the user's code, what is no exception of a case: an interrupt, or an outcome of pytest.
        """
        with self.changed:
            while number not in self.done:
                self.changed.wait(self._give_up_the_late())
            replies = self.done.pop(number)
        if isinstance(replies, BaseException):
            raise replies
        return replies

    def _work(self) -> None:
        while (number := self._begin()) is not None:
            try:
                replies: Sequence[Reply] | BaseException = self.asker(self.calls[number])
            except BaseException as error:  # noqa: BLE001  # it goes to the thread that waits
                replies = error
            if not self._finish(number, replies):
                return

    def _begin(self) -> int | None:
        with self.changed:
            number = self.next
            if number == len(self.calls):
                return None
            self.next += 1
            self.running[number] = perf_counter()
            self.changed.notify()
            return number

    def _finish(self, number: int, replies: Sequence[Reply] | BaseException) -> bool:
        """Hand in what a call brought; False when it was given up, and another thread has this one's place."""
        with self.changed:
            began = self.running.pop(number, None)
            if began is None:
                return False
            late = perf_counter() - began > self._limit_s(number) and not isinstance(replies, BaseException)
            self.done[number] = given_up(self.limit_s, len(self.calls[number])) if late else replies
            self.changed.notify()
            return True

    def _give_up_the_late(self) -> float:
        """Replace the threads whose calls take too long; the seconds until there may be another."""
        patience = _PATIENCE_S
        for number, began in list(self.running.items()):
            left = began + self._limit_s(number) - perf_counter()
            if left <= 0:
                del self.running[number]
                self.done[number] = given_up(self.limit_s, len(self.calls[number]))
                self.start(1)
            patience = min(patience, max(left, 0))
        return patience

    def _limit_s(self, number: int) -> float:
        return self.limit_s if number >= self.untimed else inf
