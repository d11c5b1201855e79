from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.bounds import Bounds, Threshold
from tests.unit.suites.builders import load, mistakes

if TYPE_CHECKING:
    from pathlib import Path

POSITIVE = "  - {query: positive, relevant: [a]}\n"
NEGATIVE = "  - {query: negative, relevant: []}\n"
STALE = "  - {query: stale, relevant: [b], stale: [a]}\n"
BELOW = "  - {query: below, relevant: {a: 0.5}}\n"


def gates(folder: Path, text: str) -> list[tuple[str, int]]:
    return [(gate.name, gate.line) for gate in load(folder, text).gates]


@pytest.mark.parametrize(
    ("cases", "names"),
    [
        (POSITIVE, "hit_rate@10 precision@10 recall@10 mrr ndcg@10"),
        (POSITIVE + NEGATIVE, "hit_rate@10 precision@10 recall@10 mrr ndcg@10 negative_accuracy"),
        (NEGATIVE, "negative_accuracy"),
        (STALE, "hit_rate@10 precision@10 recall@10 mrr ndcg@10 stale_hit_rate@10 resolution_accuracy"),
        # A grade below the threshold is a gain, but nothing relevant, and no negative.
        (BELOW, "ndcg@10"),
    ],
)
def test_default_metrics_are_those_that_some_case_defines(tmp_path: Path, cases: str, names: str) -> None:
    suite = load(tmp_path, "cases:\n" + cases)
    assert [str(metric) for metric in suite.metrics] == names.split()
    assert [str(metric) for metric in suite.scored] == [*names.split(), "judged@10"]


def test_default_metrics_count_what_the_undefined_policy_fills_in(tmp_path: Path) -> None:
    suite = load(tmp_path, "undefined: zero\ncases:\n" + NEGATIVE)
    assert [str(metric) for metric in suite.metrics] == [
        "hit_rate@10",
        "precision@10",
        "recall@10",
        "mrr",
        "ndcg@10",
        "negative_accuracy",
    ]


def test_what_is_too_long_for_a_metric_is_unknown(tmp_path: Path) -> None:
    name = "recall@" + "1" * 5000
    assert mistakes(tmp_path, f"metrics: [{name}]\ncases:\n{POSITIVE}") == [
        f"1:11: metrics: unknown metric '{name[:59]}…'"
    ]


def test_metrics_come_in_the_order_they_are_named(tmp_path: Path) -> None:
    text = """
metrics: [ndcg@5, success@3]
thresholds: {mrr: 0.5, hit_rate@3: 0.5}
each: {recall@4: 0.5}
cases:
  - {query: q, relevant: [a], expect: {map: 1}}
"""
    suite = load(tmp_path, text)
    assert [str(metric) for metric in suite.metrics] == ["ndcg@5", "hit_rate@3", "mrr"]
    assert [str(metric) for metric in suite.scored] == ["ndcg@5", "hit_rate@3", "mrr", "recall@4", "map", "judged@10"]


def test_defaults_follow_the_thresholds_where_no_metrics_are_named(tmp_path: Path) -> None:
    suite = load(tmp_path, "thresholds: {map: 0.5, mrr: 0.5}\ncases:\n" + POSITIVE)
    assert [str(metric) for metric in suite.metrics] == [
        "map",
        "mrr",
        "hit_rate@10",
        "precision@10",
        "recall@10",
        "ndcg@10",
    ]


def test_items_are_cases_then_metrics_each_followed_by_its_tags(tmp_path: Path) -> None:
    text = """
metrics:
  - mrr
  - recall@5
thresholds:
  recall@5:b c/d: 0.1
  mrr:kind=x: 0.2
  recall@5: 0.3
  map: 0.4
cases:
  - {id: plain, query: one, relevant: [a], tags: [b c/d], kind: x}
  - {id: "own:bound", query: two, relevant: [a], expect: {mrr: 1}}
"""
    assert gates(tmp_path, text) == [
        ("case:own-bound", 12),
        ("mrr", 3),
        ("mrr:kind-x", 7),
        ("recall-at-5", 8),
        ("recall-at-5:b-c/d", 6),
        ("map", 9),
    ]


def test_case_bounds_replace_those_of_each(tmp_path: Path) -> None:
    text = """
each: {hit_rate@1: 1, mrr: 0.5}
metrics: []
cases:
  - {query: plain, relevant: [a]}
  - {query: own, relevant: [a], expect: {mrr: 0.9}}
  - {query: nothing, relevant: []}
"""
    plain, own = load(tmp_path, text).gates
    hit = Threshold(metric="hit_rate@1", bounds=Bounds(min=1), line=2)
    assert (plain.case, plain.thresholds) == ("plain", (hit, Threshold(metric="mrr", bounds=Bounds(min=0.5), line=2)))
    assert (own.case, own.thresholds) == ("own", (hit, Threshold(metric="mrr", bounds=Bounds(min=0.9), line=6)))


def test_latency_and_judged_share_are_items_only_with_a_bound(tmp_path: Path) -> None:
    text = """
metrics: [mrr, judged@5, judged@3, latency_p50_ms]
thresholds: {latency_p95_ms: 50, judged@3: 0.5}
cases:
  - {query: q, relevant: [a]}
"""
    assert gates(tmp_path, text) == [("mrr", 2), ("judged-at-3", 3), ("latency_p95_ms", 3)]


def test_only_unbounded_latency_is_no_item(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "metrics: [latency_p50_ms]\ncases:\n" + POSITIVE) == [
        "1:1: the suite judges nothing; name a metric in metrics or thresholds"
    ]


@pytest.mark.parametrize(
    ("undefined", "allowed"), [("exclude", False), ("error", False), ("zero", True), ("one", True)]
)
def test_bound_on_negatives_alone_depends_on_the_undefined_policy(
    tmp_path: Path,
    undefined: str,
    allowed: bool,  # noqa: FBT001
) -> None:
    text = f"undefined: {undefined}\nthresholds: {{mrr: 0.5}}\nmetrics: []\ncases:\n{NEGATIVE}"
    if allowed:
        assert gates(tmp_path, text) == [("mrr", 2)]
    else:
        assert mistakes(tmp_path, text) == ["2:14: thresholds: no case defines mrr, so nothing could meet its bounds"]
