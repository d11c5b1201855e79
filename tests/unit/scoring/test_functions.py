from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import pytest_recall
from pytest_recall import (
    hit_rate_at_k,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    ranking_metrics,
    recall_at_k,
    scoring,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Of q1 a and c are found, at 2 and 4, and b is not; of q2 d is found at 1.
QRELS = {"q1": {"a": 1, "b": 1, "c": 2}, "q2": {"d": 1}}
RUNS = {"q1": ["x", "a", "y", "c"], "q2": ["d", "z"]}
IN_ORDER = (list(QRELS.values()), list(RUNS.values()))

# The discounts of the ranks 2, 3 and 4; rank 1 has 1.
SECOND, THIRD, FOURTH = (1 / math.log2(rank + 1) for rank in (2, 3, 4))

# A function with its k, the same metric by name, and the values of q1 and q2.
ALL = [
    pytest.param(recall_at_k, {"k": 3}, "recall@3", (1 / 3, 1), id="recall_at_k"),
    pytest.param(precision_at_k, {"k": 4}, "precision@4", (1 / 2, 1 / 4), id="precision_at_k"),
    pytest.param(hit_rate_at_k, {"k": 1}, "hit_rate@1", (0, 1), id="hit_rate_at_k"),
    pytest.param(
        # c has grade 2 and would be first.
        ndcg_at_k,
        {"k": 4},
        "ndcg@4",
        ((SECOND + 2 * FOURTH) / (2 + SECOND + THIRD), 1),
        id="ndcg_at_k",
    ),
    pytest.param(mean_reciprocal_rank, {}, "mrr", (1 / 2, 1), id="mean_reciprocal_rank"),
    pytest.param(mean_average_precision, {}, "map", ((1 / 2 + 2 / 4) / 3, 1), id="mean_average_precision"),
    pytest.param(r_precision, {}, "r_precision", (1 / 3, 1), id="r_precision"),
]


@pytest.mark.parametrize(("function", "k", "name", "values"), ALL)
def test_mean_and_values(
    function: Callable[..., Any], k: Mapping[str, int], name: str, values: tuple[float, float]
) -> None:
    mean = pytest.approx(sum(values) / 2, abs=1e-15)
    by_id = pytest.approx(dict(zip(QRELS, values, strict=True)), abs=1e-15)
    in_order = pytest.approx(list(values), abs=1e-15)
    assert function(QRELS, RUNS, **k) == mean
    assert function(*IN_ORDER, **k) == mean
    assert function(QRELS, RUNS, **k, average=None) == by_id
    assert function(*IN_ORDER, **k, average=None) == in_order
    assert ranking_metrics(QRELS, RUNS, metrics=[name]) == {name: mean}
    assert ranking_metrics(QRELS, RUNS, metrics=[name], average=None) == {name: by_id}


@pytest.mark.parametrize(
    ("function", "name"),
    [(recall_at_k, "recall@5"), (precision_at_k, "precision@5"), (hit_rate_at_k, "hit_rate@5"), (ndcg_at_k, "ndcg@5")],
)
def test_k_is_5_unless_told(function: Callable[..., Any], name: str) -> None:
    qrels, runs = [{"a": 1, "b": 3}], [["x", "a", "y", "z", "w", "b"]]
    assert function(qrels, runs) == ranking_metrics(qrels, runs, metrics=[name])[name]


def test_several_metrics_in_the_order_asked_for() -> None:
    asked = ["ndcg@1", "mrr@1", "map@2", "capped_recall@2", "mrr"]
    values = ranking_metrics(QRELS, RUNS, metrics=iter(asked), average=None)
    assert list(values) == asked
    assert values["mrr@1"] == {"q1": 0, "q2": 1}
    assert values["map@2"] == {"q1": pytest.approx(1 / 2 / 3), "q2": 1}
    assert values["capped_recall@2"] == {"q1": 1 / 2, "q2": 1}


def test_an_alias_keeps_the_name_it_was_asked_by() -> None:
    assert ranking_metrics(QRELS, RUNS, metrics=["success@1"]) == {"success@1": 0.5}


def test_no_metrics_no_values() -> None:
    assert ranking_metrics(QRELS, RUNS, metrics=[]) == {}


@pytest.mark.parametrize(("threshold", "expected"), [(0.5, 1 / 3), (1, 1 / 2), (2.5, 1), (Fraction(5, 2), 1)])
def test_relevance_threshold(threshold: float, expected: float) -> None:
    # b, of grade 3, is the first; a has 1, c has a half.
    assert recall_at_k([{"a": 1, "b": 3, "c": 0.5}], [["b"]], relevance_threshold=threshold) == pytest.approx(expected)


@pytest.mark.parametrize(("threshold", "expected"), [(1, 1.0), (2, 0.0)])
def test_listed_ids_have_grade_1(threshold: float, expected: float) -> None:
    assert recall_at_k([["a"]], [["a"]], relevance_threshold=threshold, zero_division=0.0) == expected


def test_ndcg_counts_grades_below_the_threshold() -> None:
    qrels, runs = [{"a": 1, "b": 2}], [["a"]]
    assert ndcg_at_k(qrels, runs, k=1, relevance_threshold=2) == 1 / 2


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("linear", (1 + 3 * SECOND) / (3 + SECOND)), ("exponential", (1 + 7 * SECOND) / (7 + SECOND))],
)
def test_gain(gain: Any, expected: float) -> None:
    assert ndcg_at_k([{"a": 1, "b": 3}], [["a", "b"]], gain=gain) == pytest.approx(expected, abs=1e-15)


def test_duplicates_first_moves_what_follows_up() -> None:
    qrels, runs = {"q": ["b"]}, {"q": ["a", "a", "b", "a"]}
    assert mean_reciprocal_rank(qrels, runs, duplicates="first") == 1 / 2
    assert recall_at_k(qrels, runs, k=2, duplicates="first") == 1


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ([["b"]], [["a", "x", "y", "x"]]),
        ([{"b": 2}], [["a", "x", "y", "x"]]),
        ([["b"]], [("a", "x", "y", "x")]),
    ],
    ids=["listed", "graded", "tuple"],
)
def test_duplicates_are_an_error_wherever_they_stand(qrels: Any, runs: Any) -> None:
    with pytest.raises(pytest_recall.RecallError) as refused:
        recall_at_k(qrels, runs, k=1)
    assert str(refused.value) == (
        "query 0: 'x' is ranked twice, at 2 and 4; duplicates='first' counts the first rank only"
    )


def test_a_relevant_id_that_is_listed_twice_counts_once() -> None:
    assert recall_at_k([["a", "a", "b"]], [["a"]]) == 1 / 2


def test_many_hits_of_one_query() -> None:
    ids = [f"d{number}" for number in range(100)]
    assert mean_average_precision([ids], [ids]) == 1
    assert recall_at_k([dict.fromkeys(ids, 2)], [ids], k=30) == 30 / 100


def test_exported_lazily() -> None:
    for name in scoring.__all__:
        assert getattr(pytest_recall, name) is getattr(scoring, name)
        assert name in pytest_recall.__all__
