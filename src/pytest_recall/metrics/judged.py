"""A case's judgments, and a ranking seen through them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress, count
from typing import TYPE_CHECKING

from pytest_recall.drafts import fast
from pytest_recall.metrics.hits import Gain, Gains, Hits, gains_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["JudgedRanking", "Judgments", "fast_judged_ranking", "fast_judgments", "hits_of"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

_PLAIN = frozenset((0, 1))
"""What grades mostly are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgments:
    """What is known of a case before anything is retrieved.

    Attributes:
        grades: id → grade of every judged id; a grade is a finite number.
        stale: ids that must not come back.
        answers: texts that would do as an answer; empty where the answer is not judged.
        relevance_threshold: the smallest grade that counts as relevant.
        gain: what a grade is worth to nDCG: itself, or 2^grade − 1.
        expected: the label that a classifier is to give, None of a case for a retriever.
        ranked: whether what comes back is judged at all; a case may be about its answer alone.
        relevant: the ids at or above the threshold (the R of every formula).

    >>> judgments = Judgments(grades={"lease-2": 2, "rent-1": 0}, stale=("lease-1",))
    >>> judgments.relevant, judgments.negative
    (frozenset({'lease-2'}), False)
    """

    grades: Mapping[str, float]
    stale: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    relevance_threshold: float = 1
    gain: Gain = "linear"
    expected: str | None = None
    ranked: bool = True
    relevant: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "relevant", _relevant(self))

    @property
    def negative(self) -> bool:
        """Nothing should come back, because nothing was judged at all."""
        return self.ranked and not self.grades

    @property
    def graded(self) -> bool:
        """Some grade is positive, so that an ideal ranking has a gain."""
        return any(grade > 0 for grade in self.grades.values())

    @property
    def plain(self) -> bool:
        """Every id with a gain is relevant, with a gain of 1."""
        grades = self.grades.values()
        return self.relevance_threshold <= 1 and (
            _PLAIN.issuperset(grades) or all(grade == 1 or grade <= 0 for grade in grades)
        )


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """One ranking (distinct ids, best first) with its judgments, and the ranks that every metric is made of.

    Attributes:
        answer: the text that was answered, None without one.
        relevant_ranks: of the relevant ids that came back, counted from 1, ascending.

    >>> judged = JudgedRanking(Judgments(grades={"lease-2": 1}, stale=("lease-1",)), ["lease-1", "lease-2"])
    >>> judged.relevant_ranks, judged.stale_rank
    ([2], 1)
    """

    judgments: Judgments
    ranking: Sequence[str]
    answer: str | None = None
    relevant_ranks: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "relevant_ranks", _relevant_ranks(self))

    @property
    def gains(self) -> Gains | None:
        """What the grades are worth to nDCG; None where each relevant id is worth 1."""
        judgments = self.judgments
        return None if judgments.plain else gains_of(judgments.grades, self.ranking, judgments.gain)

    @property
    def stale_rank(self) -> int | None:
        """The best rank of a stale id, None where none came back."""
        stale = self.judgments.stale
        return next((rank for rank, id in enumerate(self.ranking, 1) if id in stale), None) if stale else None


def _relevant(judgments: Judgments) -> frozenset[str]:
    threshold = judgments.relevance_threshold
    return frozenset([id for id, grade in judgments.grades.items() if grade >= threshold])


def _relevant_ranks(judged: JudgedRanking) -> list[int]:
    return list(compress(count(1), map(judged.judgments.relevant.__contains__, judged.ranking)))


# There is one of each for every case of every run.
fast_judgments: type[Judgments] = fast(Judgments, relevant=_relevant)
fast_judged_ranking: type[JudgedRanking] = fast(JudgedRanking, relevant_ranks=_relevant_ranks)


def hits_of(cases: Sequence[JudgedRanking]) -> Hits:
    """The hits of many cases, for metrics that are columns over them."""
    return Hits(
        ranks=[judged.relevant_ranks for judged in cases],
        sizes=[len(judged.judgments.relevant) for judged in cases],
        gains={place: gains for place, judged in enumerate(cases) if (gains := judged.gains) is not None},
    )
