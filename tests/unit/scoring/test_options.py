"""What the keywords refuse, and what they say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import (
    MetricError,
    hit_rate_at_k,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    ranking_metrics,
    recall_at_k,
)
from pytest_recall.metrics import parse_metric

if TYPE_CHECKING:
    from collections.abc import Callable

THRESHOLD = "relevance_threshold must be a finite number above 0, got"
ZERO_DIVISION = "zero_division must be 'warn', 0.0, 1.0 or nan, got"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("average", "macro", "average must be 'mean' or None, got 'macro'"),
        ("average", False, "average must be 'mean' or None, got False"),
        ("duplicates", "last", "duplicates must be 'error' or 'first', got 'last'"),
        ("gain", "exp", "gain must be 'linear' or 'exponential', got 'exp'"),
        ("unpaired", "ignore", "unpaired must be 'error' or 'trec', got 'ignore'"),
        ("relevance_threshold", 0, f"{THRESHOLD} 0"),
        ("relevance_threshold", -1, f"{THRESHOLD} -1"),
        ("relevance_threshold", math.nan, f"{THRESHOLD} nan"),
        ("relevance_threshold", math.inf, f"{THRESHOLD} inf"),
        ("relevance_threshold", True, f"{THRESHOLD} True"),
        ("relevance_threshold", "1", f"{THRESHOLD} '1'"),
        ("relevance_threshold", None, f"{THRESHOLD} None"),
        ("zero_division", 0.5, f"{ZERO_DIVISION} 0.5"),
        ("zero_division", True, f"{ZERO_DIVISION} True"),
        ("zero_division", "raise", f"{ZERO_DIVISION} 'raise'"),
        ("zero_division", None, f"{ZERO_DIVISION} None"),
    ],
)
def test_option_is_refused(option: str, value: Any, message: str) -> None:
    for call in (mean_reciprocal_rank, recall_at_k):
        with pytest.raises(MetricError) as refused:
            call([["a"]], [["a"]], **{option: value})
        assert str(refused.value) == message


@pytest.mark.parametrize("function", [recall_at_k, precision_at_k, hit_rate_at_k, ndcg_at_k])
@pytest.mark.parametrize("k", [0, -1, True, 2.0, "2", None])
def test_k_is_a_whole_number_from_1(function: Callable[..., Any], k: Any) -> None:
    with pytest.raises(MetricError) as refused:
        function([["a"]], [["a"]], k=k)
    assert str(refused.value) == f"k must be a whole number from 1, got {k!r}"


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("mrr", "metrics must be a list of names, such as ['mrr'], not a bare text"),
        (None, "metrics must be a list of names, such as ['mrr'], got None"),
        # Its text holds an address, which no test's name may.
        pytest.param(
            ["mrr", parse_metric("map")],
            f"a metric is named by a text such as 'mrr', got {parse_metric('map')!r:.80}",
            id="a metric itself",
        ),
        (["nddcg@10"], "unknown metric 'nddcg@10' (did you mean 'ndcg@10'?)"),
        (["recall"], "metric 'recall' needs a cutoff, such as 'recall@10'"),
        (["r_precision@3"], "metric 'r_precision@3': 'r_precision' takes no cutoff"),
        (["mrr@0"], "metric 'mrr@0': the cutoff must be a whole number from 1 to 1,000,000"),
        (["negative_accuracy"], "'negative_accuracy' is no metric of a ranking alone; it is computed over a suite"),
        (["stale_hit_rate@5"], "'stale_hit_rate@5' is no metric of a ranking alone; it is computed over a suite"),
        (["judged@5"], "'judged@5' is no metric of a ranking alone; it is computed over a suite"),
        (["latency_p95_ms"], "'latency_p95_ms' is no metric of a ranking alone; it is computed over a suite"),
    ],
)
def test_metric_is_refused(metrics: Any, message: str) -> None:
    with pytest.raises(MetricError) as refused:
        ranking_metrics([["a"]], [["a"]], metrics=metrics)
    assert str(refused.value) == message
