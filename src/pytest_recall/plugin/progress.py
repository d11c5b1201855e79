"""How far a suite is that takes more than a second: on a terminal, and gone when it is done."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pytest_recall._text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

__all__ = ["progress_text", "shown_progress"]

_FIRST_S = 1.0
_EVERY_S = 0.2


@contextmanager
def shown_progress(config: pytest.Config, total: int) -> Iterator[Callable[[int], None] | None]:
    """What is to be told how many of all queries are done; None where nobody would see it."""
    line = _Line(config, total) if _is_seen(config) else None
    try:
        yield None if line is None else line.update
    finally:
        if line is not None:
            line.show("")


def _is_seen(config: pytest.Config) -> bool:
    """On a terminal, where nothing but pytest writes."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    # Of pytest 9.2 `isatty` is a method that can still be taken for the attribute it was.
    terminal = reporter is not None and bool(reporter.isatty) and os.environ.get("TERM") != "dumb"
    return terminal and config.option.capture != "no"


class _Line:
    """Text behind what pytest has written of its line, taken back with backspaces, so that pytest finds its place."""

    def __init__(self, config: pytest.Config, total: int) -> None:
        self._capture: Any = config.pluginmanager.get_plugin("capturemanager")
        writer = config.get_terminal_writer()
        self._room = writer.fullwidth - writer.width_of_current_line - 1
        self._total = total
        self._shown = 0
        self._began = perf_counter()
        self._next = self._began + _FIRST_S

    def update(self, done: int) -> None:
        now = perf_counter()
        if now >= self._next:
            self._next = now + _EVERY_S
            self.show(progress_text(done, self._total, now - self._began))

    def show(self, text: str) -> None:
        """Replace what is shown; a text that finds no room is left out."""
        text = text if len(text) <= self._room else ""
        if not text and not self._shown:
            return
        blanks = max(self._shown - len(text), 0)
        with self._capture.global_and_fixture_disabled():
            sys.stdout.write("\b" * self._shown + text + " " * blanks + "\b" * blanks)
            sys.stdout.flush()
        self._shown = len(text)


def progress_text(done: int, total: int, elapsed_s: float) -> str:
    """``120 of 2,000 queries, 60 a second, 31 s left``."""
    rate = done / elapsed_s
    speed = f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"
    return f" {done:,} of {count(total, 'query', 'queries')}, {speed}, {_duration((total - done) / rate)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s" if minutes else f"{rest} s"
