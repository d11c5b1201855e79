"""What search libraries wrap their results in, told by the names that it has; none of them is imported."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval.arrays import ids_of_two, is_array, row_of, values_of
from pytest_recall.retrieval.ids import number, text_id
from pytest_recall.retrieval.results import ACCEPTED, refuse, score_in

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Opened", "open_returned"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

_NO_RANKING = (str, bytes, bytearray, set, frozenset)


class Opened(NamedTuple):
    """What a retriever returned, taken out of its wrapping.

    Attributes:
        results: best first, maybe to be computed while they are read.
        status: what the response says of itself, None where it says nothing.
        answer: the text that came with the results, None without one.
        no_text: the type of an answer that is none.
    """

    results: Iterable[Any]
    status: str | None = None
    answer: str | None = None
    no_text: str | None = None


def open_returned(returned: object) -> Opened:
    """The results in whatever a retriever returned.

    Raises:
        RetrievalError: there are none, with the type received and what is accepted.
    """
    results = _known(returned)
    if results is not None:
        return Opened(results=results)
    inner = _member(returned, "results")
    if inner is None:
        return Opened(results=_iterable(returned))
    results, status, answer = _known(inner), _member(returned, "status"), _member(returned, "answer")
    return Opened(
        results=_iterable(inner) if results is None else results,
        status=None if status is None else _word(status),
        answer=answer if isinstance(answer, str) else None,
        no_text=None if answer is None or isinstance(answer, str) else type(answer).__name__,
    )


def _known(returned: object) -> Iterable[Any] | None:
    """The results in a form or a response of a known shape, None where it has no such shape."""
    results = _plain(returned)
    if results is not None:
        return results
    # A name that holds a number is no response's: a count of hits, for one.
    inner = next((inner for shape in _SHAPES if isinstance(inner := shape(returned), Iterable)), None)
    if inner is None:
        return None
    results = _plain(inner)
    return _iterable(inner) if results is None else results


def _plain(returned: object) -> Iterable[Any] | None:
    """What needs no unwrapping: a sequence or an iterator as it is, arrays and tables as lists."""
    kind = type(returned)
    if kind is list or (kind is tuple and not _is_two_arrays(returned)):
        return returned  # type: ignore[return-value]  # just asked
    if returned is None or isinstance(returned, _NO_RANKING) or inspect.isawaitable(returned):
        raise refuse(returned)
    return returned if isinstance(returned, Iterator) else values_of(returned)


def _iterable(returned: object) -> Iterable[Any]:
    if isinstance(returned, Mapping):
        kind = type(returned).__name__
        if returned.get("results", ...) is None:
            raise RetrievalError(f"the results in a {kind} are None; accepted are {ACCEPTED}")
        if word := next((word for word in ("answer", "status") if word in returned), None):
            raise RetrievalError(f"a {kind} with {word!r} has no 'results'; accepted are {ACCEPTED}")
        # Its values are no numbers, and its keys name no response.
        score_in(returned, next(score for score in returned.values() if number(score) is None))
    if not isinstance(returned, Iterable) or is_array(returned):
        raise refuse(returned)
    return returned


def _word(status: object) -> str:
    if isinstance(status, Enum):
        return status.value if isinstance(status.value, str) else status.name
    return str(status)


def _member(holder: object, name: str) -> Any:
    """A key or an attribute, None where there is neither; some response classes know keys without being mappings."""
    if isinstance(holder, Mapping):
        return holder.get(name)
    if hasattr(holder, "__getitem__") and not isinstance(holder, Sequence):
        try:
            return holder[name]
        except (LookupError, TypeError):  # no such key, or only positions
            pass
    return getattr(holder, name, None)


def _scores(returned: object) -> list[tuple[str, float]] | None:
    """Id → score, the highest first."""
    if not isinstance(returned, Mapping):
        return None
    scores = [number(score) for score in returned.values()]
    if None in scores:
        return None
    hits = zip(map(text_id, returned), scores, strict=True)
    return sorted(hits, key=_best_first)  # type: ignore[arg-type]  # None is not among the scores


def _best_first(hit: tuple[str, float]) -> tuple[bool, float, str]:
    id, score = hit
    # NaN has no order of its own, so it goes last.
    return (True, 0.0, id) if math.isnan(score) else (False, -score, id)


def _is_two_arrays(returned: object) -> bool:
    return isinstance(returned, tuple) and len(returned) == 2 and all(map(is_array, returned))


def _faiss(returned: Any) -> list[Any] | None:
    """``(D, I)``."""
    return ids_of_two(returned) if _is_two_arrays(returned) else None


def _bm25s(returned: object) -> list[Any] | None:
    """`Results`, a tuple with a length of its own, whose ``documents`` are the ids."""
    documents, scores = _member(returned, "documents"), _member(returned, "scores")
    if not (is_array(documents) and is_array(scores)):
        return None
    return list(zip(row_of(documents), row_of(scores), strict=True))


def _chroma(returned: object) -> list[Any] | None:
    """``{"ids": [[…]], "distances": [[…]]}``, a list for each query; a distance is no score, for less is better."""
    ids = _member(returned, "ids")
    return None if ids is None else row_of(ids)


def _elasticsearch(returned: object) -> Any:
    """``["hits"]["hits"]``, of OpenSearch too; the hits themselves elsewhere."""
    hits = _member(returned, "hits")
    inner = None if hits is None else _member(hits, "hits")
    return hits if inner is None else inner


def _named(name: str) -> Callable[[object], Any]:
    return lambda returned: _member(returned, name)


_SHAPES: tuple[Callable[[object], Iterable[Any] | None], ...] = (
    _scores,
    _bm25s,
    _faiss,
    _chroma,  # has documents too, which are texts
    _named("documents"),  # Haystack
    _named("points"),  # Qdrant
    _elasticsearch,
    _named("objects"),  # Weaviate
)
