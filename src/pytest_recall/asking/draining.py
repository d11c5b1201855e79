"""Results that are made while they are read: read as far as the ranking needs, and no further."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval import ResultReader, read_ranking

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterator

    from pytest_recall.evaluation import Policy

__all__ = ["drained", "drained_async"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def drained(results: Iterator[Any], k: int, policy: Policy) -> list[Any]:
    """As many results as the ranking needs: k, or those that hold k distinct ids."""
    need = _Need(k, policy)
    while need.more and (read := list(islice(results, need.more))):
        need.add(read)
    return need.read


async def drained_async(results: AsyncIterable[Any], k: int, policy: Policy) -> list[Any]:
    """As `drained`; an asynchronous generator is then closed, for Python leaves that to the event loop."""
    iterator, need = aiter(results), _Need(k, policy)
    try:
        while need.more and (read := await _next(iterator, need.more)):
            need.add(read)
    finally:
        if hasattr(iterator, "aclose"):
            await iterator.aclose()
    return need.read


async def _next(results: AsyncIterator[Any], count: int) -> list[Any]:
    read: list[Any] = []
    # Only what is needed is asked for: the retriever may have to work for each.
    while len(read) < count:
        try:
            read.append(await anext(results))
        except StopAsyncIteration:
            break
    return read


class _Need:
    """How far the results have to be read.

    Attributes:
        read: the results so far.
        more: how many further ones are needed at least.
    """

    def __init__(self, k: int, policy: Policy) -> None:
        self.read: list[Any] = []
        self.more = k
        self._k, self._policy = k, policy
        self._reader = ResultReader()
        self._ids: set[str] | None = set() if policy.duplicates == "first" else None

    def add(self, results: list[Any]) -> None:
        self.read += results
        self.more = max(self._k - (len(self.read) if self._ids is None else self._distinct(self._ids, results)), 0)

    def _distinct(self, ids: set[str], results: list[Any]) -> int:
        try:
            ids.update(read_ranking(results, self._k, self._policy, self._reader))
        except RetrievalError:
            # What is wrong with it is told when the ranking is read; perhaps a hook understands it.
            self._ids = None
            return len(self.read)
        return len(ids)
