"""Worked examples of other evaluators, by a suite and by the functions."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from pytest_recall import RecallError, UndefinedMetricWarning, ranking_metrics
from pytest_recall.answers import anls_score, edit_similarity_score, exact_match_score, token_f1_score
from pytest_recall.labels import ClassificationCase, LabelSpec, extract_label, score_classification
from pytest_recall.running import evaluate
from tests.builders import case, suite

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


# Rows that the functions reproduce, nothing relevant being 0 in the first three.
WITH_ZERO = ("c064", "c065", "c096")
BY_FUNCTIONS = (*WITH_ZERO, *(f"c{number}" for number in range(101, 139)))

# How a row's convention names an option of ours.
OPTION = re.compile(r"(zero_division|duplicates|relevance_threshold)=(\S+)")


@pytest.mark.parametrize(("id", "metric"), METRIC_OF.items())
def test_suite_scores_as_published(id: str, metric: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    rankings, relevant = row["ranking"], row["relevant"]
    if isinstance(rankings, list):
        rankings, relevant = {"q": rankings}, {"q": relevant}
    cases = [case(query, relevant[query], stale=tuple(row.get("stale", ()))) for query in rankings]
    value = evaluate(suite(cases, [metric]), rankings.__getitem__)[metric]
    assert value == (None if row["expected"] is None else pytest.approx(float(row["expected"]), abs=1e-9))


@pytest.mark.parametrize("id", ["c089"])
def test_percentile_of_one_query_is_its_latency(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    (value,) = row["values"]
    assert row["expected"] == value
    evaluation = evaluate(suite([case("q", "a")], ["latency_p95_ms"]), lambda _: ["a"])
    assert evaluation["latency_p95_ms"] == evaluation.cases[0].latency_ms


def options_of(row: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"zero_division": 0.0} if row["id"] in WITH_ZERO else {}
    for name, text in OPTION.findall(row["convention"]):
        options[name] = text if text in {"warn", "first"} else float(text)
    return options


@pytest.mark.parametrize("id", BY_FUNCTIONS)
def test_functions_score_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    runs, qrels = row["ranking"], row["grades" if "grades" in row else "relevant"]
    if not isinstance(runs, dict):
        runs, qrels = [runs], [qrels]
    metric = row["metric"].replace("any", "mrr").replace("@k", f"@{row['k']}")

    def score() -> Any:
        return ranking_metrics(qrels, runs, metrics=[metric], **options_of(row))[metric]

    if row.get("raises"):
        with pytest.raises(RecallError):
            score()
        return
    if row.get("warns"):
        with pytest.warns(UndefinedMetricWarning):
            value = score()
    else:
        value = score()
    expected = math.nan if row["expected"] is None else row["expected"]
    assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


ANSWER_SCORES = {
    "exact_match": exact_match_score,
    "token_f1": token_f1_score,
    "anls": anls_score,
    "edit_similarity": edit_similarity_score,
}


@pytest.mark.parametrize("id", [f"c{number}" for number in range(147, 153)])
def test_answers_score_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    value = ANSWER_SCORES[row["metric"]](row["relevant"], row["answers"])
    assert value == pytest.approx(row["expected"], abs=1e-9)


@pytest.mark.parametrize("id", [f"c{number}" for number in range(153, 158)])
def test_labels_are_found_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    specs = [LabelSpec(canonical, aliases) for canonical, aliases in row["labels"].items()]
    assert extract_label(row["output"], specs) == row["expected"]


@pytest.mark.parametrize("id", ["c158", "c159"])
def test_labels_score_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    cases = [ClassificationCase("an input", expected) for expected in row["relevant"]]
    # Surplus predictions are klieo's to ignore.
    report = score_classification(cases, row["predictions"], strict=False)
    assert report.accuracy == pytest.approx(row["expected"], abs=1e-9)
