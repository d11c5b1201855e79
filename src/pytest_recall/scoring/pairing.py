"""Which judgments belong to which ranking: by query id, or by position, never by a guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from pytest_recall.errors import RecallError

__all__ = ["Paired", "Unpaired", "is_series", "pair"]

Unpaired = Literal["error", "trec"]

Paired = tuple["list[Any] | None", "list[Any]", "list[Any]"]
"""The query ids (None by position), and for each query its judgments and its ranking."""


def pair(qrels: Any, runs: Any, unpaired: Unpaired) -> Paired:
    """The judgments and the ranking of each query.

    Raises:
        RecallError: one side is a mapping and the other is not, lengths differ, or a query is on one side only and
            `unpaired` is not "trec".
    """
    if is_series(qrels) or is_series(runs):
        return _by_series(qrels, runs)
    if isinstance(qrels, Mapping) and isinstance(runs, Mapping):
        return _by_id(qrels, runs, unpaired)
    for name, value in (("qrels", qrels), ("runs", runs)):
        if isinstance(value, (str, bytes)) or not (isinstance(value, (Sequence, Mapping)) or _is_array(value)):
            raise RecallError(f"{name} must be a mapping by query id or a sequence by position, not {_kind(value)}")
    if isinstance(qrels, Mapping) or isinstance(runs, Mapping):
        raise RecallError(
            f"qrels and runs must both be mappings by query id or both sequences by position, "
            f"not {_kind(qrels)} and {_kind(runs)}"
        )
    if len(qrels) != len(runs):
        raise RecallError(f"qrels hold {len(qrels)} queries and runs {len(runs)}; by position they must match")
    return None, list(qrels), list(runs)


def _by_id(qrels: Mapping[Any, Any], runs: Mapping[Any, Any], unpaired: Unpaired) -> Paired:
    names = list(qrels)
    # Most often both come in one order, and then nothing is looked up.
    if names == list(runs):
        return names, list(qrels.values()), list(runs.values())
    if unpaired == "trec":
        return names, list(qrels.values()), [runs.get(query, []) for query in qrels]
    # Before anything is looked up: a defaultdict makes what it is asked for.
    if qrels.keys() != runs.keys():
        missing = (_one_side(query, "qrels", "runs") for query in qrels if query not in runs)
        extra = (_one_side(query, "runs", "qrels") for query in runs if query not in qrels)
        raise RecallError(next(chain(missing, extra)))
    return names, list(qrels.values()), [runs[query] for query in qrels]


def _one_side(query: Any, here: str, there: str) -> str:
    return (
        f"query {query!r:.80} is in {here} but not in {there}; unpaired='trec' scores a missing ranking 0 "
        f"and ignores one without judgments"
    )


def _by_series(qrels: Any, runs: Any) -> Paired:
    """Two pandas Series are aligned by position, and must agree on their index."""
    if not (is_series(qrels) and is_series(runs)):
        raise RecallError(f"a pandas Series must be paired with another, not {_kind(qrels)} with {_kind(runs)}")
    if not qrels.index.equals(runs.index):
        raise RecallError("the two pandas Series must have the same index")
    return None, list(qrels), list(runs)


def _kind(value: Any) -> str:
    return type(value).__name__


def is_series(value: Any) -> bool:
    """Whether it is a pandas Series, told without importing pandas."""
    return _is_of(value, "pandas", "Series")


def _is_array(value: Any) -> bool:
    return _is_of(value, "numpy", "ndarray") and value.ndim > 0


def _is_of(value: Any, package: str, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in type(value).__mro__)
