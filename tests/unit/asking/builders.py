"""Retrievers and questions. Those that travel to other processes stand at the top of this module."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from pytest_recall.asking import Asker, Question
from pytest_recall.evaluation import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable


def asker(retriever: object, *, k: int = 10, batch: int | None = None, **policy: Any) -> Asker:
    return Asker.of(retriever, k, Policy(**policy), batch)


def questions(texts: Iterable[str]) -> list[Question]:
    return [Question(text, {}) for text in texts]


class Unpicklable:
    """A result that can't leave its process."""

    def __init__(self, key: str, score: float) -> None:
        self.key, self.score = key, score
        self.lock = threading.Lock()


class DifficultError(Exception):
    """Can be pickled, and not unpickled."""

    def __init__(self, code: int, *, reason: str) -> None:
        super().__init__(f"{code}: {reason}")


class HoldingError(Exception):
    """Can't be pickled."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


class Index:
    """Answers each query in its own way; counts its calls in the process it is in."""

    def __init__(self) -> None:
        self.calls = 0

    def search(self, query: str) -> Any:
        self.calls += 1
        answer: Any = getattr(self, f"_{query.partition(' ')[0]}", None)
        return [query] if answer is None else answer(query)

    def _raise(self, query: str) -> Any:
        raise LookupError(f"no {query}")

    def _difficult(self, _query: str) -> Any:
        raise DifficultError(5, reason="no disk")

    def _holding(self, query: str) -> Any:
        raise HoldingError(f"no {query}")

    def _exit(self, _query: str) -> Any:
        os._exit(3)

    def _objects(self, _query: str) -> Any:
        return [Unpicklable("a", 0.5), Unpicklable("b", 0.25)]

    def _mixed(self, _query: str) -> Any:
        return ["a", Unpicklable("b", 0.25)]

    def _response(self, _query: str) -> Any:
        return {"hits": {"total": 1, "hits": [Unpicklable("a", 0.5)]}, "took": 3}

    def _lock(self, _query: str) -> Any:
        return threading.Lock()

    def _lazily(self, _query: str) -> Any:
        return (f"lazy-{number}" for number in range(1000))

    def _calls(self, _query: str) -> Any:
        return [self.calls]

    def _process(self, _query: str) -> Any:
        return [os.getpid()]


class Unloadable:
    """Can be pickled, and not unpickled."""

    def __call__(self, query: str) -> list[str]:
        return [query]

    def __setstate__(self, state: object) -> None:
        raise FileNotFoundError("no index here")

    def __getstate__(self) -> dict[str, int]:
        return {"a": 1}
