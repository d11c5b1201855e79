"""Which judgments belong to which ranking, or query: by query id, or by position, never by a guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from pytest_recall._text import count
from pytest_recall.errors import RecallError

__all__ = ["JUDGED_QUERIES", "Paired", "Sides", "Unpaired", "in_order", "is_series", "pair"]

Unpaired = Literal["error", "trec"]

Paired = tuple["list[Any] | None", "list[Any]", "list[Any]"]
"""The query ids (None by position), and for each query what either side has of it."""


class Sides(NamedTuple):
    """How messages call the two sides.

    Attributes:
        advice: what to do about a query that is on one side only.
    """

    one: str
    other: str
    advice: str


JUDGED_RUNS = Sides("qrels", "runs", "unpaired='trec' scores a missing ranking 0 and ignores one without judgments")
JUDGED_QUERIES = Sides("queries", "qrels", "each query needs judgments, [] where nothing should come back")


def pair(one: Any, other: Any, unpaired: Unpaired, sides: Sides = JUDGED_RUNS) -> Paired:
    """What two sides have of each query, in the order of the one.

    Raises:
        RecallError: one side is a mapping and the other is not, lengths differ, or a query is on one side only and
            `unpaired` is not "trec", which both sides must share a query for.
    """
    if is_series(one) or is_series(other):
        return _by_series(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _by_id(one, other, unpaired, sides)
    for name, value in ((sides.one, one), (sides.other, other)):
        if isinstance(value, (str, bytes)) or not (isinstance(value, (Sequence, Mapping)) or _is_array(value)):
            raise RecallError(f"{name} must be a mapping by query id or a sequence by position, not {_kind(value)}")
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        raise RecallError(
            f"{sides.one} and {sides.other} must both be mappings by query id or both sequences by position, "
            f"not {_kind(one)} and {_kind(other)}"
        )
    if len(one) != len(other):
        raise RecallError(
            f"{sides.one} hold {count(len(one), 'query', 'queries')} and {sides.other} {len(other):,}; "
            f"by position they must match"
        )
    return None, list(one), list(other)


def _by_id(one: Mapping[Any, Any], other: Mapping[Any, Any], unpaired: Unpaired, sides: Sides) -> Paired:
    names = list(one)
    # Most often both come in one order, and then nothing is looked up.
    if names == list(other):
        return names, list(one.values()), list(other.values())
    if unpaired == "trec" and not (one and other and one.keys().isdisjoint(other)):
        return names, list(one.values()), [other.get(query, []) for query in one]
    # Before anything is looked up: a defaultdict makes what it is asked for.
    if one.keys() != other.keys():
        missing = (_one_side(query, sides.one, other, sides.other) for query in one if query not in other)
        extra = (_one_side(query, sides.other, one, sides.one) for query in other if query not in one)
        hint = "no query is on both sides" if unpaired == "trec" else sides.advice
        raise RecallError(f"{next(chain(missing, extra))}; {hint}")
    return names, list(one.values()), [other[query] for query in one]


def _one_side(query: Any, here: str, others: Iterable[Any], there: str) -> str:
    twin = next((other for other in others if str(other) == str(query)), None)
    but = "" if twin is None else f", which has {twin!r:.80}, of type {type(twin).__name__}"
    return f"query {query!r:.80} is in {here} but not in {there}{but}"


def _by_series(one: Any, other: Any) -> Paired:
    """Two pandas Series are aligned by position, and must agree on their index."""
    if not (is_series(one) and is_series(other)):
        raise RecallError(f"a pandas Series must be paired with another, not {_kind(one)} with {_kind(other)}")
    if not one.index.equals(other.index):
        raise RecallError("the two pandas Series must have the same index")
    return None, list(one), list(other)


def _kind(value: Any) -> str:
    return type(value).__name__


def is_series(value: Any) -> bool:
    """Whether it is a pandas Series, told without importing pandas."""
    return _is_of(value, "pandas", "Series")


def in_order(value: Any) -> Any:
    """An array or a column of a table as a list, whatever its index; anything else as it is."""
    return list(value) if is_series(value) or _is_array(value) else value


def _is_array(value: Any) -> bool:
    """Whether it is an array, or a column of polars, which has no index."""
    return (_is_of(value, "numpy", "ndarray") and value.ndim > 0) or _is_of(value, "polars", "Series")


def _is_of(value: Any, package: str, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in type(value).__mro__)
