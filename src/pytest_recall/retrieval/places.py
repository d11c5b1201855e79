"""Where an object holds its id and its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ID_FIELDS", "NESTED_FIELDS", "Place", "by_name", "place_of", "scores_of"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

ID_FIELDS = ("id", "key", "_id", "doc_id", "docid", "node_id", "chunk_id", "uuid")
NESTED_FIELDS = tuple((outer, inner) for outer in ("metadata", "payload") for inner in ("id", "key", "source"))


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a result, or a field inside its ``metadata`` or ``payload``."""

    outer: str | None
    inner: str

    def look(self, results: Sequence[object]) -> list[Any]:
        """What each of the results holds there, None where it holds nothing."""
        return _column(results if self.outer is None else _column(results, self.outer), self.inner)

    def __str__(self) -> str:
        return self.inner if self.outer is None else f'{self.outer}["{self.inner}"]'


_PLACES = (*(Place(None, name) for name in ID_FIELDS), *(Place(outer, inner) for outer, inner in NESTED_FIELDS))


def place_of(result: object) -> Place | None:
    """The first place at which a result holds something."""
    return next((place for place in _PLACES if place.look((result,))[0] is not None), None)


def scores_of(results: Sequence[object]) -> list[Any]:
    """What each of the results holds as its score; where none does, what search engines call ``_score``."""
    scores = _column(results, "score")
    if all(score is None for score in scores):
        return [result.get("_score") if isinstance(result, Mapping) else None for result in results]
    return scores


def by_name(result: Any) -> Mapping[str, Any] | None:
    """The values of a row by the names of its columns, None for what is no such row."""
    if isinstance(result, tuple):
        return dict(zip(result._fields, result, strict=True)) if hasattr(result, "_fields") else None
    if hasattr(result, "keys") and hasattr(result, "__getitem__") and not isinstance(result, Mapping):
        return {name: result[name] for name in result.keys()}  # noqa: SIM118  # iterating gives the values
    return None


def _column(holders: Sequence[object], name: str) -> list[Any]:
    """One field of many results; which way to ask is told by their types, of which there are few."""
    mappings = {issubclass(kind, Mapping) for kind in {*map(type, holders)}}
    if mappings == {False}:
        return [getattr(holder, name, None) for holder in holders]
    if mappings == {True}:
        return [holder.get(name) for holder in holders]  # type: ignore[attr-defined]  # just asked
    return [holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None) for holder in holders]
