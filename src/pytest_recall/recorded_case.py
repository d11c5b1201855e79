"""The case that a test describes by what it hands to the fixture `recall`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_recall.errors import RecallError
from pytest_recall.suites import Case

__all__ = ["read_answer", "read_case"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def read_case(query: Any, relevant: Any, *, id: Any, stale: Any, answers: Any, tags: Any) -> Case:
    """The case that a call of the fixture `recall` describes.

    Raises:
        RecallError: an argument is not what it should be; it is named.
    """
    text = _text("query", query)
    texts = _answers(answers)
    case = Case(
        id=text if id is None else _text("id", id),
        query=text,
        relevant=None if relevant is None and texts else _grades(relevant),
        stale=tuple(_ids("stale", stale)),
        answers=texts,
        tags=tuple(_ids("tags", tags)),
    )
    if case.stale and case.relevant is None:
        raise RecallError(f"{case.id!r:.80}: stale needs relevant ids beside it, or an empty list of them")
    both = [stale_id for stale_id in case.stale if stale_id in (case.relevant or {})]
    if both:
        raise RecallError(f"{case.id!r:.80}: {both[0]!r:.80} is relevant and stale")
    return case


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RecallError(f"{what} must be text that is not blank, got {value!r:.80}")
    return value


def _id(what: str, value: Any) -> str:
    """An id as rankings have it: a whole number is its text."""
    if not isinstance(value, int) or isinstance(value, bool):
        return _text(what, value)
    try:
        return str(value)
    except ValueError:
        raise RecallError(f"{what} must be text or a whole number, got one of thousands of digits") from None


def _grades(relevant: Any) -> dict[str, float]:
    if relevant is None:
        raise RecallError("relevant must be a list of ids, and may be None only where answers= are given")
    if isinstance(relevant, Mapping):
        return {_id("a relevant id", id): _grade(id, grade) for id, grade in relevant.items()}
    return dict.fromkeys(_ids("relevant", relevant), 1)


def _answers(answers: Any) -> tuple[str, ...]:
    if isinstance(answers, (str, bytes)) or not isinstance(answers, Iterable):
        raise RecallError(f"answers must be a list of texts, got {answers!r:.80}")
    return tuple(dict.fromkeys(map(read_answer, answers)))


def read_answer(value: Any) -> str:
    """An answer as it was given.

    Raises:
        RecallError: it is no text.
    """
    if not isinstance(value, str):
        raise RecallError(f"an answer must be text, got {value!r:.80}")
    return value


def _grade(id: Any, grade: Any) -> float:  # the word of the suites
    if isinstance(grade, bool) or not isinstance(grade, (int, float)) or not 0 <= grade < math.inf:
        raise RecallError(f"the grade of {id!r:.80} must be a number from 0, got {grade!r:.80}")
    return grade


def _ids(what: str, ids: Any) -> list[str]:
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise RecallError(f"{what} must be a list of ids, got {ids!r:.80}")
    return [_id(f"each of {what}", id) for id in ids]
