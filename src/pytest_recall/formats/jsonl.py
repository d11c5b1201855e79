"""JSON objects from bytes, a file of one or a file with one a line, with repeated keys refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_recall.formats.files import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.formats.files import File, Source

__all__ = ["kind_of", "parse_object", "read_jsonl"]

_KINDS = {str: "text", list: "a list", dict: "a mapping", bool: "a boolean", type(None): "null"}


def read_jsonl(source: Source, *, name: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""The objects of a JSON lines file, each with the number of its line; blank lines are skipped.

    Args:
        source: a path or an open stream, gzipped or not.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: the file can't be read or is empty, a line is no JSON object, or a key is in one object twice.

    >>> import io
    >>> [*read_jsonl(io.StringIO('{"id": 1}\n\n{"id": 2}\n'))]
    [(1, {'id': 1}), (3, {'id': 2})]
    """
    with opened(source, name) as file:
        number = 0
        for number, line in file.lines():
            if not line.isspace():
                yield number, parse_object(line, file, number)
        if not number:
            raise file.error("the file is empty")


def parse_object(data: bytes, file: File, line: int = 1) -> dict[str, Any]:
    """The JSON object that bytes hold.

    Args:
        data: JSON.
        file: where they are from.
        line: the one they begin on.

    Raises:
        FormatError: they hold no JSON object, or a key is in one object twice.
    """
    import orjson  # noqa: PLC0415 - only who reads JSON pays for it

    try:
        value = orjson.loads(data)
        # Each string has its two quotes: more of them than what was kept needs are escaped ones, or of repeated keys.
        if data.count(b'"') != 2 * _strings(value):
            _check_keys(data, file, line)
    except orjson.JSONDecodeError as error:
        file.decode(data, line)
        raise file.error(f"no valid JSON: {error.msg}", line + error.lineno - 1, error.colno) from None
    except RecursionError:
        raise file.error("the values are nested too deeply", line) from None
    if not isinstance(value, dict):
        raise file.error(f"must be a JSON object, got {kind_of(value)}", line)
    return value


def kind_of(value: object) -> str:
    """What a JSON value is called in messages."""
    return _KINDS.get(type(value), "a number")


def _strings(value: object) -> int:
    """How many strings a value holds, keys among them."""
    if isinstance(value, str):
        return 1
    if isinstance(value, dict):
        count = len(value)
        for item in value.values():
            # Most values are text, and a call for each would take longer than the parsing did.
            count += 1 if item.__class__ is str else _strings(item)
        return count
    return sum(map(_strings, value)) if isinstance(value, list) else 0


class _RepeatedKeyError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        if key in record:
            raise _RepeatedKeyError(key)
        record[key] = value
    return record


def _check_keys(data: bytes, file: File, line: int) -> None:
    try:
        # Only the keys matter here, and a whole number may have too many digits for an int.
        json.loads(data, object_pairs_hook=_object, parse_int=float)
    except _RepeatedKeyError as error:
        # Nobody knows on which of several lines.
        raise file.error(f"the key {error.key!r:.80} is here twice", None if b"\n" in data.strip() else line) from None
