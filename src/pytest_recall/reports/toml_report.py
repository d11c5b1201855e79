"""A report as TOML, which has no null: what is undefined is left out."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_recall import _json
from pytest_recall._files.utf8 import decode, encode
from pytest_recall._files.values import Invalid
from pytest_recall.reports.closing import closed, cut_off, is_cut_off, opened
from pytest_recall.reports.record import to_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "READER", "WRITER", "parse", "render"]

BEGINS = re.compile(rb"(?:(?:#[^\n]*)?[ \t\r]*\n)*format *= *\d+\s+(?:\[\[)?evaluations\b")

WRITER = "tomli_w"
# In the standard library from Python 3.11 on.
READER = "tomllib" if find_spec("tomllib") else "tomli"

HEADER = """\
# TOML has no null, so what is undefined is left out. What of a case's args and scores is undefined stands in a list of
# its own, as paths.

"""

# Where an entry that is left out is not the same as one that is undefined.
_OPEN = ("args", "scores", "repeats")
_UNDEFINED = "undefined"
_LINE = re.compile(r" \(at line (\d+), column \d+\)")


def render(reports: Sequence[SuiteReport]) -> bytes:
    """Everything that is defined.

    Raises:
        Invalid: a text that TOML can't hold.
    """
    record = closed(to_record(reports))
    for evaluation in record["evaluations"]:
        evaluation["cases"] = [_without_null(case) for case in evaluation["cases"]]
    text = HEADER + import_module(WRITER).dumps(_kept(record))
    return _json.with_hidden_escaped(encode(text, language="TOML").decode()).encode()


def parse(data: bytes) -> Any:
    """The plain values of a file, with None where `undefined` says so.

    Raises:
        Invalid: it is no TOML, or it is cut off.
    """
    text = decode(data, again="write the report again")
    tomllib = import_module(READER)
    try:
        record = opened(tomllib.loads(text), text)
    except tomllib.TOMLDecodeError as error:
        if is_cut_off(text):
            raise cut_off(text) from None
        line = _LINE.search(str(error))
        message = _LINE.sub("", str(error))
        raise Invalid(f"not TOML: {message[:1].lower()}{message[1:]}", int(line[1]) if line else None) from None
    except RecursionError:
        raise Invalid("the values are nested too deeply for a report") from None
    for case in _cases(record):
        _undefine(case, case.pop(_UNDEFINED, []))
    return record


def _without_null(case: dict[str, Any]) -> dict[str, Any]:
    undefined = [path for name in _OPEN for path in _nulls(case[name], [name])]
    return {**case, _UNDEFINED: undefined} if undefined else case


def _nulls(value: Any, path: list[str | int]) -> Iterator[list[str | int]]:
    """The path of every None in a value."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _nulls(item, [*path, key])
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _nulls(item, [*path, place])


def _kept(value: Any) -> Any:
    """The value without None; in a list an empty text holds its place."""
    if isinstance(value, dict):
        return {key: _kept(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return ["" if item is None else _kept(item) for item in value]
    return value


def _cases(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every table that stands where a case should; what else does is told when the record is read."""
    for evaluation in _tables(record.get("evaluations")):
        yield from _tables(evaluation.get("cases"))


def _tables(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _undefine(case: dict[str, Any], paths: Any) -> None:
    """Put None where each path leads."""
    for path in paths:
        try:
            *way, last = path
            place: Any = case
            for step in way:
                place = place[step]
            place[last] = None
        except (LookupError, TypeError, ValueError):
            message = f"{_UNDEFINED}: {path!r:.80} leads nowhere in the case {case.get('id')!r:.80}"
            raise Invalid(message) from None
