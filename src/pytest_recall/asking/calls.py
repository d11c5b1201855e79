"""One call of the retriever: what goes in, what comes out, and how long it took."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from itertools import groupby, islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_recall._text import count
from pytest_recall.asking.draining import drained, drained_async
from pytest_recall.asking.raised import of_a_case
from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval import ANSWERER, CLASSIFIER, Caller, discard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.evaluation import Policy

__all__ = ["Asker", "Question", "Reply", "given_up"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

_COPIED = (list, dict)


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
    """One system, and what every call of one suite has in common.

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

    @classmethod
    def of_answers(cls, answerer: object, k: int, policy: Policy) -> Asker:
        """The asker of an answerer, one question at a time.

        Raises:
            RetrievalError: it can't be called.
        """
        return cls(caller=Caller.of(answerer, ANSWERER), k=k, policy=policy)

    def calls(self, questions: Iterable[Question]) -> Iterator[tuple[Question, ...]]:
        """The questions of each call, in order; a batch has one set of arguments, so it ends where they change."""
        if self.batch is None:
            yield from zip(questions)
            return
        for _, alike in groupby(questions, key=lambda question: question.args):
            while call := tuple(islice(alike, self.batch)):
                yield call

    @classmethod
    def of_classifier(cls, classifier: object, policy: Policy) -> Asker:
        """The asker of a classifier, which gives one label.

        Raises:
            RetrievalError: it can't be called.
        """
        return cls(caller=Caller.of(classifier, CLASSIFIER), k=1, policy=policy)

    def __call__(self, questions: tuple[Question, ...]) -> Sequence[Reply]:
        """Make one call: a reply for each of its questions. An error in a batch is that of all of them."""
        start = perf_counter()
        try:
            return self._replies(self._returned(questions), len(questions), start)
        except BaseException as raised:  # noqa: BLE001  # whatever the user's code raises; some of it goes on
            return _failed(raised, len(questions))

    async def call_async(self, questions: tuple[Question, ...]) -> Sequence[Reply]:
        """As a call, on the running event loop: what it returns may be awaited, or iterated asynchronously."""
        start = perf_counter()
        try:
            returned = self._returned(questions)
            if isawaitable(returned):
                returned = await returned
            if isinstance(returned, AsyncIterable) and self.batch is None:
                returned = await drained_async(returned, self.k, self.policy)
            return self._replies(returned, len(questions), start)
        except BaseException as raised:  # noqa: BLE001  # as above
            return _failed(raised, len(questions))

    def _returned(self, questions: tuple[Question, ...]) -> Any:
        first = questions[0]
        query = first.query if self.batch is None else [question.query for question in questions]
        return self.caller(query, self.k, first.args)

    def _replies(self, returned: Any, size: int, start: float) -> Sequence[Reply]:
        if self.batch is not None:
            return [Reply(returned=each) for each in self._split(returned, size)]
        if type(returned) not in _COPIED and isinstance(returned, Iterator):
            # A generator does its work while it is read, so reading it is part of the call.
            returned = drained(returned, self.k, self.policy)
        latency_ms = (perf_counter() - start) * 1000
        return (Reply(returned=_kept(returned), latency_ms=latency_ms),)

    def _split(self, returned: Any, size: int) -> list[Any]:
        """The result of each query of a batch."""
        if isinstance(returned, (str, bytes, Mapping)) or not isinstance(returned, Iterable):
            discard(returned)
            kind = type(returned).__name__
            raise RetrievalError(f"a batch of {size} brought an object of type {kind}, not one result a query")
        # One more than there may be: a generator need not end.
        results = list(islice(returned, size + 1))
        if len(results) != size:
            brought = f"more than {count(size, 'result')}" if len(results) > size else count(len(results), "result")
            raise RetrievalError(f"a batch of {size:,} brought {brought}; each query needs one")
        return [drained(each, self.k, self.policy) if isinstance(each, Iterator) else _kept(each) for each in results]


def _failed(raised: BaseException, size: int) -> Sequence[Reply]:
    """The replies of a call that raised.

    Raises:
        BaseException: what is about more than these cases.
    """
    error = of_a_case(raised)
    if error is None:
        raise raised
    return [Reply(error=error)] * size


def given_up(limit_s: float, size: int) -> Sequence[Reply]:
    """The replies of a call that took too long."""
    return [Reply(error=RetrievalError(f"timed out after {limit_s:g} s"), latency_ms=limit_s * 1000)] * size


def _kept(returned: Any) -> Any:
    """What was returned, as it is now: it is read later, when the retriever may have filled its list again."""
    return returned.copy() if type(returned) in _COPIED else returned
