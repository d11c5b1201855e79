"""The functions: one metric or several, as a mean or for each query."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import TYPE_CHECKING, Any, cast

from pytest_recall.scoring.finding import find_hits
from pytest_recall.scoring.options import check_choice, check_options, cutoff, metrics_named
from pytest_recall.scoring.reading import read_queries
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_recall.metrics import Hits, Metric
    from pytest_recall.metrics.ranking import Column
    from pytest_recall.scoring.signatures import AtK, Qrels, RankingMetrics, Runs, Whole, ZeroDivision

__all__ = [
    "UndefinedMetricWarning",
    "hit_rate_at_k",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "precision_at_k",
    "r_precision",
    "ranking_metrics",
    "recall_at_k",
]

# Without a relevant id nothing can be found, and these say just that.
ZERO_WHEN_NOTHING_IS_RELEVANT = ("hit_rate", "precision", "mrr")


class UndefinedMetricWarning(UserWarning):
    """A metric has no value for some query, and 0.0 was counted.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     recall_at_k([[]], [["a"]])
    0.0
    >>> caught[0].category is UndefinedMetricWarning
    True
    """


def _at_k(function: Callable[..., Any]) -> AtK:
    return cast("AtK", function)


def _whole(function: Callable[..., Any]) -> Whole:
    return cast("Whole", function)


def _several(function: Callable[..., Any]) -> RankingMetrics:
    return cast("RankingMetrics", function)


@_at_k
def recall_at_k(qrels: Qrels[Any], runs: Runs[Any], k: int = 5, **options: Any) -> Any:
    """Relevant ids among the first k, divided by the number of relevant ids; options as `ranking_metrics`.

    >>> recall_at_k([{"a", "b"}], [["a", "x", "b"]], k=2)
    0.5
    """
    return _one(f"recall@{cutoff(k)}", qrels, runs, options)


@_at_k
def precision_at_k(qrels: Qrels[Any], runs: Runs[Any], k: int = 5, **options: Any) -> Any:
    """Relevant ids among the first k, divided by k, also when fewer came back; options as `ranking_metrics`.

    >>> precision_at_k([{"a", "b"}], [["a", "x"]], k=4)
    0.25
    """
    return _one(f"precision@{cutoff(k)}", qrels, runs, options)


@_at_k
def hit_rate_at_k(qrels: Qrels[Any], runs: Runs[Any], k: int = 5, **options: Any) -> Any:
    """1 if any of the first k ids is relevant, else 0; options as `ranking_metrics`.

    >>> hit_rate_at_k({"q1": ["a"], "q2": ["b"]}, {"q1": ["x", "a"], "q2": ["b"]}, k=1)
    0.5
    """
    return _one(f"hit_rate@{cutoff(k)}", qrels, runs, options)


@_at_k
def ndcg_at_k(qrels: Qrels[Any], runs: Runs[Any], k: int = 5, **options: Any) -> Any:
    """Discounted gain of the first k ids, divided by that of the ideal ranking; options as `ranking_metrics`.

    >>> round(ndcg_at_k([{"a": 1}], [["x", "a"]], k=3), 3)
    0.631
    """
    return _one(f"ndcg@{cutoff(k)}", qrels, runs, options)


@_whole
def mean_reciprocal_rank(qrels: Qrels[Any], runs: Runs[Any], **options: Any) -> Any:
    """1 / rank of the first relevant id over the whole ranking, 0 without one; options as `ranking_metrics`.

    >>> mean_reciprocal_rank([["a"], ["b"]], [["x", "a"], ["b"]])
    0.75
    """
    return _one("mrr", qrels, runs, options)


@_whole
def mean_average_precision(qrels: Qrels[Any], runs: Runs[Any], **options: Any) -> Any:
    """Σ precision at each relevant rank / number of relevant ids, over the whole ranking; options as `ranking_metrics`.

    >>> round(mean_average_precision([["a", "b"]], [["a", "x", "b"]]), 3)
    0.833
    """
    return _one("map", qrels, runs, options)


@_whole
def r_precision(qrels: Qrels[Any], runs: Runs[Any], **options: Any) -> Any:
    """Precision at the number of relevant ids; options as `ranking_metrics`.

    >>> r_precision([["a", "b"]], [["a", "x", "b"]])
    0.5
    """
    return _one("r_precision", qrels, runs, options)


@_several
def ranking_metrics(
    qrels: Qrels[Any],
    runs: Runs[Any],
    *,
    metrics: Iterable[str],
    average: str | None = "mean",
    zero_division: ZeroDivision = "warn",
    duplicates: str = "error",
    relevance_threshold: float = 1,
    gain: str = "linear",
    unpaired: str = "error",
) -> dict[str, Any]:
    """Several metrics over one pass.

    Args:
        qrels: for each query a collection of relevant ids, or id → grade; a finite number from 0.
        runs: for each query its ids, best first. Both sides are mappings by query id, or sequences by position. Ids are
            text or whole numbers, one kind a call.
        metrics: names such as ``mrr`` or ``ndcg@10``, of any ranking metric.
        average: "mean", or None for the value of each query, in the shape of `qrels`: a mapping or a list.
        zero_division: what a query counts for which a metric is undefined: 0.0 with an `UndefinedMetricWarning`
            ("warn"), 0.0, 1.0, or nan, which is left out of the mean. Hit rate, precision and MRR are 0 where nothing
            is relevant.
        duplicates: a repeated id is an "error", or only its "first" rank counts.
        relevance_threshold: the smallest grade that counts as relevant.
        gain: what a grade is worth to nDCG: "linear", or "exponential" (2^grade − 1).
        unpaired: a query on one side only is an "error"; "trec" scores a missing ranking 0 and ignores an extra one,
            while one query is on both sides.

    Returns:
        Metric → mean, or metric → values of the queries.

    Raises:
        MetricError: a metric or an option that means nothing.
        RecallError: ids, grades or queries that are none; the query is named.

    >>> ranking_metrics({"q": ["a"]}, {"q": ["x", "a"]}, metrics=["mrr", "recall@1"])
    {'mrr': 0.5, 'recall@1': 0.0}
    """
    parsed = metrics_named(metrics)
    check_choice("average", average, ("mean", None))
    filler = check_options(
        zero_division=zero_division,
        duplicates=duplicates,
        relevance_threshold=relevance_threshold,
        gain=gain,
        unpaired=unpaired,
    )
    queries = read_queries(qrels, runs, duplicates=cast("Any", duplicates), unpaired=cast("Any", unpaired))
    hits = find_hits(queries, relevance_threshold, cast("Any", gain))
    columns = {name: _filled(metric, hits, filler, warn=zero_division == "warn") for name, metric in parsed.items()}
    if average == "mean":
        return {name: _mean(column) for name, column in columns.items()}
    names = queries.names
    return {
        name: column if names is None else dict(zip(names, column, strict=True)) for name, column in columns.items()
    }


def _one(metric: str, qrels: Any, runs: Any, options: dict[str, Any]) -> Any:
    return ranking_metrics(qrels, runs, metrics=[metric], **options)[metric]


def _filled(metric: Metric, hits: Hits, filler: float, *, warn: bool) -> list[float]:
    assert metric.column is not None, "checked when it was parsed"
    column: Column = metric.column(hits, metric.cutoff)
    if None not in column:
        return cast("list[float]", column)
    if metric.name in ZERO_WHEN_NOTHING_IS_RELEVANT:
        filler = 0.0
    elif warn:
        message = (
            f"{metric} is undefined for {column.count(None)} of {len(column)} queries, where nothing is relevant, "
            f"and counts as 0.0 there; zero_division sets another value"
        )
        warnings.warn(message, UndefinedMetricWarning, stacklevel=_callers_level())
    return [filler if value is None else value for value in column]


def _callers_level() -> int:
    """How far up the stack the code is that called this module; a comprehension counts before Python 3.12."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals is globals():
        frame, level = frame.f_back, level + 1
    return level


def _mean(column: list[float]) -> float:
    defined = [value for value in column if not math.isnan(value)]
    return mean(defined) if defined else math.nan
