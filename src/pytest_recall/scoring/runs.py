"""Scores of a run that comes one ranking at a time, in the memory that its judgments take."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress, count
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_recall.metrics import Hits
from pytest_recall.metrics.hits import gains_of
from pytest_recall.scoring.finding import FEW
from pytest_recall.scoring.options import metrics_named
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pytest_recall.metrics import Gain, Metric
    from pytest_recall.metrics.hits import Gains

__all__ = ["RunScores", "score_run"]

Id = TypeVar("Id", str, bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores(Generic[Id]):
    """What a run scored.

    Attributes:
        per_query: metric → topic → value, topics in the order of the judgments.
        missing: judged topics that the run does not hold; each scores 0.
        unjudged: how many topics of the run have no judgments; they count for nothing.
    """

    per_query: Mapping[str, Mapping[Id, float]]
    missing: tuple[Id, ...]
    unjudged: int

    @property
    def means(self) -> Mapping[str, float]:
        """Metric → mean over the judged topics."""
        return {metric: mean(list(values.values())) for metric, values in self.per_query.items()}

    def renamed(self, name: Callable[[Id], str]) -> RunScores[str]:
        """The same scores, with another name for each topic."""
        per_query = {
            metric: {name(topic): value for topic, value in values.items()} for metric, values in self.per_query.items()
        }
        return RunScores(per_query=per_query, missing=tuple(map(name, self.missing)), unjudged=self.unjudged)


def score_run(
    qrels: Mapping[Id, Mapping[Id, float]],
    rankings: Iterable[tuple[Id, Sequence[Id], AbstractSet[Id]]],
    *,
    metrics: Iterable[str],
    depth: int | None = None,
    relevance_threshold: float = 1,
    gain: Gain = "linear",
) -> RunScores[Id]:
    """The numbers of ``trec_eval -c``: a judged topic that the run leaves out scores 0, and so does an undefined value.

    Args:
        qrels: topic → document → grade, names as text or in UTF-8; grades below
            `relevance_threshold` are not relevant, negative ones gain 0.
        rankings: topic and its ids, best first, and as a set, one topic at a time; of one that comes again the last
            ranking counts.
        metrics: names such as ``map`` or ``ndcg@10``.
        depth: how many results of a ranking count; None for all.
        relevance_threshold: the smallest grade that counts as relevant.
        gain: what a grade is worth to nDCG.

    Raises:
        MetricError: a name means no metric of a ranking.
    """
    parsed = metrics_named(metrics)
    readers = {topic: _Reader.of(grades, relevance_threshold, gain) for topic, grades in qrels.items()}
    found: dict[Id, tuple[Sequence[int], Gains | None]] = {}
    unjudged: set[Id] = set()
    for topic, ids, unique in rankings:
        if topic not in readers:
            unjudged.add(topic)
        elif depth is None:
            found[topic] = readers[topic].read(ids, unique)
        else:
            found[topic] = readers[topic].read(ids[:depth], set(ids[:depth]))
    nothing = {topic: readers[topic].read((), frozenset()) for topic in qrels if topic not in found}
    read = [found.get(topic) or nothing[topic] for topic in qrels]
    hits = Hits(
        ranks=[ranks for ranks, _ in read],
        sizes=[len(reader.relevant) for reader in readers.values()],
        gains={position: gains for position, (_, gains) in enumerate(read) if gains is not None},
    )
    per_query = {name: dict(zip(qrels, _column(metric, hits), strict=True)) for name, metric in parsed.items()}
    return RunScores(per_query=per_query, missing=tuple(nothing), unjudged=len(unjudged))


@dataclass(frozen=True, slots=True)
class _Reader(Generic[Id]):
    """What of a topic's rankings is kept: where its relevant ids are, and the gains where grades differ."""

    relevant: frozenset[Id]
    grades: Mapping[Id, float] | None
    gain: Gain

    @classmethod
    def of(cls, grades: Mapping[Id, float], relevance_threshold: float, gain: Gain) -> _Reader[Id]:
        relevant = frozenset(id for id, grade in grades.items() if grade >= relevance_threshold)
        plain = all(grade <= 0 or (grade == 1 and id in relevant) for id, grade in grades.items())
        return cls(relevant, None if plain else grades, gain)

    def read(self, ids: Sequence[Id], unique: AbstractSet[Id]) -> tuple[list[int], Gains | None]:
        found = self.relevant & unique
        if len(found) > FEW:
            ranks = list(compress(count(1), map(found.__contains__, ids)))
        else:
            ranks = sorted(ids.index(id) + 1 for id in found)
        return ranks, None if self.grades is None else gains_of(self.grades, ids, self.gain)


def _column(metric: Metric, hits: Hits) -> list[float]:
    assert metric.column is not None, "checked when it was parsed"
    return [value or 0.0 for value in metric.column(hits, metric.cutoff)]
