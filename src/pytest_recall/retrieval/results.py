"""What a retriever may return, read as ids with their scores."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pytest_recall.errors import RetrievalError

__all__ = ["ACCEPTED", "Hit", "ResultReader"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

ACCEPTED = "ids, (id, score) pairs, a mapping id -> score, or objects with an id"

Hit = tuple[str, "float | None"]

_NO_RANKING = (str, bytes, bytearray, set, frozenset)

ID_FIELDS = ("id", "key", "_id", "doc_id", "docid", "node_id", "chunk_id", "uuid")
NESTED_FIELDS = tuple((outer, inner) for outer in ("metadata", "payload") for inner in ("id", "key", "source"))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a result its id stands: a field, or a field inside ``metadata`` or ``payload``."""

    outer: str | None
    inner: str

    def look(self, result: object) -> object:
        holder = result if self.outer is None else _field(result, self.outer)
        return None if holder is None else _field(holder, self.inner)

    def __str__(self) -> str:
        return self.inner if self.outer is None else f'{self.outer}["{self.inner}"]'


_PLACES = (*(_Place(None, name) for name in ID_FIELDS), *(_Place(outer, inner) for outer, inner in NESTED_FIELDS))


class ResultReader:
    """Reads the results of one system on one suite.

    The place of the id that holds for the first object holds for all that follow, so that two fields are never mixed.
    """

    def __init__(self) -> None:
        self._place: _Place | None = None
        self._nan_noted = False
        self.notes: list[str] = []

    def hits(self, returned: object) -> Iterator[Hit]:
        """The results, best first, lazily; a score is None where there is none.

        Raises:
            RetrievalError: what came back is no ranking, with the type received and what is accepted.
        """
        if isinstance(returned, Mapping):
            return self._noting_nan(_from_mapping(returned))
        if inspect.iscoroutine(returned):
            returned.close()
        # A future is iterable too, for the event loop.
        if inspect.isawaitable(returned) or not isinstance(returned, Iterable) or isinstance(returned, _NO_RANKING):
            raise RetrievalError(_refusal(returned))
        return self._noting_nan(map(self._hit, returned))

    def _noting_nan(self, hits: Iterable[Hit]) -> Iterator[Hit]:
        for id, score in hits:
            if score is not None and math.isnan(score) and not self._nan_noted:
                self._nan_noted = True
                self.notes.append(f"NaN scores came back, first that of {id!r:.80}")
            yield id, score

    def _hit(self, result: object) -> Hit:
        if isinstance(result, str):
            return _text_id(result), None
        # A named tuple of more than two fields is an object whose fields have names.
        if isinstance(result, (tuple, list)) and (len(result) <= 2 or not hasattr(result, "_fields")):
            return _from_row(result)
        if isinstance(result, (float, UUID)) or result is None or _is_whole(result):
            return _text_id(result), None
        return self._from_object(result)

    def _from_object(self, result: object) -> Hit:
        if self._place is None:
            self._place = next((place for place in _PLACES if place.look(result) is not None), None)
            if self._place is None:
                raise RetrievalError(f"a result of type {type(result).__name__} has no id; accepted are {ACCEPTED}")
            if self._place.outer is not None:
                self.notes.append(f"ids taken from {self._place}")
        id = self._place.look(result)
        if id is None:
            raise RetrievalError(
                f"a result of type {type(result).__name__} has no {self._place}, "
                f"where the results before it had their id"
            )
        return _text_id(id), _number(_field(result, "score"))


def _field(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _from_mapping(returned: Mapping[Any, Any]) -> list[tuple[str, float]]:
    scored = [(_text_id(id), _score(score, returned)) for id, score in returned.items()]
    return sorted(scored, key=_best_first)


def _best_first(hit: tuple[str, float]) -> tuple[bool, float, str]:
    id, score = hit
    # NaN has no order of its own, so it goes last.
    return (True, 0.0, id) if math.isnan(score) else (False, -score, id)


def _from_row(row: tuple[object, ...] | list[object]) -> Hit:
    if len(row) == 1:
        return _text_id(row[0]), None
    if len(row) != 2:
        raise RetrievalError(f"a result with {len(row)} fields is no (id, score) pair")
    id, score = row
    if _is_swapped(id, score):
        raise RetrievalError(
            f"a pair of types ({type(id).__name__}, {type(score).__name__}) looks like (score, id); return (id, score)"
        )
    return _text_id(id), _score(score, row)


def _is_swapped(id: object, score: object) -> bool:
    """A number before what can only be an id, or a fraction before a whole number."""
    if _number(id) is None:
        return False
    return isinstance(score, (str, UUID)) or (not _is_whole(id) and _is_whole(score))


def _score(score: object, whole: object) -> float:
    number = _number(score)
    if number is not None:
        return number
    kind = type(whole).__name__
    raise RetrievalError(f"a {kind} with a score of type {type(score).__name__} is no ranking; accepted are {ACCEPTED}")


def _number(value: object) -> float | None:
    """A score as a float, None for what is none; decimals and the numbers of array libraries are numbers."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # an array of several numbers, a whole number of hundreds of digits
        return None


def _is_whole(value: object) -> bool:
    return hasattr(value, "__index__")


def _text_id(id: object) -> str:
    if isinstance(id, str):
        if id:
            return str.__str__(id)  # of a subclass, such as an enumeration's, the text it holds
        raise RetrievalError("an empty id came back")
    if isinstance(id, UUID):
        return str(id)
    if not isinstance(id, bool):
        try:
            return str(operator.index(id))  # type: ignore[arg-type]  # the very question asked here
        except TypeError:
            pass
    got = "None" if id is None else f"{type(id).__name__} {id!r:.80}"
    raise RetrievalError(f"an id is text or a whole number, not {got}")


def _refusal(returned: object) -> str:
    kind = type(returned).__name__
    if returned is None:
        return f"the retriever returned None (missing return?); accepted are {ACCEPTED}"
    if isinstance(returned, (str, bytes, bytearray)):
        return f"the retriever returned a bare {kind}, not a list of ids; accepted are {ACCEPTED}"
    if isinstance(returned, (set, frozenset)):
        return f"the retriever returned a {kind}, which has no order; accepted are {ACCEPTED}"
    if inspect.isawaitable(returned) or hasattr(returned, "__aiter__"):
        return f"the retriever is asynchronous (it returned an object of type {kind}), which is not supported yet"
    return f"the retriever returned an object of type {kind}; accepted are {ACCEPTED}"
