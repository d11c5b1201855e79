"""From what a classifier returned to its label, which stands where a retriever has its ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.errors import AsynchronousError, RetrievalError
from pytest_recall.labels import extract_label
from pytest_recall.retrieval.awaiting import discard, is_asynchronous
from pytest_recall.retrieval.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.labels import LabelSpec
    from pytest_recall.retrieval.reading import Adapt

__all__ = ["LabelReader"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


class LabelReader:
    """Reads what one classifier returns on one suite.

    Args:
        labels: what it tells apart.
        adapt: asked first, as for retrievers.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, labels: Sequence[LabelSpec], adapt: Adapt | None = None) -> None:
        self._labels, self._adapt = labels, adapt

    def read(self, returned: object, query: str) -> Reading:
        """The label that came back for an input; nothing where it is None, or a text that names none or several.

        Raises:
            RetrievalError: it is neither text nor None.
        """
        adapted = None if self._adapt is None else self._adapt(returned, query)
        output = returned if adapted is None else adapted
        if output is None:
            return Reading()
        if not isinstance(output, str):
            raise _refuse(output)
        label = extract_label(output, self._labels)
        # That of a member of an enumeration, too.
        text = str.__str__(output)
        return Reading(ranking=() if label is None else (label,), answer=None if text == label else text)


def _refuse(returned: object) -> RetrievalError:
    kind = type(returned).__name__
    if is_asynchronous(returned):
        discard(returned)
        return AsynchronousError("classifier", kind)
    return RetrievalError(
        f"the classifier returned an object of type {kind}; accepted are a text that names a label, and None for none"
    )
