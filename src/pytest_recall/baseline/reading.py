"""A baseline from its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall._files import strict_json
from pytest_recall._files.places import is_device
from pytest_recall._files.replacing import reason
from pytest_recall._files.values import Invalid
from pytest_recall.baseline.checking import check
from pytest_recall.errors import BaselineError, Problem

if TYPE_CHECKING:
    import os

    from pytest_recall.baseline.model import Baseline

__all__ = ["read_baseline"]


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """The baseline in a file; a BOM is accepted.

    Raises:
        BaselineError: there is no such file, or something in it is not as `render` writes it, down to the last value.

    >>> from pathlib import Path
    >>> _ = Path("baseline.json").write_text('{"format": 1, "suites": {}}', encoding="utf-8")
    >>> read_baseline("baseline.json")
    Baseline(entries={})
    """
    if is_device(Path(path)):
        raise _error(path, "a baseline is a file, and this is a device")
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise _error(path, "there is no such file") from error
    except IsADirectoryError as error:
        raise _error(path, "a baseline is a file, and this is a directory") from error
    except OSError as error:
        raise _error(path, f"the file can't be read: {reason(error)}") from error
    try:
        return check(strict_json.load(data, noun="a baseline", again="record again"))
    except Invalid as error:
        raise _error(path, error.message, line=error.line, where=error.where.removeprefix(".")) from None


def _error(path: str | os.PathLike[str], message: str, *, line: int | None = None, where: str = "") -> BaselineError:
    return BaselineError(str(Problem(path=str(path), line=line, where=where, message=message)))
