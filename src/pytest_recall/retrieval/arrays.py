"""Arrays and tables of other libraries as plain lists; none is imported, and no array is asked for its truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ids_of_two", "is_array", "row_of", "values_of"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

# What makes rows or values of a whole, first match wins. Iterating over a table would give the names of its columns.
_CONVERSIONS: tuple[tuple[str, Callable[[Any], list[Any]]], ...] = (
    ("to_pylist", lambda arrow: arrow.to_pylist()),
    ("to_dicts", lambda polars: polars.to_dicts()),
    ("iterrows", lambda pandas: pandas.to_dict("records")),
    ("tolist", lambda array: array.tolist()),
)

_PADDING = -1


def is_array(value: object) -> bool:
    """Several values; the single numbers and texts of array libraries have some of the same methods."""
    return hasattr(value, "tolist") and hasattr(value, "__iter__") and not isinstance(value, (str, bytes))


def values_of(returned: object) -> list[Any] | None:
    """The values of an array, without the −1 that FAISS pads with, or the rows of a table; None for anything else."""
    convert = next((convert for name, convert in _CONVERSIONS if hasattr(returned, name)), None)
    values = None if convert is None else convert(returned)
    if not isinstance(values, list):  # an array without dimensions has a number for it
        return None
    if len(values) == 1 and isinstance(values[0], list) and _is_whole(values[0]):
        values = values[0]
    return _unpadded(values)


def ids_of_two(pair: tuple[Any, ...]) -> list[Any]:
    """The ids among ids and distances, whichever come first, as ``(D, I)`` of FAISS has them.

    What FAISS calls D is a distance or a similarity, and nothing tells which, so it is no score.

    Raises:
        RetrievalError: both may be the ids, or neither.
    """
    rows = [row_of(array) for array in pair]
    if not any(rows):
        return []
    candidates = [row for row in rows if not any(isinstance(value, float) for value in row)]
    if len(candidates) != 1:
        which = "either" if candidates else "neither"
        raise RetrievalError(f"two arrays came back, and {which} may be the ids; return the ids alone, or pairs")
    return _unpadded(candidates[0])


def row_of(batch: Any) -> list[Any]:
    """The one row of what a library returns for many queries; a single row is one already.

    Raises:
        RetrievalError: it has the results of several queries.
    """
    rows: list[Any] = batch.tolist() if is_array(batch) else list(batch)
    if not rows or not isinstance(rows[0], list):
        return rows
    if len(rows) > 1:
        raise RetrievalError(f"the results of {len(rows)} queries came back, and one was asked")
    return list(rows[0])


def _is_whole(values: list[Any]) -> bool:
    return {*map(type, values)} == {int}


def _unpadded(values: list[Any]) -> list[Any]:
    return [value for value in values if value != _PADDING] if _is_whole(values) else values
