"""The values of a file, checked and made typed. The place of a mistake grows as its error unwinds."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pytest_recall._text import shorten
from pytest_recall.errors import did_you_mean

__all__ = [
    "Invalid",
    "Reader",
    "Repeated",
    "array",
    "check_format",
    "choice",
    "count",
    "field",
    "items",
    "number",
    "object_of",
    "optional",
    "shown",
    "text",
    "whole",
]

T = TypeVar("T")
Reader = Callable[[Any], T]


class Invalid(Exception):  # noqa: N818 - not an error yet: it lacks the file
    """A value that no such file holds.

    Attributes:
        message: what is wrong.
        where: the place in the document, such as ``suites['a.eval.yaml'].systems``; empty for the whole.
        line: counted from 1, None when it is not known.
    """

    def __init__(self, message: str, line: int | None = None, where: str = "") -> None:
        self.message = message
        self.where = where
        self.line = line


@dataclass(frozen=True, slots=True)
class Repeated:
    """Stands for an object that has a key twice, until its place is known."""

    key: str


def field(record: dict[str, Any], name: str, read: Reader[T]) -> T:
    """One value of an object; a missing one is None, for `optional` to take and all others to refuse."""
    try:
        return read(record.get(name))
    except Invalid as error:
        error.where = f".{name}{error.where}"
        raise


def items(value: Any, read: Callable[[str, Any], T]) -> dict[str, T]:
    """An object whose keys are names, each value read with its name."""
    found = {}
    for key, item in object_of(value).items():
        try:
            found[key] = read(key, item)
        except Invalid as error:
            error.where = f"[{shorten(repr(key), 80)}]{error.where}"
            raise
    return found


def array(value: Any, read: Reader[T]) -> tuple[T, ...]:
    """A list, each element read alike."""
    if not isinstance(value, list):
        raise Invalid(f"must be a list, not {shown(value)}")
    found = []
    for place, item in enumerate(value):
        try:
            found.append(read(item))
        except Invalid as error:
            error.where = f"[{place}]{error.where}"
            raise
    return tuple(found)


def object_of(value: Any, *names: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The object; when any names are given it has all of them, perhaps the optional ones, and no others."""
    if isinstance(value, Repeated):
        raise Invalid(f"key {value.key!r} is given twice")
    if not isinstance(value, dict):
        raise Invalid(f"must be an object, not {shown(value)}")
    known = (*names, *optional)
    if known and value.keys() != set(known):
        for name in names:
            if name not in value:
                raise Invalid(f"{name!r} is missing")
        unknown = next((key for key in value if key not in known), None)
        if unknown is not None:
            raise Invalid(f"unknown key {unknown!r}{did_you_mean(str(unknown), known)}")
    return value


def check_format(record: dict[str, Any], newest: int, *, noun: str, again: str) -> None:
    """Refuse an object that is no file of ours, or one of a later edition.

    Args:
        record: has the edition under ``format``.
        newest: the last edition that is known.
        noun: what the file should be, such as ``baseline``.
        again: how to make it anew, such as ``record again``.
    """
    if "format" not in record:
        raise Invalid(f"no {noun} of pytest-recall: 'format' is missing")
    if field(record, "format", whole(1)) > newest:
        later = f"{shown(record['format'])} is of a later pytest-recall, this one reads {newest}"
        raise Invalid(f"{later}; upgrade it, or delete it and {again}", where=".format")


def shown(value: Any) -> str:
    """A value as messages show it."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, (dict, Repeated)):
        return "an object"
    # YAML and TOML have dates and more.
    return shorten(json.dumps(value, ensure_ascii=False, default=str), 40)


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise Invalid(f"must be a text, not {shown(value)}")
    return value


def choice(*choices: str) -> Reader[Any]:
    def read(value: Any) -> str:
        if value not in choices:
            raise Invalid(f"must be one of {', '.join(choices)}, not {shown(value)}")
        return str(value)

    return read


def whole(least: int, most: int | None = None) -> Reader[int]:
    allowed = f"a whole number from {least}" if most is None else f"a whole number from {least} to {most:,}"

    def read(value: Any) -> int:
        if type(value) is not int or value < least or (most is not None and value > most):
            raise Invalid(f"must be {allowed}, not {shown(value)}")
        return value

    return read


def number(value: Any) -> float:
    if type(value) in (int, float):
        with contextlib.suppress(OverflowError):
            converted = float(value)
            if math.isfinite(converted):
                return converted
    raise Invalid(f"must be a number, not {shown(value)}")


def optional(read: Reader[T]) -> Reader[T | None]:
    return lambda value: None if value is None else read(value)


count = whole(0)
