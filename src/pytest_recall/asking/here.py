"""Calls in this process: one after the other, or in threads."""

from __future__ import annotations

from contextlib import closing
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING

from pytest_recall.asking.threads import ask_in_threads

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_recall.asking.calls import Asker, Question, Reply
    from pytest_recall.asking.plan import Plan

__all__ = ["ask_here"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def ask_here(asker: Asker, questions: Sequence[Question], plan: Plan) -> Generator[Reply, None, None]:
    """The reply to each question, in their order, whatever finished first.

    The first call is made `warmup` times before; what comes of it is not told, for it will be asked again.
    """
    warmup = plan.warmup or 0
    first = islice(asker.calls(questions), 1)
    calls = chain(chain.from_iterable(repeat(call, warmup) for call in first), asker.calls(questions))
    if not plan.threaded:
        yield from chain.from_iterable(islice(map(asker, calls), warmup, None))
        return
    # Closed at once when nobody waits any more, so that no further call begins.
    with closing(ask_in_threads(asker, list(calls), plan.concurrency or 1, plan.timeout, untimed=warmup)) as replies:
        yield from chain.from_iterable(islice(replies, warmup, None))
