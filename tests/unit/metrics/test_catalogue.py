from __future__ import annotations

from math import inf

import pytest

from pytest_recall.errors import MetricError
from pytest_recall.metrics import ALIASES, CATALOGUE, Metric, parse_metric

ALL = [
    metric
    for name, kind in CATALOGUE.items()
    for metric in {
        "required": [f"{name}@1", f"{name}@10", f"{name}@1000000"],
        "optional": [name, f"{name}@1", f"{name}@10"],
        "none": [f"{name}.refund", f"{name}.a.b@5: c"] if kind.takes_label else [name],
    }[kind.takes_cutoff]
]


@pytest.mark.parametrize("text", ALL)
def test_text_parses_to_a_metric_with_that_text(text: str) -> None:
    metric = parse_metric(text)
    assert str(metric) == text
    assert parse_metric(str(metric)) == metric


def test_names_of_the_table() -> None:
    assert list(CATALOGUE) == [
        "hit_rate",
        "precision",
        "recall",
        "capped_recall",
        "mrr",
        "map",
        "r_precision",
        "ndcg",
        "judged",
        "stale_hit_rate",
        "resolution_accuracy",
        "negative_accuracy",
        "false_injection_rate",
        "mean_noise",
        "exact_match",
        "token_f1",
        "anls",
        "edit_similarity",
        "accuracy",
        "macro_f1",
        "label_recall",
        "label_precision",
        "reproduced",
        "mean_similarity",
        "latency_mean_ms",
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_max_ms",
    ]


def test_lower_is_better_for_what_must_not_happen() -> None:
    assert [name for name, metric in CATALOGUE.items() if metric.better == "lower"] == [
        "stale_hit_rate",
        "false_injection_rate",
        "mean_noise",
        "latency_mean_ms",
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_max_ms",
    ]


def test_range_is_0_to_1_but_for_counts_and_times() -> None:
    open_ended = {name for name, metric in CATALOGUE.items() if metric.maximum == inf}
    assert open_ended == {"mean_noise", "latency_mean_ms", "latency_p50_ms", "latency_p95_ms", "latency_max_ms"}
    assert parse_metric("mrr").range_text == "0 to 1"
    assert parse_metric("mean_noise").range_text == "0 or more"


def test_baseline_holds_ranking_and_memory_metrics() -> None:
    assert {name for name, metric in CATALOGUE.items() if not metric.recorded} == {
        "judged",
        "latency_mean_ms",
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_max_ms",
    }


@pytest.mark.parametrize(
    ("text", "aggregate"),
    [
        ("recall@5", "mean"),
        ("mean_noise", "mean"),
        ("latency_mean_ms", "mean"),
        ("latency_p50_ms", "p50"),
        ("latency_p95_ms", "p95"),
        ("latency_max_ms", "max"),
    ],
)
def test_aggregate(text: str, aggregate: str) -> None:
    assert parse_metric(text).aggregate == aggregate


def test_alias_is_the_metric_it_stands_for() -> None:
    assert ALIASES == {"success": "hit_rate"}
    assert parse_metric("success@3") == parse_metric("hit_rate@3")
    assert str(parse_metric("success@3")) == "hit_rate@3"


def test_metric_is_a_value() -> None:
    assert parse_metric("recall@5") != parse_metric("recall@6")
    assert len({parse_metric("recall@5"), parse_metric("recall@5"), parse_metric("mrr")}) == 2
    assert isinstance(parse_metric("mrr"), Metric)


NUMBER = "the cutoff must be a whole number from 1 to 1,000,000"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recal@3", "unknown metric 'recal@3' (did you mean 'recall@3'?)"),
        ("recall_5", "unknown metric 'recall_5' (did you mean 'recall@5'?)"),
        ("recall-at-1", "unknown metric 'recall-at-1' (did you mean 'recall@1'?)"),
        ("nDCG10", "unknown metric 'nDCG10' (did you mean 'ndcg@10'?)"),
        ("latency_p50", "unknown metric 'latency_p50' (did you mean 'latency_p50_ms'?)"),
        ("RECALL@3", "unknown metric 'RECALL@3' (did you mean 'recall@3'?)"),
        (" recall@3", "unknown metric ' recall@3' (did you mean 'recall@3'?)"),
        ("recal", "unknown metric 'recal' (did you mean 'recall@10'?)"),
        ("ndgc@0", "unknown metric 'ndgc@0' (did you mean 'ndcg@10'?)"),
        ("MRR", "unknown metric 'MRR' (did you mean 'mrr'?)"),
        ("MRR@5", "unknown metric 'MRR@5' (did you mean 'mrr@5'?)"),
        ("r-precision@5", "unknown metric 'r-precision@5' (did you mean 'r_precision'?)"),
        ("sucess@5", "unknown metric 'sucess@5' (did you mean 'success@5'?)"),
        ("latency_p99_ms", "unknown metric 'latency_p99_ms' (did you mean 'latency_p95_ms'?)"),
        ("bleu", "unknown metric 'bleu'"),
        ("", "unknown metric ''"),
        ("@", "unknown metric '@'"),
        ("@5", "unknown metric '@5'"),
        ("\x1b[31m\n", "unknown metric '\\x1b[31m\\n'"),
        ("\ud800", "unknown metric '\\ud800'"),
        ("q" * 1_000_000, f"unknown metric '{'q' * 79}"),
        ("recall", "metric 'recall' needs a cutoff, such as 'recall@10'"),
        ("success", "metric 'success' needs a cutoff, such as 'success@10'"),
        ("stale_hit_rate", "metric 'stale_hit_rate' needs a cutoff, such as 'stale_hit_rate@10'"),
        ("r_precision@5", "metric 'r_precision@5': 'r_precision' takes no cutoff"),
        ("mean_noise@", "metric 'mean_noise@': 'mean_noise' takes no cutoff"),
        ("latency_p95_ms@5", "metric 'latency_p95_ms@5': 'latency_p95_ms' takes no cutoff"),
        ("recall@", f"metric 'recall@': {NUMBER}"),
        ("mrr@", f"metric 'mrr@': {NUMBER}"),
        ("recall@0", f"metric 'recall@0': {NUMBER}"),
        ("recall@-1", f"metric 'recall@-1': {NUMBER}"),
        ("recall@05", f"metric 'recall@05': {NUMBER}"),
        ("recall@1.0", f"metric 'recall@1.0': {NUMBER}"),
        ("recall@1_0", f"metric 'recall@1_0': {NUMBER}"),
        ("recall@5\n", f"metric 'recall@5\\n': {NUMBER}"),
        ("recall@5@5", f"metric 'recall@5@5': {NUMBER}"),
        ("recall@\u0663", f"metric 'recall@\u0663': {NUMBER}"),  # a digit elsewhere
        ("recall@1000001", f"metric 'recall@1000001': {NUMBER}"),
        ("ndcg@abc", f"metric 'ndcg@abc': {NUMBER}"),
        ("ndcg@" + "9" * 5000, f"metric 'ndcg@{'9' * 74}: {NUMBER}"),
    ],
)
def test_what_is_no_metric(text: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_metric(text)
    assert str(caught.value) == message
