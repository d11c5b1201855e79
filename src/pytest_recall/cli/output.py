"""Where results and messages go."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_recall._files.replacing import reason, replace
from pytest_recall._text import printable
from pytest_recall.errors import RecallError

__all__ = ["check_target", "note", "say", "write_document"]


def say(*columns: str) -> None:
    """Print a line of the result, its columns separated by tabs."""
    print(*map(printable, columns), sep="\t")  # noqa: T201


def note(text: str) -> None:
    """Tell the user something beside the result."""
    print(f"pytest-recall: {printable(text)}", file=sys.stderr)  # noqa: T201


def check_target(target: str | None, *, force: bool) -> None:
    """See that a file may be written.

    Raises:
        RecallError: it is there already.
    """
    if target is not None and Path(target).exists() and not force:
        raise RecallError(f"{target}: the file is there already; --force replaces it")


def write_document(text: str, target: str | None = None) -> None:
    """Write a whole file, or nothing where that fails; to standard output without a target. Always UTF-8 with LF.

    Raises:
        RecallError: the file can't be written.
    """
    if target is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        return
    try:
        replace(Path(target), text.encode())
    except OSError as error:
        raise RecallError(f"{target}: the file can't be written: {reason(error)}") from None
