"""The fields of TREC and BEIR files: numbers, and ids that can be told from their neighbours."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from pytest_recall._json import plain
from pytest_recall.errors import FormatError, Problem
from pytest_recall.formats.files import name_of

if TYPE_CHECKING:
    from pytest_recall.formats.files import Target

__all__ = ["check_field", "number", "number_text"]

# float() would also take nan, infinity, 1_000 and the digits of other scripts.
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")

# Lone surrogates are not UTF-8, and at the start of a file U+FEFF would be a byte order mark.
_FIELD = re.compile(r"[^\s\ufeff\ud800-\udfff]+")

# The first makes a line a comment, the second a file JSON.
_NOT_FIRST = ("#", "{")


def number(written: str) -> float | None:
    """The value of a finite decimal number, None for anything else."""
    if not _NUMBER.fullmatch(written):
        return None
    value = float(written)
    return value if isfinite(value) else None


def number_text(value: float, what: str, target: Target) -> str:
    """A number as the shortest text that `number` reads back.

    Raises:
        FormatError: it is not finite.
    """
    if not isfinite(value):
        raise FormatError(Problem(path=name_of(target), message=f"{what} must be a finite number, got {value!r}"))
    return repr(plain(float(value)))


def check_field(id: str, kind: str, target: Target) -> None:
    """See that an id can be a field of a TREC file.

    Args:
        id: of a topic or a document.
        kind: "topic" or "document".
        target: the file to be.

    Raises:
        FormatError: it can't.
    """
    problem = None
    if not _FIELD.fullmatch(id):
        problem = "an id there is text without blanks; JSON takes any id"
    elif kind == "topic" and id.startswith(_NOT_FIRST):
        problem = "a topic there begins with neither '#' nor '{'; JSON takes any id"
    if problem is not None:
        message = f"the {kind} {id!r:.80} can't be written to a TREC file: {problem}"
        raise FormatError(Problem(path=name_of(target), message=message))
