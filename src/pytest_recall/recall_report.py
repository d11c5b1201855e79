"""Recall reports in the conventions of klieo-eval: one window of k, binary relevance, five means."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import fsum, log2
from typing import TYPE_CHECKING

from pytest_recall import _json
from pytest_recall.errors import MetricError
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PerQueryScore", "RecallReport", "RecallSample", "checked_k", "checked_list", "score_recall"]


@dataclass(frozen=True, slots=True)
class RecallSample:
    """One query, the ids that should come back, and those that did, best first.

    >>> score_recall([RecallSample("lease end", ["lease-2"], ["rent-1", "lease-2"])], k=1).hit_rate()
    0.0
    """

    query: str
    expected: Sequence[str]
    returned_ids: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerQueryScore:
    """One query within the first k.

    Attributes:
        expected_count: how many ids were expected; an id that is expected twice counts twice.
        first_hit_rank: rank of the first expected id, None where none came back.
        precision_at_k: expected ids that came back, divided by k also when fewer came back; 0 where k is 0.
        recall_at_k: expected ids that came back, divided by `expected_count`; 0 where nothing was expected.
        ndcg_at_k: Σ 1 / log2(rank + 1) of the hits, divided by that of the best ranking; 0 where nothing was expected.

    >>> report = score_recall([RecallSample("lease end", ["lease-2"], ["rent-1", "lease-2"])], k=2)
    >>> report.per_query[0].first_hit_rank, report.per_query[0].precision_at_k
    (2, 0.5)
    """

    query: str
    expected_count: int
    first_hit_rank: int | None
    precision_at_k: float
    recall_at_k: float
    ndcg_at_k: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallReport:
    """What every sample scored, in their order. A mean of nothing is 0.

    >>> report = score_recall([RecallSample("lease end", ["lease-2"], ["rent-1", "lease-2"])], k=2)
    >>> report.hit_rate(), report.mean_recall_at_k(), report.mean_reciprocal_rank()
    (1.0, 1.0, 0.5)
    """

    k: int
    per_query: tuple[PerQueryScore, ...]

    def hit_rate(self) -> float:
        """The share of queries with a hit; one where nothing was expected has none."""
        return _mean([score.first_hit_rank is not None for score in self.per_query])

    def mean_reciprocal_rank(self) -> float:
        """The mean of 1 / rank of the first hit, 0 without one."""
        return _mean([1 / score.first_hit_rank if score.first_hit_rank else 0.0 for score in self.per_query])

    def mean_precision_at_k(self) -> float:
        """The mean over all queries."""
        return _mean([score.precision_at_k for score in self.per_query])

    def mean_recall_at_k(self) -> float:
        """The mean over the queries that expected something."""
        return _mean([score.recall_at_k for score in self.per_query if score.expected_count])

    def mean_ndcg_at_k(self) -> float:
        """The mean over the queries that expected something."""
        return _mean([score.ndcg_at_k for score in self.per_query if score.expected_count])

    def to_json(self) -> str:
        """The report as JSON: its fields and the five means."""
        means = {
            "hit_rate": self.hit_rate(),
            "mean_reciprocal_rank": self.mean_reciprocal_rank(),
            "mean_precision_at_k": self.mean_precision_at_k(),
            "mean_recall_at_k": self.mean_recall_at_k(),
            "mean_ndcg_at_k": self.mean_ndcg_at_k(),
        }
        return _json.dumps({"k": self.k, **means, "per_query": [asdict(score) for score in self.per_query]})


def score_recall(samples: Iterable[RecallSample], k: int) -> RecallReport:
    """Score what came back within the first k ids of each sample.

    The numbers are those of klieo-eval, but an id that came back twice is refused, where klieo counts it twice.

    >>> report = score_recall([RecallSample("when does the lease end?", ["lease-2"], ["rent-1", "lease-2"])], k=2)
    >>> report.mean_reciprocal_rank(), report.mean_precision_at_k()
    (0.5, 0.5)

    Raises:
        MetricError: k is no whole number from 0, an id came back twice within the first k, or something else stands
            where a list of ids, or of samples, belongs.
    """
    k = checked_k(k)
    if not isinstance(samples, Iterable):
        raise MetricError(f"samples must be a list of RecallSample, not {type(samples).__name__}")
    return RecallReport(k=k, per_query=tuple(_score(sample, k) for sample in samples))


def checked_k(k: object) -> int:
    """A window's size, which may be any kind of whole number.

    Raises:
        MetricError: it is none, or negative.
    """
    if not isinstance(k, bool):
        try:
            size = operator.index(k)  # type: ignore[arg-type]  # the very question asked here
        except TypeError:
            size = -1
        if size >= 0:
            return size
    raise MetricError(f"k must be a whole number from 0, got {k!r:.80}")


def checked_list(ids: Sequence[str], what: str) -> Sequence[str]:
    """Ids, given that they are a list of some kind, and no text, which is a sequence of texts as well.

    Raises:
        MetricError: they are not.
    """
    if isinstance(ids, str):
        raise MetricError(f"{what} must be a list of ids, got the text {ids!r:.80}")
    if isinstance(ids, (Mapping, bytes)) or not (hasattr(ids, "__len__") and hasattr(ids, "__getitem__")):
        raise MetricError(f"{what} must be a list of ids, not {type(ids).__name__}")
    return ids


def _score(sample: object, k: int) -> PerQueryScore:
    if not isinstance(sample, RecallSample):
        raise MetricError(f"samples must be a list of RecallSample, and holds {type(sample).__name__} {sample!r:.80}")
    expected = checked_list(sample.expected, f"query {sample.query!r:.80}: expected")
    returned = checked_list(sample.returned_ids, f"query {sample.query!r:.80}: returned_ids")[:k]
    ranks: dict[str, int] = {}
    for rank, id in enumerate(returned, 1):
        if ranks.setdefault(id, rank) != rank:
            raise MetricError(
                f"query {sample.query!r:.80}: {id!r:.80} came back twice, at ranks {ranks[id]} and {rank}"
            )
    hits = sorted(ranks[id] for id in set(expected).intersection(ranks))
    ideal = range(1, min(len(expected), k) + 1)
    return PerQueryScore(
        query=sample.query,
        expected_count=len(expected),
        first_hit_rank=hits[0] if hits else None,
        precision_at_k=len(hits) / k if k else 0.0,
        recall_at_k=len(hits) / len(expected) if expected else 0.0,
        ndcg_at_k=_discounted(hits) / _discounted(ideal) if ideal else 0.0,
    )


def _discounted(ranks: Iterable[int]) -> float:
    return fsum(1 / log2(rank + 1) for rank in ranks)


def _mean(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0
