"""A baseline from its file."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any

from pytest_recall.baseline.checking import Invalid, Repeated, check
from pytest_recall.errors import BaselineError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_recall.baseline.model import Baseline

__all__ = ["read_baseline", "reason"]

_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(\s|$)", re.MULTILINE)


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file; a BOM is accepted.

    Raises:
        BaselineError: there is no such file, or something in it is not as `render` writes it, down to the last value.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise _error(path, "there is no such file") from error
    except IsADirectoryError as error:
        raise _error(path, "a baseline is a file, and this is a directory") from error
    except OSError as error:
        raise _error(path, f"the file can't be read: {reason(error)}") from error
    try:
        return check(_load(data, path))
    except Invalid as error:
        raise _error(path, error.message, where=error.where.removeprefix(".")) from None


def reason(error: OSError) -> str:
    """What the system says, in the voice of our messages."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def _error(path: Path, message: str, *, line: int | None = None, where: str = "") -> BaselineError:
    return BaselineError(str(Problem(path=str(path), line=line, where=where, message=message)))


def _load(data: bytes, path: Path) -> Any:
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _error(path, "the file is not UTF-8; restore it, or delete it and record again", line=line) from None
    if not text.strip():
        raise _error(path, "the file is empty; restore it, or delete it and record again")
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise _syntax_error(path, text, error) from None
    except RecursionError:
        raise _error(path, "the values are nested too deeply for a baseline") from None
    except ValueError:
        raise _error(path, "a number has too many digits for a baseline") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Repeated:
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    seen: set[str] = set()
    return Repeated(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]


def _syntax_error(path: Path, text: str, error: json.JSONDecodeError) -> BaselineError:
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return _error(path, f"merge conflict markers at line {line}; resolve them, or record again", line=line)
    written = text.rstrip()
    if error.msg != "Extra data" and (error.pos >= len(written) or not written.endswith("}")):
        line = written.count("\n") + 1
        return _error(path, "the file is cut off; restore it, or delete it and record again", line=line)
    return _error(path, f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", line=error.lineno)
