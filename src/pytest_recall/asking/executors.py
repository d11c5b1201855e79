"""Calls on other processes and machines, through any `concurrent.futures.Executor`."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from math import ceil, lcm
from typing import TYPE_CHECKING
from uuid import uuid4

from pytest_recall._text import count
from pytest_recall.asking.calls import Reply
from pytest_recall.asking.here import ask_here
from pytest_recall.asking.raised import sentence_of
from pytest_recall.asking.remote import Parcel, Shipment
from pytest_recall.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future

    from pytest_recall.asking.calls import Asker, Question
    from pytest_recall.asking.plan import Plan

__all__ = ["ask_on"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

# Enough to keep a few machines busy to the end; few enough that the retriever may travel with each.
_CHUNKS = 32

# What Python's own pickling raises.
_OF_PICKLING = (pickle.PicklingError, AttributeError, TypeError)


def ask_on(executor: Executor, asker: Asker, questions: Sequence[Question], plan: Plan) -> Generator[Reply, None, None]:
    """The reply to each question, in their order; the plan holds within each chunk.

    Raises:
        RetrievalError: it is no executor; or the retriever can't be pickled, or loaded where it is to be called.
    """
    _check(executor)
    shipment, problem = _shipment(executor, asker)
    chunks = _chunks(questions, lcm(plan.repeat or 1, plan.batch or 1))
    futures: list[Future[list[Parcel]]] = []
    try:
        futures.extend(_submit(executor, shipment, chunk, plan, problem) for chunk in chunks)
        for chunk, future in zip(chunks, futures, strict=True):
            yield from _replies(future, len(chunk), problem)
    finally:
        for future in futures:
            future.cancel()


def _check(executor: object) -> None:
    if not isinstance(executor, Executor):
        hint = "; return its get_executor()" if hasattr(executor, "get_executor") else ""
        kind = type(executor).__name__
        raise RetrievalError(f"the executor must be a concurrent.futures.Executor or None, not {kind}{hint}")


def _shipment(executor: Executor, asker: Asker) -> tuple[Shipment, RetrievalError | None]:
    """The retriever as it travels, and why Python itself can't pickle it."""
    token, noun = uuid4().hex, asker.caller.role.noun
    if isinstance(executor, ThreadPoolExecutor):
        return Shipment(token=token, noun=noun, asker=asker), None
    try:
        return Shipment(token=token, noun=noun, content=pickle.dumps(asker)), None
    except Exception as error:  # noqa: BLE001  # pickling runs the user's code
        # The executor may pickle more than Python does, as those of Dask and loky do.
        return Shipment(token=token, noun=noun, asker=asker), _unpicklable(asker, error)


def _chunks(questions: Sequence[Question], unit: int) -> list[Sequence[Question]]:
    """Chunks of a size, in which the repeats of a query and the queries of a batch stay together."""
    size = unit * max(1, ceil(len(questions) / _CHUNKS / unit))
    return [questions[start : start + size] for start in range(0, len(questions), size)]


def _submit(
    executor: Executor, shipment: Shipment, chunk: Sequence[Question], plan: Plan, problem: RetrievalError | None
) -> Future[list[Parcel]]:
    try:
        future = executor.submit(_ask_there, shipment, chunk, plan)
    except Exception as error:
        raise _refused("takes no queries", error, problem) from error
    if not callable(getattr(future, "result", None)):
        raise RetrievalError(f"the executor's submit must return a Future, not {type(future).__name__}")
    return future


def _ask_there(shipment: Shipment, questions: Sequence[Question], plan: Plan) -> list[Parcel]:
    """What a worker does."""
    asker, first_time = shipment.unpack()
    replies = ask_here(asker, questions, plan if first_time else replace(plan, warmup=None))
    return [Parcel.of(reply) for reply in replies]


def _replies(future: Future[list[Parcel]], size: int, problem: RetrievalError | None) -> list[Reply]:
    try:
        replies = [parcel.open() for parcel in future.result()]
    except RetrievalError:
        raise
    except Exception as error:  # noqa: BLE001  # of the executor, or of a worker that is gone
        if problem is not None:
            raise _refused("gave no results", error, problem) from None
        return [Reply(error=error)] * size
    if len(replies) != size:
        raise RetrievalError(f"the executor gave {count(len(replies), 'result')} for {count(size, 'query', 'queries')}")
    return replies


def _refused(what: str, error: Exception, problem: RetrievalError | None) -> RetrievalError:
    """What an executor raised; that the retriever can't be pickled, where that is or may be why."""
    if problem is not None and isinstance(error, _OF_PICKLING):
        return problem
    return RetrievalError(f"the executor {what}: {sentence_of(error)}{'' if problem is None else f'; {problem}'}")


def _unpicklable(asker: Asker, error: Exception) -> RetrievalError:
    return RetrievalError(
        f"the executor needs {asker.caller.role} that can be pickled, and this one can't ({sentence_of(error)}): "
        f"return an instance of a class at the top of a module, which opens its index when it is first called"
    )
