"""The second round of a run: whoever answers is asked once the retriever was, by the same plan."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_recall.asking import Asker
from pytest_recall.errors import AnswererError, RetrievalError
from pytest_recall.retrieval import ANSWERER, read_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.asking import Reply
    from pytest_recall.suites import Suite

__all__ = ["answer_in", "answering_of", "as_answerer", "asks_retriever", "question_count", "role_in"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def asks_retriever(suite: Suite, answerer: object) -> bool:
    """Whether a suite needs its retriever: not where only answers are judged, and an answerer gives them."""
    return answerer is None or suite.ranked


def role_in(suite: Suite, answerer: object) -> str:
    """What is judged: a retriever, a classifier, or an answerer that alone is asked."""
    return suite.role if asks_retriever(suite, answerer) else ANSWERER.noun


def question_count(suite: Suite, answerer: object) -> int:
    """How many questions a suite asks at most."""
    retrieved = len(suite.cases) if asks_retriever(suite, answerer) else 0
    answered = 0 if answerer is None else sum(bool(case.answers) for case in suite.cases)
    return (retrieved + answered) * suite.policy.repeat


def answering_of(suite: Suite, answerer: object) -> Asker | None:
    """What asks an answerer, None without one.

    Raises:
        AnswererError: it can't be called.
    """
    if answerer is None:
        return None
    with as_answerer():
        return Asker.of_answers(answerer, suite.k, suite.policy)


@contextmanager
def as_answerer() -> Iterator[None]:
    """Tell what ends the round apart from what is wrong with the retriever.

    Raises:
        AnswererError: the round can't go on.
    """
    try:
        yield
    except RetrievalError as error:
        raise AnswererError(str(error)) from error.__cause__


def answer_in(reply: Reply) -> str:
    """The text that an answerer replied.

    Raises:
        Exception: what it raised instead, or why what it returned is no answer.
    """
    if reply.error is None:
        return read_answer(reply.returned)
    # The sentence of a limit names nobody.
    raise reply.error if reply.latency_ms is None else AnswererError(f"the answerer {reply.error}")
