"""What travels between processes: a retriever there, what it returned or raised back."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_recall.asking.calls import Reply
from pytest_recall.asking.raised import sentence_of, trace_of
from pytest_recall.errors import RecallError, RetrievalError
from pytest_recall.retrieval.places import ID_FIELDS, NESTED_FIELDS

if TYPE_CHECKING:
    from pytest_recall.asking.calls import Asker

__all__ = ["Parcel", "RemoteError", "RemoteTraceback", "Shipment"]


class RemoteTraceback(Exception):  # noqa: N818  # it stands in a traceback as its own text
    """The cause of an exception of another process: its traceback there, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class RemoteError(RecallError):
    """Stands for an exception that can't leave its process; its text names the type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipment:
    """A retriever on its way to a worker, where it is unpacked once.

    Attributes:
        token: of one evaluation. Another one may ship an equal retriever whose index was rebuilt.
        noun: what it is for.
        content: the pickled asker; None where the executor has to see to it.
        asker: the asker itself, in that case.
    """

    token: str
    noun: str
    content: bytes | None = None
    asker: Asker | None = None

    def unpack(self) -> tuple[Asker, bool]:
        """The asker, and whether this is the first time here.

        Raises:
            RetrievalError: this process can't make it.
        """
        if self.token in _UNPACKED:
            return _UNPACKED[self.token], False
        asker = self.asker
        if asker is None:
            try:
                asker = pickle.loads(self.content or b"")  # noqa: S301  # the run's own
            except Exception as error:
                told = f"a worker of the executor can't load the {self.noun}: {sentence_of(error)}"
                raise RetrievalError(told) from error
        while len(_UNPACKED) >= _MOST_UNPACKED:
            _UNPACKED.pop(next(iter(_UNPACKED)), None)
        _UNPACKED[self.token] = asker
        return asker, True


# In a worker: token → asker, so that a retriever opens its index once, however many chunks it is asked.
_UNPACKED: dict[str, Asker] = {}
_MOST_UNPACKED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A reply on its way back. What was returned travels as it is, and is read where all replies are.

    Attributes:
        content: pickled, here and not by the executor: one bad reply must not break a pool. None of an exception that
            can't be.
        sentence: of an exception, empty of what was returned.
        trace: of an exception, from the user's first line on.
    """

    content: bytes | None
    sentence: str = ""
    trace: str = ""
    latency_ms: float | None = None

    @classmethod
    def of(cls, reply: Reply) -> Parcel:
        """The reply, packed in the worker."""
        if reply.error is not None:
            return cls._of_error(reply.error, reply.latency_ms)
        try:
            content = pickle.dumps(reply.returned)
        except Exception as error:  # noqa: BLE001  # pickling runs the user's code, and that may raise anything
            try:
                content = pickle.dumps(_plain(reply.returned))
            except Exception:  # noqa: BLE001  # as above
                kind = type(reply.returned).__name__
                told = f"what the retriever returned ({kind}) can't be sent back by a worker: {sentence_of(error)}"
                return cls._of_error(RetrievalError(told))
        return cls(content=content, latency_ms=reply.latency_ms)

    @classmethod
    def _of_error(cls, error: Exception, latency_ms: float | None = None) -> Parcel:
        sentence, trace = sentence_of(error), trace_of(error)
        return cls(content=_pickled(error), sentence=sentence, trace=trace, latency_ms=latency_ms)

    def open(self) -> Reply:
        """The reply, where all are read."""
        if self.content is None:
            return Reply(error=self._traced(RemoteError(self.sentence)), latency_ms=self.latency_ms)
        try:
            content = pickle.loads(self.content)  # noqa: S301  # the run's own
        except Exception as error:  # noqa: BLE001  # unpickling runs the user's code
            told = self.sentence or f"what a worker of the executor sent back can't be read: {sentence_of(error)}"
            return Reply(error=self._traced(RemoteError(told)))
        if self.sentence:
            return Reply(error=self._traced(content), latency_ms=self.latency_ms)
        return Reply(returned=content, latency_ms=self.latency_ms)

    def _traced(self, error: Exception) -> Exception:
        if self.trace:
            error.__cause__ = RemoteTraceback(self.trace)
        return error


def _pickled(error: Exception) -> bytes | None:
    """The exception, None where it can't be pickled; that it can be unpickled is another matter."""
    try:
        return pickle.dumps(error)
    except Exception:  # noqa: BLE001  # then its sentence travels
        return None


def _plain(returned: object) -> Any:
    """Results of which some can't be pickled: those as mappings of the fields that may hold an id or a score."""
    if isinstance(returned, Mapping):
        # A response has its results under a name.
        return {key: value if _travels(value) else _plain(value) for key, value in returned.items()}
    if isinstance(returned, Iterable):
        return [result if _travels(result) else _fields_of(result) for result in returned]
    return returned


def _travels(value: object) -> bool:
    try:
        pickle.dumps(value)
    except Exception:  # noqa: BLE001  # as above
        return False
    return True


def _fields_of(result: object) -> dict[str, Any]:
    flat = {name: _field(result, name) for name in (*ID_FIELDS, "score")}
    nested: dict[str, dict[str, Any]] = {}
    for outer, inner in NESTED_FIELDS:
        nested.setdefault(outer, {})[inner] = _field(_field(result, outer), inner)
    return {**flat, **nested}


def _field(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
