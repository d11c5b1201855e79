"""The results of one query, best first, read as ids with their scores."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from operator import ne
from types import NoneType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pytest_recall._text import listing
from pytest_recall.errors import AsynchronousError, NoRankingError, RetrievalError
from pytest_recall.retrieval.awaiting import discard, is_asynchronous
from pytest_recall.retrieval.ids import is_whole, number, plain_ids, text_id
from pytest_recall.retrieval.places import by_name, place_of, scores_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.retrieval.places import Place

__all__ = ["ACCEPTED", "Columns", "ResultReader", "refuse", "score_in"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

ACCEPTED = "ids, (id, score) pairs, a mapping id -> score, or objects with an id"

_NO_OBJECTS = (str, int, tuple, list)
_NUMBERS = frozenset((float,))
_NUMBERS_OR_NONE = frozenset((float, NoneType))

Columns = tuple["Sequence[str]", "Sequence[float | None]"]
"""Ids, and the score of each, None where it has none."""


class ResultReader:
    """Reads ids, pairs, rows and objects of one system on one suite.

    Attributes:
        place: where the first object held its id. It holds for all that follow, so that two fields are never mixed, and
            is the only thing that one query leaves to the next.
        notes: what a reader should know of the results so far.
    """

    def __init__(self) -> None:
        self.place: Place | None = None
        self.notes: list[str] = []
        self._nan_noted = False

    def read(self, results: Sequence[object]) -> Columns:
        """The ids of some results, as many as there are results.

        Raises:
            RetrievalError: one of them has no id, with the type received and what is accepted.
        """
        columns = self._at_once(results) or self._one_by_one(results)
        self._note_nan(*columns)
        return columns

    def _at_once(self, results: Sequence[Any]) -> Columns | None:
        """The common forms, each as one column; None where the results want a look one by one."""
        kinds = {*map(type, results)}
        ids: Sequence[Any]
        scores: Sequence[Any]
        if kinds == {str}:
            return (results, [None] * len(results)) if all(results) else None
        if kinds == {tuple} and {*map(len, results)} == {2}:
            ids, scores = zip(*results, strict=True)
            plain = _NUMBERS.issuperset(map(type, scores))
        elif self.place is None or not kinds.isdisjoint(_NO_OBJECTS):
            ids, scores, plain = results, [None] * len(results), True
        else:
            ids, scores = self.place.look(results), scores_of(results)
            plain = _NUMBERS_OR_NONE.issuperset(map(type, scores))
        found = plain_ids(ids) if plain else None
        return None if found is None else (found, scores)

    def _one_by_one(self, results: Sequence[object]) -> Columns:
        hits = [self._hit(result) for result in results]
        return [id for id, _ in hits], [score for _, score in hits]

    def _note_nan(self, ids: Sequence[str], scores: Sequence[float | None]) -> None:
        # NaN counts as true, and it alone differs from itself; most often there are no scores at all.
        if self._nan_noted or not any(scores) or not any(map(ne, scores, scores)):
            return
        self._nan_noted = True
        first = next(id for id, score in zip(ids, scores, strict=True) if score is not None and math.isnan(score))
        self.notes.append(f"NaN scores came back, first that of {first!r:.80}")

    def _hit(self, result: object) -> tuple[str, float | None]:
        if _is_bare(result):
            return text_id(result), None
        named = by_name(result)
        if named is None and isinstance(result, (tuple, list)):
            return self._of_row(result)
        if named is not None and len(named) <= 2 and self.place is None and place_of(named) is None:
            return self._of_row(tuple(named.values()))
        holder = result if named is None else named
        return self._id_of(holder, type(result)), number(scores_of((holder,))[0])

    def _of_row(self, row: tuple[object, ...] | list[object]) -> tuple[str, float | None]:
        if len(row) == 1:
            return self._id_of(row[0]), None
        if len(row) != 2:
            raise RetrievalError(f"a result with {len(row)} fields is no (id, score) pair")
        id, score = row
        if _is_swapped(id, score):
            raise RetrievalError(
                f"a pair of types ({type(id).__name__}, {type(score).__name__}) looks like (score, id); "
                f"return (id, score)"
            )
        return self._id_of(id), score_in(row, score)

    def _id_of(self, result: object, kind: type | None = None) -> str:
        """The id that a result is, or that it holds at the place of all ids."""
        if _is_bare(result):
            return text_id(result)
        kind = kind or type(result)
        if self.place is None:
            self._find_place(result)
        if self.place is None:
            held = f" (keys: {listing(map(str, result))})" if isinstance(result, Mapping) and result else ""
            raise RetrievalError(f"a result of type {kind.__name__}{held} has no id; accepted are {ACCEPTED}")
        id = self.place.look((result,))[0]
        if id is None:
            raise RetrievalError(
                f"a result of type {kind.__name__} has no {self.place}, where the results before it had their id"
            )
        return text_id(id)

    def _find_place(self, result: object) -> None:
        self.place = place_of(result)
        if self.place is not None and self.place.outer is not None:
            self.notes.append(f"ids taken from {self.place}")


def _is_bare(result: object) -> bool:
    """An id itself, or a value that is none and holds none."""
    if result is None or isinstance(result, (str, bytes, os.PathLike, UUID)):
        return True
    return is_whole(result) or number(result) is not None


def _is_swapped(id: object, score: object) -> bool:
    """A number before what can only be an id, or a fraction before anything but another."""
    if number(id) is None:
        return False
    if isinstance(score, (str, UUID)):
        return True
    return not is_whole(id) and score is not None and (is_whole(score) or number(score) is None)


def score_in(whole: object, score: object) -> float:
    """The score of a pair or of a mapping.

    Raises:
        RetrievalError: it is no number.
    """
    found = number(score)
    if found is not None:
        return found
    kind = type(whole).__name__
    raise RetrievalError(f"a {kind} with a score of type {type(score).__name__} is no ranking; accepted are {ACCEPTED}")


def refuse(returned: object) -> RetrievalError:
    """The error of what is no ranking."""
    kind = type(returned).__name__
    if is_asynchronous(returned):
        discard(returned)
        return AsynchronousError("retriever", kind)
    return NoRankingError(f"{_described(returned, kind)}; accepted are {ACCEPTED}")


def _described(returned: object, kind: str) -> str:
    if returned is None:
        return "None (missing return?)"
    if isinstance(returned, (str, bytes, bytearray)):
        return f"a bare {kind}, not a list of ids"
    if isinstance(returned, (set, frozenset)):
        return f"a {kind}, which has no order"
    return f"an object of type {kind}"
