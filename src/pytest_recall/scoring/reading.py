"""Judgments and rankings as users hold them, brought to one shape."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RecallError
from pytest_recall.scoring.pairing import Unpaired, is_series, pair

if TYPE_CHECKING:
    from pytest_recall.settings import Duplicates

__all__ = ["Queries", "read_grades", "read_id", "read_queries"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """For each query its grades and its ranking; ids are all text or all int.

    Attributes:
        names: query ids, None where queries go by position.
        grades: every grade that occurs.
        careful: each ranking was looked at id by id; else they still may hold what is no text.
    """

    names: list[Any] | None
    qrels: list[dict[Any, float]]
    runs: list[list[Any]]
    grades: frozenset[float]
    careful: bool = False

    def name(self, position: int) -> str:
        """How messages call a query."""
        return f"query {position if self.names is None else self.names[position]!r:.80}"

    def read_carefully(self) -> Queries:
        """The same queries, looked at id by id.

        Raises:
            RecallError: ids or grades are none, or ids are of both kinds; the query is named.
        """
        qrels, runs = [], []
        kinds: set[type] = set()
        for position, (judged, ids) in enumerate(zip(self.qrels, self.runs, strict=True)):
            name = self.name(position)
            qrels.append(read_grades(f"{name} in qrels", judged))
            runs.append(_ranking(f"{name} in runs", ids))
            kinds |= {*map(type, qrels[-1]), *map(type, runs[-1])}
            if len(kinds) > 1:
                raise RecallError(f"{name}: ids are text or whole numbers, of one kind for all queries")
        return Queries(names=self.names, qrels=qrels, runs=runs, grades=_all_grades(qrels), careful=True)


def read_queries(qrels: Any, runs: Any, *, duplicates: Duplicates, unpaired: Unpaired) -> Queries:
    """The queries of two mappings by id or two sequences by position.

    Raises:
        RecallError: they can't be paired, ids or grades are none, or ids are of both kinds; the query is named.
    """
    names, judged, ranked = pair(qrels, runs, unpaired)
    if not judged:
        raise RecallError("there are no queries, so there is nothing to score")
    if duplicates == "error" and (grades := _plain_grades(judged, ranked)) is not None:
        return Queries(names=names, qrels=judged, runs=ranked, grades=grades)
    queries = Queries(names=names, qrels=judged, runs=ranked, grades=frozenset()).read_carefully()
    if duplicates == "first":
        return replace(queries, runs=[list(dict.fromkeys(ids)) for ids in queries.runs])
    return queries


def _plain_grades(qrels: list[Any], runs: list[Any]) -> frozenset[float] | None:
    """Every grade, where all judgments are dicts from text to good grades and all rankings lists, seen at once."""
    if set(map(type, qrels)) != {dict} or set(map(type, runs)) != {list}:
        return None
    if not set(map(type, chain.from_iterable(qrels))) <= {str}:
        return None
    try:
        grades = _all_grades(qrels)
    except TypeError:
        return None
    return grades if set(map(type, grades)) <= {int, float} and all(0 <= grade < inf for grade in grades) else None


def _all_grades(qrels: list[dict[Any, Any]]) -> frozenset[Any]:
    return frozenset(chain.from_iterable(map(dict.values, qrels)))


def read_grades(what: str, judged: Any) -> dict[Any, float]:
    """The grade of each id in a collection of relevant ids, where it is 1, or in a mapping.

    Raises:
        RecallError: ids or grades are none, which `what` calls whose they are.
    """
    if not isinstance(judged, Mapping):
        return dict.fromkeys(_ids(what, judged), 1)
    return {read_id(what, id): _grade(what, id, grade) for id, grade in judged.items()}


def _grade(what: str, id: Any, grade: Any) -> float:
    try:
        if 0 <= grade < inf:
            return float(grade)
    except (TypeError, ValueError, OverflowError):
        pass
    raise RecallError(f"{what}: the grade of {id!r:.80} must be a finite number from 0, got {grade!r:.80}")


def _ranking(what: str, ids: Any) -> list[Any]:
    if isinstance(ids, AbstractSet):
        raise RecallError(f"{what}: a {type(ids).__name__} has no order; pass the ids best first")
    return _ids(what, ids)


def _ids(what: str, ids: Any) -> list[Any]:
    if isinstance(ids, (str, bytes)):
        raise RecallError(f"{what}: a bare {type(ids).__name__} {ids!r:.80} is no list of ids")
    if is_series(ids):
        raise RecallError(f"{what}: a pandas Series is no list of ids; pass its values with .tolist()")
    if isinstance(ids, Mapping) or not isinstance(ids, Iterable):
        raise RecallError(f"{what}: a list of ids is needed, not {type(ids).__name__}")
    return [read_id(what, id) for id in ids]


def read_id(what: str, id: Any) -> Any:
    """Text as it is; whole numbers, numpy's too, as int.

    Raises:
        RecallError: it is neither, which `what` calls where it stands.
    """
    if isinstance(id, str):
        return str.__str__(id)
    # numpy's bool has an __index__ in some versions.
    if not type(id).__name__.startswith("bool"):
        try:
            return operator.index(id)
        except TypeError:
            pass
    raise RecallError(f"{what}: an id is text or a whole number, not {type(id).__name__} {id!r:.80}")
