from __future__ import annotations

from math import log2, nextafter

import pytest

from tests.unit.metrics.builders import score

# Of a, b and c two come back, at ranks 2 and 4.
RANKING, RELEVANT = "xayb", "abc"

# 1 / log2(rank + 1): 1, 0.6309, 0.5, 0.4307
D1, D2, D3, D4 = (1 / log2(rank + 1) for rank in range(1, 5))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("hit_rate@1", 0),
        ("hit_rate@2", 1),
        ("hit_rate@10", 1),
        ("success@2", 1),
        ("precision@1", 0),
        ("precision@2", 1 / 2),
        ("precision@3", 1 / 3),
        ("precision@4", 2 / 4),
        ("precision@10", 2 / 10),
        ("recall@1", 0),
        ("recall@2", 1 / 3),
        ("recall@4", 2 / 3),
        ("recall@10", 2 / 3),
        ("capped_recall@1", 0),
        ("capped_recall@2", 1 / 2),
        ("capped_recall@3", 1 / 3),
        ("capped_recall@4", 2 / 3),
        ("capped_recall@10", 2 / 3),
        ("mrr", 1 / 2),
        ("mrr@1", 0),
        ("mrr@2", 1 / 2),
        ("mrr@10", 1 / 2),
        ("map", (1 / 2 + 2 / 4) / 3),
        ("map@1", 0),
        ("map@2", (1 / 2) / 3),
        ("map@3", (1 / 2) / 3),
        ("map@10", (1 / 2 + 2 / 4) / 3),
        ("r_precision", 1 / 3),
        ("ndcg", (D2 + D4) / (D1 + D2 + D3)),
        ("ndcg@1", 0),
        ("ndcg@2", D2 / (D1 + D2)),
        ("ndcg@3", D2 / (D1 + D2 + D3)),
        ("ndcg@10", (D2 + D4) / (D1 + D2 + D3)),
        ("judged@1", 0),
        ("judged@2", 1 / 2),
        ("judged@4", 2 / 4),
        ("judged@10", 2 / 4),
    ],
)
def test_two_of_three_relevant_at_ranks_2_and_4(metric: str, expected: float) -> None:
    assert score(metric, RANKING, RELEVANT) == pytest.approx(expected, abs=1e-15)


# One of five came back, first: what others take for a perfect score of 5. 1 + 0.6309 + 0.5 + 0.4307 + 0.3869 = 2.9485
@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("hit_rate@5", 1),
        ("precision@5", 0.2),
        ("recall@5", 0.2),
        ("capped_recall@5", 0.2),
        ("mrr", 1),
        ("map@5", 0.2),
        ("r_precision", 0.2),
        ("ndcg@5", 0.3392),
        ("judged@5", 1),
    ],
)
def test_fewer_results_than_the_cutoff(metric: str, expected: float) -> None:
    assert score(metric, "a", "abcde") == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    "metric",
    ["hit_rate@3", "precision@3", "recall@3", "capped_recall@3", "mrr", "map", "r_precision", "ndcg", "ndcg@3"],
)
def test_nothing_came_back_scores_zero(metric: str) -> None:
    assert score(metric, "", "ab") == 0.0


@pytest.mark.parametrize(
    "metric",
    ["hit_rate@1", "precision@1", "recall@3", "capped_recall@2", "mrr", "map", "r_precision", "ndcg", "judged@3"],
)
def test_ideal_ranking_scores_one(metric: str) -> None:
    assert score(metric, "abc", {"a": 3, "b": 2, "c": 1}) == 1.0


# a of grade 3, b 2, c 1 ranked c, a, b. Linear: 1 + 3 · 0.6309 + 2 · 0.5 = 3.8928 of 3 + 2 · 0.6309 + 0.5 = 4.7619.
# Exponential, gains 7, 3, 1: 1 + 7 · 0.6309 + 3 · 0.5 = 6.9165 of 7 + 3 · 0.6309 + 0.5 = 9.3928.
# Fractions 1.0, 0.5, 0.1: 0.1 + 0.6309 + 0.25 = 0.9809 of 1 + 0.5 · 0.6309 + 0.05 = 1.3655.
# Exponential fractions, gains 1, 0.4142, 0.0718: 0.0718 + 0.6309 + 0.2071 = 0.9098 of 1 + 0.2613 + 0.0359 = 1.2972.
@pytest.mark.parametrize(
    ("grades", "gain", "expected"),
    [
        ({"a": 3, "b": 2, "c": 1}, "linear", 0.8175),
        ({"a": 3, "b": 2, "c": 1}, "exponential", 0.7364),
        ({"a": 1.0, "b": 0.5, "c": 0.1}, "linear", 0.7184),
        ({"a": 1.0, "b": 0.5, "c": 0.1}, "exponential", 0.7014),
    ],
)
def test_ndcg_weighs_grades(grades: dict[str, float], gain: str, expected: float) -> None:
    assert score("ndcg", "cab", grades, gain=gain) == pytest.approx(expected, abs=5e-5)
    assert score("ndcg@3", "cab", grades, gain=gain) == pytest.approx(expected, abs=5e-5)


def test_ideal_is_made_of_all_grades_cut_at_n() -> None:
    # The first two of x, c against the best two, a and b: 1 · 0.6309 of 3 + 2 · 0.6309.
    assert score("ndcg@2", "xcab", {"a": 3, "b": 2, "c": 1}) == pytest.approx(D2 / (3 + 2 * D2))
    # Without a cut the ideal has three ranks, however few came back.
    assert score("ndcg", "a", {"a": 3, "b": 2, "c": 1}) == pytest.approx(3 / (3 + 2 * D2 + D3))


def test_tiny_grade_has_a_gain_under_either() -> None:
    assert score("ndcg", "xa", {"a": 1e-300}) == pytest.approx(D2)
    assert score("ndcg", "xa", {"a": 1e-300}, gain="exponential") == pytest.approx(D2)


def test_rounding_never_lifts_ndcg_above_one() -> None:
    # Without care the sum rounds to more than that of the ideal a, c, b.
    third = 1 / 3
    assert score("ndcg", "abc", {"a": nextafter(third, 1), "b": third, "c": nextafter(third, 1)}) == 1.0


# Grades 2, 1, 0 for a, b, c; ranking b, c, a.
@pytest.mark.parametrize(
    ("threshold", "metric", "expected"),
    [
        (1, "recall@2", 1 / 2),
        (1, "mrr", 1),
        (1, "map", (1 / 1 + 2 / 3) / 2),
        (2, "recall@2", 0),
        (2, "precision@3", 1 / 3),
        (2, "mrr", 1 / 3),
        (2, "map", 1 / 3),
        (1.5, "mrr", 1 / 3),
        (3, "recall@2", None),
        (3, "mrr", None),
        # nDCG knows gains only: 1 + 2 · 0.5 = 2 of 2 + 0.6309
        (1, "ndcg", 2 / (2 + D2)),
        (3, "ndcg", 2 / (2 + D2)),
    ],
)
def test_threshold_says_which_grades_are_relevant(threshold: float, metric: str, expected: float | None) -> None:
    value = score(metric, "bca", {"a": 2, "b": 1, "c": 0}, relevance_threshold=threshold)
    assert value == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("grade", [0, -1])
def test_grade_of_zero_or_less_is_judged_but_not_relevant(grade: float) -> None:
    grades = {"x": grade, "a": 1}
    assert score("recall@1", "xa", grades) == 0
    assert score("recall@2", "xa", grades) == 1
    assert score("mrr", "xa", grades) == 1 / 2
    assert score("judged@1", "xa", grades) == 1
    assert score("ndcg", "xa", grades) == pytest.approx(D2)


@pytest.mark.parametrize("grades", [{}, {"x": 0}, {"x": 0.5}])
@pytest.mark.parametrize(
    "metric", ["hit_rate@3", "precision@3", "recall@3", "capped_recall@3", "mrr", "map", "r_precision"]
)
def test_undefined_without_relevant_ids(metric: str, grades: dict[str, float]) -> None:
    assert score(metric, "ax", grades) is None


def test_ndcg_is_undefined_without_a_positive_grade_only() -> None:
    assert score("ndcg", "x", {}) is None
    assert score("ndcg@3", "x", {"x": 0, "y": -1}) is None
    assert score("ndcg", "x", {"x": 0.5}) == 1


def test_judged_counts_what_came_back() -> None:
    assert score("judged@5", "abx", {"a": 1, "b": 0}) == 2 / 3
    assert score("judged@5", "xy", {}) == 0
    assert score("judged@5", "", {"a": 1}) is None


def test_r_precision_looks_as_far_as_there_are_relevant_ids() -> None:
    assert score("r_precision", "axxb", "abcd") == 2 / 4
    assert score("r_precision", "xa", "a") == 0
    assert score("r_precision", "a", "abcd") == 1 / 4
