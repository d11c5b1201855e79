"""The entries of what users hand in as a sequence."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pytest_recall.errors import RecallError

__all__ = ["entries_of"]


def entries_of(name: str, what: str, value: Any) -> list[Any]:
    """The entries by position of a list, a tuple, an array or a column of a table.

    Args:
        name: of the argument.
        what: the sequence that it must be.
        value: what was handed in.

    Raises:
        RecallError: it is no such sequence.
    """
    kind = type(value).__name__
    if isinstance(value, (str, bytes, Mapping, AbstractSet)) or not hasattr(value, "__len__"):
        raise RecallError(f"{name} must be {what}, not {kind}")
    # The entries of a whole table would be the names of its columns.
    if (dimensions := getattr(value, "ndim", 1)) != 1:
        raise RecallError(f"{name} must be {what}, not {kind} of {dimensions} dimensions")
    return list(value)
