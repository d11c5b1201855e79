"""From what an answerer returned to the text that is judged."""

from __future__ import annotations

from pytest_recall.errors import AsynchronousError, RetrievalError
from pytest_recall.retrieval.awaiting import discard, is_asynchronous

__all__ = ["NO_ANSWER", "read_answer"]

NO_ANSWER = "no answer came back: return it beside the results (results, answer), or write a fixture 'answerer'"


def read_answer(returned: object) -> str:
    """The text that an answerer returned.

    Raises:
        AsynchronousError: it is one still to be awaited.
        RetrievalError: it is none, with the type received.
    """
    if isinstance(returned, str):
        return returned
    kind = type(returned).__name__
    if returned is None:
        raise RetrievalError("the answerer returned None (missing return?); an answer is text")
    if is_asynchronous(returned):
        discard(returned)
        raise AsynchronousError("answerer", kind)
    raise RetrievalError(f"the answerer returned an object of type {kind}; an answer is text")
