"""How much of a large file is read: on a terminal, and gone when it is done."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Item = TypeVar("Item")

__all__ = ["shown_progress"]

FIRST_S = 0.5
EVERY_S = 0.1
_WIDTH = 40


@contextmanager
def shown_progress(source: Any) -> Iterator[Callable[[Iterator[Item]], Iterator[Item]]]:
    """What items are led through that come from a file; it shows how much of the file they took.

    Args:
        source: an open file; nothing is shown for a pipe or a path, or where standard error is no terminal.
    """
    size = _size(source)
    if not size or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda items: items
        return

    def through(items: Iterator[Item]) -> Iterator[Item]:
        began = perf_counter()
        due = began + FIRST_S
        for item in items:
            now = perf_counter()
            if now >= due:
                due = now + EVERY_S
                _show(min(source.tell() / size, 1.0), now - began)
            yield item

    try:
        yield through
    finally:
        sys.stderr.write("\r" + " " * (_WIDTH + 30) + "\r")
        sys.stderr.flush()


def _size(source: Any) -> int:
    try:
        return os.fstat(source.fileno()).st_size if source.seekable() else 0
    except (AttributeError, OSError):
        return 0


def _show(share: float, elapsed_s: float) -> None:
    bar = "#" * round(share * _WIDTH)
    left_s = elapsed_s * (1 - share) / share if share else 0.0
    sys.stderr.write(f"\r[{bar:<{_WIDTH}}] {share:4.0%}, {left_s:,.0f} s left   ")
    sys.stderr.flush()
