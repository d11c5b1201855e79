"""JSON from a file that people merge, cut off and edit: what is wrong is said in their words."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_recall._files.utf8 import decode
from pytest_recall._files.values import Invalid, Repeated

__all__ = ["NotJSON", "load"]

_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(\s|$)", re.MULTILINE)


class NotJSON(Invalid):
    """Something else than JSON, as far as can be told from how it begins."""


def load(data: bytes, *, noun: str, again: str) -> Any:
    """The values of a JSON file; an object with a key twice is a `Repeated`, NaN and infinities are floats.

    Args:
        data: with or without a BOM.
        noun: what the file should be, such as ``a baseline``.
        again: how to make it anew, such as ``record again``.

    Raises:
        Invalid: it is no JSON.
    """
    text = decode(data, again=again)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error, again) from None
    except RecursionError:
        raise Invalid(f"the values are nested too deeply for {noun}") from None
    except ValueError:
        raise Invalid(f"a number has too many digits for {noun}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Repeated:
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    seen: set[str] = set()
    return Repeated(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]


def _syntax_error(text: str, error: json.JSONDecodeError, again: str) -> Invalid:
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return Invalid(f"merge conflict markers at line {line}; resolve them, or delete it and {again}", line)
    if not text.lstrip().startswith("{"):
        return NotJSON(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno)
    written = text.rstrip()
    # What never was JSON is not cut off.
    begun = not written or written.lstrip()[0] in "{["
    if begun and error.msg != "Extra data" and (error.pos >= len(written) or not written.endswith("}")):
        return Invalid(f"the file is cut off; restore it, or delete it and {again}", written.count("\n") + 1)
    return Invalid(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno)
