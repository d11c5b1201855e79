"""From what a retriever returned to the ranking that is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_recall._text import count, shorten
from pytest_recall.errors import DegradedError
from pytest_recall.retrieval.ranking import read_ranking
from pytest_recall.retrieval.responses import open_returned
from pytest_recall.retrieval.results import ResultReader

if TYPE_CHECKING:
    from pytest_recall.evaluation import Policy

__all__ = ["Adapt", "OnDegraded", "Reader", "Reading", "Statuses"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

Adapt = Callable[[object, str], object]
"""Asked with what came back and the query before anything else is; gives what a retriever may return, or None."""

OnDegraded = Literal["error", "warn"]

SUCCESS = "success"


class Reading(NamedTuple):
    """What one query came to.

    Attributes:
        ranking: ids, best first, at most k.
        status: what the response said of itself, None where it said nothing.
        answer: the text that came with the results, None without one.
        no_text: the type of an answer that is none.
    """

    ranking: tuple[str, ...] = ()
    status: str | None = None
    answer: str | None = None
    no_text: str | None = None


class Statuses:
    """What responses say of themselves, where some may be no success."""

    def __init__(self, on_degraded: OnDegraded) -> None:
        self._on_degraded = on_degraded
        self._degraded: Counter[str] = Counter()

    def check(self, status: str | None) -> None:
        """Count a status that is no success.

        Raises:
            DegradedError: that is an error.
        """
        if status is None or status.lower() == SUCCESS:
            return
        if self._on_degraded == "error":
            raise DegradedError(status)
        self._degraded[status] += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence, where degraded responses were scored."""
        if not self._degraded:
            return ()
        each = ", ".join(f"{shorten(status, 40)!r} {times:,}" for status, times in sorted(self._degraded.items()))
        return (f"{count(self._degraded.total(), 'degraded response')} scored all the same, by status: {each}",)


class Reader:
    """Reads what one system returns on one suite.

    What it learns from one query holds for the next (see `ResultReader.place`), so the order of its calls matters, and
    threads that share one take turns.
    """

    def __init__(
        self, k: int, policy: Policy, *, on_degraded: OnDegraded = "error", adapt: Adapt | None = None
    ) -> None:
        self._k, self._policy, self._adapt = k, policy, adapt
        self._results, self._statuses = ResultReader(), Statuses(on_degraded)

    def read(self, returned: object, query: str) -> Reading:
        """The ranking in what came back for a query; a generator is drained as far as that takes.

        Raises:
            DegradedError: the response says that it is no success, and that is an error.
            RetrievalError: there is no ranking in it, with the type received and what is accepted.
        """
        adapted = None if self._adapt is None else self._adapt(returned, query)
        opened = open_returned(returned if adapted is None else adapted)
        self._statuses.check(opened.status)
        ranking = read_ranking(opened.results, self._k, self._policy, self._results)
        return Reading(ranking=ranking, status=opened.status, answer=opened.answer, no_text=opened.no_text)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores should know of what came back."""
        return (*self._results.notes, *self._statuses.notes)
