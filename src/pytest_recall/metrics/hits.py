"""The ranks that every ranking metric is made of, of one query or of many."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from math import expm1, log
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from pytest_recall.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Gain", "Gains", "Hits", "gain_of", "gains_of", "too_large"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

Gain = Literal["linear", "exponential"]
Id = TypeVar("Id")


Gains: TypeAlias = "tuple[Sequence[int], Sequence[float], tuple[float, ...]]"
"""What a query's grades are worth to nDCG: the ranks, ascending, at which ids with a gain came back; the gain at each;
and the ideal, every judged gain above zero, the largest first. There is one for each of many queries, so a plain tuple.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Where the relevant ids of many queries came back; a metric is a column over them.

    Attributes:
        ranks: for each query the ranks of its relevant ids, counted from 1, ascending.
        sizes: for each query how many ids are relevant.
        gains: position of a query → its gains, of the queries in which these are more than 1 for each relevant id.
    """

    ranks: Sequence[Sequence[int]]
    sizes: Sequence[int]
    gains: Mapping[int, Gains] = field(default_factory=dict)
    _counts: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def within(self, n: int) -> list[int]:
        """For each query how many relevant ids are among the first n; counted once for all metrics that ask."""
        counts = self._counts.get(n)
        if counts is None:
            counts = self._counts[n] = [bisect_right(ranks, n) for ranks in self.ranks]
        return counts


def gain_of(grade: float, kind: Gain) -> float:
    """What a grade is worth: itself, or 2^grade − 1; nothing below zero.

    Raises:
        RecallError: this is more than a float holds.
    """
    if grade <= 0:
        return 0.0
    try:
        if kind == "linear":
            return float(grade)
        # A tiny grade has a gain too, which 2^grade - 1 would round to none.
        return 2.0**grade - 1 if grade >= 1 else expm1(grade * log(2))
    except OverflowError:
        raise too_large() from None


def too_large() -> RecallError:
    """What to say of grades that nothing can be computed of."""
    return RecallError("the grades are too large: a sum of their gains is no number")


def gains_of(grades: Mapping[Id, float], ranking: Iterable[Id], kind: Gain) -> Gains:
    """The gains of one query."""
    worth = {id: gain_of(grade, kind) for id, grade in grades.items() if grade > 0}
    found = [(rank, worth[id]) for rank, id in enumerate(ranking, 1) if id in worth]
    ideal = tuple(sorted(worth.values(), reverse=True))
    return [rank for rank, _ in found], [gain for _, gain in found], ideal
