"""What stands for an id, and what for a score."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING
from uuid import UUID

from pytest_recall.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_whole", "number", "plain_ids", "text_id"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def text_id(id: object) -> str:
    """The text of an id.

    Raises:
        RetrievalError: it is neither text nor a whole number that Python would print nor a UUID, or it is empty.
    """
    if isinstance(id, str):
        if id:
            return str.__str__(id)  # of a subclass, such as an enumeration's, the text it holds
        raise RetrievalError("an empty id came back")
    if isinstance(id, UUID):
        return str(id)
    if not isinstance(id, bool):
        try:
            return str(operator.index(id))  # type: ignore[arg-type]  # the very question asked here
        except TypeError:
            pass
        except ValueError:
            raise RetrievalError("an id is text or a whole number, not one of thousands of digits") from None
    got = "None" if id is None else f"{type(id).__name__} {id!r:.80}"
    raise RetrievalError(f"an id is text or a whole number, not {got}")


def number(value: object) -> float | None:
    """A score as a float, None for what is none; decimals and the numbers of array libraries are numbers."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # an array of several numbers, a whole number of hundreds of digits
        return None


def is_whole(value: object) -> bool:
    """Whether a value says that it is a whole number; an array of one does too."""
    return hasattr(value, "__index__")


def plain_ids(values: Sequence[object]) -> Sequence[str] | None:
    """Many ids at once, where all are texts or all are numbers of Python itself; None where each wants a look."""
    kinds = {*map(type, values)}
    if kinds == {str}:
        return values if all(values) else None  # type: ignore[return-value]  # just asked
    try:
        return [*map(str, values)] if kinds == {int} else None
    except ValueError:  # one of thousands of digits
        return None
