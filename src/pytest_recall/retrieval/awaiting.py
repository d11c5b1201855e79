"""What asynchronous retrievers return, where there is no event loop to read it."""

from __future__ import annotations

from collections.abc import AsyncIterable, Coroutine
from inspect import CORO_CREATED, getcoroutinestate, isawaitable, iscoroutine
from typing import Any

__all__ = ["discard", "is_asynchronous"]


def is_asynchronous(returned: object) -> bool:
    """Whether it is read by an event loop alone; a future looks like any iterable, for the loop's own use."""
    return isawaitable(returned) or isinstance(returned, AsyncIterable)


def discard(returned: Any) -> None:
    """Close what nobody will await, so that Python has nothing to warn of."""
    if hasattr(returned, "get_coro"):  # a task
        returned.cancel()
        returned = returned.get_coro()
        if not (iscoroutine(returned) and getcoroutinestate(returned) == CORO_CREATED):
            return
    if isinstance(returned, Coroutine):
        returned.close()
