"""The fields of TREC and BEIR files: numbers, and ids that can be told from their neighbours."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from pytest_recall._json import plain
from pytest_recall.formats.files import unwritable

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


def number_text(value: float) -> str:
    """A finite number as the shortest text that `number` reads back."""
    return repr(plain(float(value)))


def check_field(written: str, kind: str, target: Target) -> None:
    """See that a text can be a field of a TREC file.

    Args:
        written: an id or a tag.
        kind: what it is: "topic", "document" or "tag".
        target: the file to be.

    Raises:
        FormatError: it can't.
    """
    if not _FIELD.fullmatch(written):
        problem = "a field there is text without blanks"
    elif kind == "topic" and written.startswith(_NOT_FIRST):
        problem = "a topic there begins with neither '#' nor '{'"
    else:
        return
    raise unwritable(target, f"the {kind} {written!r:.80} can't be written to a TREC file: {problem}")
