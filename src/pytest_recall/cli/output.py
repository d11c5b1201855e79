"""Where results and messages go, and where input comes from that has no name."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pytest_recall._files.replacing import reason, replace
from pytest_recall._text import printable
from pytest_recall.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "check_target",
    "drop_output",
    "flush",
    "note",
    "say",
    "standard_input",
    "standard_output",
    "write_document",
]


def standard_input() -> BinaryIO:
    """What a command reads where ``-`` stands for a file.

    Raises:
        RecallError: it is closed.
    """
    # None stands for a stream that was closed when the process began.
    stream: object = sys.stdin
    if stream is None:
        raise RecallError("standard input is closed, and - stands for it")
    return sys.stdin.buffer


@contextmanager
def standard_output() -> Iterator[None]:
    """Where something is printed: a full disk is told, and a reader that has enough is no mistake.

    Raises:
        RecallError: it can't be written.
        BrokenPipeError: whoever read has gone.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise RecallError(f"standard output can't be written: {reason(error)}") from None


def drop_output() -> None:
    """Forget what is still in the buffer, and all that is printed from here on: it must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush() -> None:
    """See that everything is printed.

    Raises:
        RecallError: it can't be written.
        BrokenPipeError: whoever read has gone.
    """
    with standard_output():
        sys.stdout.flush()


def say(*columns: str) -> None:
    """Print a line of the result, its columns separated by tabs."""
    with standard_output():
        print(*map(printable, columns), sep="\t")  # noqa: T201


def note(text: str) -> None:
    """Tell the user something beside the result."""
    print(f"pytest-recall: {printable(text)}", file=sys.stderr)  # noqa: T201


def check_target(target: str | None, *, force: bool) -> None:
    """See that a file may be written.

    Raises:
        RecallError: it is there already, or is a folder.
    """
    if target is not None and Path(target).is_dir():
        raise RecallError(f"{target}: a suite is a file, and this is a folder; name a file in it")
    if target is not None and Path(target).exists() and not force:
        raise RecallError(f"{target}: the file is there already; --force replaces it")


def write_document(text: str, target: str | None = None) -> None:
    """Write a whole file, or nothing where that fails; to standard output without a target. Always UTF-8 with LF.

    Raises:
        RecallError: the file can't be written.
    """
    if target is None:
        with standard_output():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
        return
    try:
        replace(Path(target), text.encode())
    except OSError as error:
        raise RecallError(f"{target}: the file can't be written: {reason(error)}") from None
