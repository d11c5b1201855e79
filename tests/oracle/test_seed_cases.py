"""Worked examples of other evaluators, by a suite; the other rows belong to other parts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.running import evaluate
from tests.builders import case, suite

if TYPE_CHECKING:
    from pathlib import Path

# Row → what the metric of that row is called here.
METRIC_OF = {
    "c057": "recall@2",
    "c058": "recall@4",
    "c059": "mrr",
    "c060": "mean_noise",
    "c062": "hit_rate@2",  # called recall there, and the next row says what recall is
    "c063": "recall@2",
    "c066": "recall@2",
    "c067": "hit_rate@2",
    "c068": "mrr",
    "c069": "negative_accuracy",
    "c070": "false_injection_rate",
    "c074": "mrr",
    "c077": "stale_hit_rate@4",
    "c078": "stale_hit_rate@2",
    "c079": "stale_hit_rate@4",
    "c081": "stale_hit_rate@4",
    "c082": "resolution_accuracy",
    "c083": "resolution_accuracy",
    "c084": "resolution_accuracy",
    "c085": "resolution_accuracy",
}


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> dict[str, dict[str, Any]]:
    cases = json.loads(shared_data.joinpath("oracle", "seed_cases.json").read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in cases}


@pytest.mark.parametrize(("id", "metric"), METRIC_OF.items())
def test_suite_scores_as_published(id: str, metric: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    rankings, relevant = row["ranking"], row["relevant"]
    if isinstance(rankings, list):
        rankings, relevant = {"q": rankings}, {"q": relevant}
    cases = [case(query, relevant[query], stale=tuple(row.get("stale", ()))) for query in rankings]
    value = evaluate(suite(cases, [metric]), rankings.__getitem__)[metric]
    assert value == (None if row["expected"] is None else pytest.approx(float(row["expected"]), abs=1e-9))


def test_percentile_of_one_query_is_its_latency(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["c089"]
    (value,) = row["values"]
    assert row["expected"] == value
    evaluation = evaluate(suite([case("q", "a")], ["latency_p95_ms"]), lambda _: ["a"])
    assert evaluation["latency_p95_ms"] == evaluation.cases[0].latency_ms
