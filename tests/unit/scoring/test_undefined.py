"""What counts where nothing is relevant."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import (
    UndefinedMetricWarning,
    mean_average_precision,
    ndcg_at_k,
    r_precision,
    ranking_metrics,
    recall_at_k,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# Without the second query, for which nothing is relevant, every metric is 1.
QRELS = {"q1": ["a"], "q2": []}
RUNS = {"q1": ["a"], "q2": ["b"]}

UNDEFINED = ["recall@1", "capped_recall@1", "ndcg", "ndcg@1", "map", "map@1", "r_precision"]
ZERO = ["hit_rate@1", "success@1", "precision@1", "mrr", "mrr@1"]


@pytest.mark.parametrize("name", UNDEFINED)
@pytest.mark.parametrize(
    ("zero_division", "of_q2", "mean"), [(0.0, 0, 0.5), (0, 0, 0.5), (1.0, 1, 1), (1, 1, 1), (math.nan, math.nan, 1)]
)
def test_zero_division_settles_what_counts(name: str, zero_division: float, of_q2: float, mean: float) -> None:
    of_each = ranking_metrics(QRELS, RUNS, metrics=[name], zero_division=zero_division, average=None)[name]
    assert of_each == pytest.approx({"q1": 1, "q2": of_q2}, nan_ok=True)
    assert ranking_metrics(QRELS, RUNS, metrics=[name], zero_division=zero_division)[name] == mean


@pytest.mark.parametrize("name", ZERO)
@pytest.mark.parametrize("zero_division", ["warn", 0.0, 1.0, math.nan])
def test_what_stays_defined_is_zero_without_a_warning(name: str, zero_division: Any) -> None:
    assert ranking_metrics(QRELS, RUNS, metrics=[name], zero_division=zero_division)[name] == 0.5


@pytest.mark.parametrize("threshold", [0.5, 1, 2])
def test_nan_when_nothing_is_left(threshold: float) -> None:
    value = recall_at_k([[], {}], [["a"], []], zero_division=math.nan, relevance_threshold=threshold)
    assert math.isnan(value)


def test_grades_below_the_threshold_leave_recall_undefined_but_not_ndcg() -> None:
    values = ranking_metrics(
        [{"a": 1}], [["a"]], metrics=["recall@1", "ndcg@1"], relevance_threshold=2, zero_division=math.nan
    )
    assert values == pytest.approx({"recall@1": math.nan, "ndcg@1": 1}, nan_ok=True)


def test_grades_of_zero_leave_all_undefined() -> None:
    values = ranking_metrics([{"a": 0}], [["a"]], metrics=UNDEFINED, zero_division=math.nan)
    assert values == pytest.approx(dict.fromkeys(UNDEFINED, math.nan), nan_ok=True)


def test_one_warning_for_each_metric() -> None:
    with pytest.warns(UndefinedMetricWarning) as caught:
        values = ranking_metrics({**QRELS, "q3": []}, {**RUNS, "q3": []}, metrics=[*UNDEFINED, *ZERO])
    assert values == pytest.approx(dict.fromkeys([*UNDEFINED, *ZERO], 1 / 3))
    assert [str(warning.message) for warning in caught] == [
        f"{name} is undefined for 2 of 3 queries, where nothing is relevant, and counts as 0.0 there; "
        f"zero_division sets another value"
        for name in UNDEFINED
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda: recall_at_k([[]], [["a"]]),
        lambda: ndcg_at_k([[]], [["a"]]),
        lambda: mean_average_precision([[]], [["a"]]),
        lambda: r_precision([[]], [["a"]]),
        lambda: ranking_metrics([[]], [["a"]], metrics=["map"]),
        lambda: [recall_at_k([[]], [[id]]) for id in "a"],
    ],
    ids=["recall_at_k", "ndcg_at_k", "mean_average_precision", "r_precision", "ranking_metrics", "comprehension"],
)
def test_warning_points_at_the_caller(call: Callable[[], object]) -> None:
    with pytest.warns(UndefinedMetricWarning) as caught:
        call()
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, call.__code__.co_firstlineno)


def test_warning_can_be_filtered_by_its_category() -> None:
    assert issubclass(UndefinedMetricWarning, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        assert recall_at_k([[]], [["a"]]) == 0


def test_a_ranking_without_results_is_zero_and_defined() -> None:
    names = [*UNDEFINED, *ZERO]
    assert ranking_metrics([["a"]], [[]], metrics=names) == dict.fromkeys(names, 0.0)
