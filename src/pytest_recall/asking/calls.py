"""One call of the retriever: what goes in, what comes out, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval import Caller, ResultReader, read_ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.evaluation import Policy

__all__ = ["Asker", "Question", "Reply"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


class Question(NamedTuple):
    """What a retriever is asked: a query, and the case's own arguments."""

    query: str
    args: Mapping[str, Any]


class Reply(NamedTuple):
    """What one question brought.

    Attributes:
        returned: as the retriever gave it, out of its reach; a generator is drained.
        error: what it raised instead.
        latency_ms: milliseconds of the call. None where it raised, and in a batch; with an `error` the call was given
            up then, so that its latency is no less.
    """

    returned: Any = None
    error: Exception | None = None
    latency_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """One retriever, and what every call of one suite has in common.

    Attributes:
        batch: the most questions in a call; None for one at a time, by the retriever's method for one.
    """

    caller: Caller
    k: int
    policy: Policy
    batch: int | None = None

    @classmethod
    def of(cls, retriever: object, k: int, policy: Policy, batch: int | None = None) -> Asker:
        """The asker of a retriever.

        Raises:
            RetrievalError: it can't be called, or has no method for a batch.
        """
        caller = Caller.of(retriever) if batch is None else Caller.of_batches(retriever)
        return cls(caller=caller, k=k, policy=policy, batch=batch)

    def calls(self, questions: Iterable[Question]) -> Iterator[tuple[Question, ...]]:
        """The questions of each call, in order; a batch has one set of arguments, so it ends where they change."""
        if self.batch is None:
            yield from zip(questions)
            return
        for _, alike in groupby(questions, key=lambda question: question.args):
            while call := tuple(islice(alike, self.batch)):
                yield call

    def __call__(self, questions: tuple[Question, ...]) -> Sequence[Reply]:
        """Make one call: a reply for each of its questions. An error in a batch is that of all of them."""
        if self.batch is None:
            return (self._ask(questions[0]),)
        try:
            return [Reply(returned=returned) for returned in self._ask_batch(questions)]
        except Exception as error:  # noqa: BLE001  # whatever the user's code raises belongs to its cases
            return [Reply(error=error)] * len(questions)

    def _ask(self, question: Question) -> Reply:
        start = perf_counter()
        try:
            returned = self.caller(question.query, self.k, question.args)
            if isinstance(returned, Iterator):
                # A generator does its work while it is read, so reading it is part of the call.
                returned = self._drained(returned)
            latency_ms = (perf_counter() - start) * 1000
        except Exception as error:  # noqa: BLE001  # as above
            return Reply(error=error)
        return Reply(returned=_kept(returned), latency_ms=latency_ms)

    def _ask_batch(self, questions: tuple[Question, ...]) -> list[Any]:
        returned = self.caller([question.query for question in questions], self.k, questions[0].args)
        size = len(questions)
        if isinstance(returned, (str, bytes, Mapping)) or not isinstance(returned, Iterable):
            kind = type(returned).__name__
            raise RetrievalError(f"a batch of {size} brought an object of type {kind}, not one result a query")
        # One more than there may be: a generator need not end.
        results = list(islice(returned, size + 1))
        if len(results) != size:
            brought = f"more than {size}" if len(results) > size else len(results)
            raise RetrievalError(f"a batch of {size} brought {brought} results; each query needs one")
        return [self._drained(each) if isinstance(each, Iterator) else _kept(each) for each in results]

    def _drained(self, results: Iterator[Any]) -> list[Any]:
        """As many results as the ranking needs: k, or those that hold k distinct ids."""
        if self.policy.duplicates == "error":
            return list(islice(results, self.k))
        read: list[Any] = []
        try:
            read_ranking(_noting(results, read), self.k, self.policy, ResultReader())
        except RetrievalError:
            # What is wrong with it is told when the ranking is read; perhaps a hook understands it.
            read.extend(islice(results, max(self.k - len(read), 0)))
        return read


def _noting(results: Iterator[Any], read: list[Any]) -> Iterator[Any]:
    for result in results:
        read.append(result)
        yield result


def _kept(returned: Any) -> Any:
    """What was returned, as it is now: it is read later, when the retriever may have filled its list again."""
    return returned.copy() if type(returned) in (list, dict) else returned
