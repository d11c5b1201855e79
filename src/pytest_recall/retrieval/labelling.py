"""From what a classifier returned to its label, which stands where a retriever has its ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall._text import count, listing
from pytest_recall.errors import AsynchronousError, RetrievalError
from pytest_recall.labels import named_labels
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

    def __init__(self, labels: Sequence[LabelSpec], adapt: Adapt | None = None) -> None:
        self._labels, self._adapt = labels, adapt
        self._several: list[tuple[str, tuple[str, ...]]] = []

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
        named = named_labels(output, self._labels)
        # That of a member of an enumeration, too.
        text = str.__str__(output)
        if len(named) > 1:
            self._several.append((text, named))
        ranking = named if len(named) == 1 else ()
        return Reading(ranking=ranking, answer=None if ranking == (text,) else text)

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence, where outputs named several labels."""
        if not self._several:
            return ()
        outputs = count(len(self._several), "output names", "outputs name")
        text, named = self._several[0]
        return (f"{outputs} several labels, which counts as none: {text!r:.80} names {listing(named)}",)


def _refuse(returned: object) -> RetrievalError:
    kind = type(returned).__name__
    if is_asynchronous(returned):
        discard(returned)
        return AsynchronousError("classifier", kind)
    return RetrievalError(
        f"the classifier returned an object of type {kind}; accepted are a text that names a label, and None for none"
    )
