"""What the user's code raised, as people read it: in one sentence, and from their own first line on."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall._text import shorten
from pytest_recall.errors import RecallError, RetrievalError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["from_the_user_on", "of_a_case", "sentence_of", "trace_of"]

PACKAGE = Path(__file__).parent.parent

_LONGEST = 500


def sentence_of(error: BaseException) -> str:
    """The error on one line; its type is told where the text is not ours."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # the user's code again
        text = ""
    line = shorten(text.strip().split("\n", 1)[0], _LONGEST)
    return line if isinstance(error, RecallError) else f"{type(error).__name__}: {line}".removesuffix(": ")


def of_a_case(raised: BaseException) -> Exception | None:
    """What a query raised, as the error of its case; None for what is about more, such as an interrupt or a skip.

    A retriever that ends the program, or fails the test, has failed at one query, and the others are still asked.
    """
    if isinstance(raised, Exception):
        return raised
    # So is the exception of `pytest.fail` called, and pytest is not imported here.
    if isinstance(raised, SystemExit) or type(raised).__name__ == "Failed":
        return RetrievalError(sentence_of(raised)).with_traceback(raised.__traceback__)
    return None


def from_the_user_on(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames before the user's first; None when there is no frame of the user's."""
    while trace is not None and PACKAGE in Path(trace.tb_frame.f_code.co_filename).parents:
        trace = trace.tb_next
    return trace


def trace_of(error: Exception) -> str:
    """The traceback as Python writes it; empty where there is no frame of the user's."""
    error.__traceback__ = from_the_user_on(error.__traceback__)
    return "" if error.__traceback__ is None else "".join(traceback.format_exception(error)).rstrip("\n")
