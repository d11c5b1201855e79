"""What retrievers return in real reports, and what it has to score."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_recall.running import evaluate
from tests.builders import case, suite

METRICS = ("recall@3", "precision@3", "mrr", "map", "ndcg@3")


@dataclass
class Hit:
    id: str
    score: float


def error_of(returned: object) -> str | None:
    return evaluate(suite([case("q", "b")], ["mrr"], memories="abc"), lambda _: returned).cases[0].error


def repeats(query: str) -> list[str]:
    return {"two relevant": ["a", "a", "x"], "one relevant": ["a", "a"]}[query]


REPEATS = [case("two relevant", "ab"), case("one relevant", "a")]


def test_repeats_are_errors_by_default() -> None:
    evaluation = evaluate(suite(REPEATS, METRICS, k=3, memories="abx"), repeats)
    assert [result.error is None for result in evaluation.cases] == [False, False]
    assert [summary.value for summary in evaluation.metrics.values()] == [None] * 5


def test_repeats_never_lift_a_score_above_one() -> None:
    evaluation = evaluate(suite(REPEATS, METRICS, k=3, memories="abx", duplicates="first"), repeats)
    # a, x: one of two found, at rank 1; nDCG 1 of 1 + 0.6309
    assert dict(evaluation.cases[0].scores) == pytest.approx(
        {"recall@3": 0.5, "precision@3": 1 / 3, "mrr": 1.0, "map": 0.5, "ndcg@3": 0.6131}, abs=5e-5
    )
    # a: the only one, and still divided by 3
    assert dict(evaluation.cases[1].scores) == pytest.approx(
        {"recall@3": 1.0, "precision@3": 1 / 3, "mrr": 1.0, "map": 1.0, "ndcg@3": 1.0}
    )


def chunks(_query: str) -> list[str]:
    return ["A#3", "A#1", "B#2", "A#9", "C#1"]


def test_chunks_without_a_pattern_are_told_apart_from_their_documents() -> None:
    evaluation = evaluate(suite([case("q", "BC")], METRICS, k=3, memories="ABC"), chunks)
    assert evaluation.problem == ("no returned id is a memory of this suite: returned 'A#3', memories look like 'A'")


def test_chunks_become_k_distinct_documents() -> None:
    mapped = suite([case("q", "BC")], METRICS, k=3, memories="ABC", id_from="^(.*)#", duplicates="first")
    evaluation = evaluate(mapped, chunks)
    assert evaluation.cases[0].ranking == ("A", "B", "C")
    # Found at ranks 2 and 3: (0.6309 + 0.5) / (1 + 0.6309) = 0.6934
    assert dict(evaluation.cases[0].scores) == pytest.approx(
        {"recall@3": 1.0, "precision@3": 2 / 3, "mrr": 0.5, "map": (1 / 2 + 2 / 3) / 2, "ndcg@3": 0.6934}, abs=5e-5
    )


def test_one_result_where_five_were_asked_for() -> None:
    metrics = ("recall@5", "precision@5", "mrr", "map@5", "ndcg@5")
    evaluation = evaluate(suite([case("q", "abcde")], metrics, k=5, memories="abcde"), lambda _: ["a"])
    # The ideal DCG of five is 1 + 0.6309 + 0.5 + 0.4307 + 0.3869 = 2.9485.
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == pytest.approx(
        {"recall@5": 0.2, "precision@5": 0.2, "mrr": 1.0, "map@5": 0.2, "ndcg@5": 0.3392}, abs=5e-5
    )


def test_none_is_an_error_and_an_empty_list_is_an_answer() -> None:
    returned: dict[str, Any] = {"none": None, "empty": [], "tuple": ("a", "b"), "text": "ab", "number": 3}
    evaluation = evaluate(
        suite([case(name, "a") for name in returned], ["recall@2"], k=2, memories="ab"), returned.__getitem__
    )
    errors = {result.id: result.error for result in evaluation.cases}
    accepted = "; accepted are ids, (id, score) pairs, a mapping id -> score, or objects with an id"
    assert errors == {
        "none": f"the retriever returned None (missing return?){accepted}",
        "empty": None,
        "tuple": None,
        "text": f"the retriever returned a bare str, not a list of ids{accepted}",
        "number": f"the retriever returned an object of type int{accepted}",
    }
    assert [result.scores["recall@2"] for result in evaluation.cases] == [None, 0.0, 1.0, None, None]


@pytest.mark.parametrize(
    "returned",
    [
        (id for id in "abc"),
        iter("abc"),
        deque("abc"),
        {"c": 0.1, "a": 0.9, "b": 0.8},
        [("a", 0.9), ("b", 0.8), ("c", 0.1)],
        [Hit("a", 0.9), Hit("b", 0.8)],
    ],
    ids=lambda returned: type(returned).__name__,
)
def test_containers_of_a_ranking(returned: Any) -> None:
    evaluation = evaluate(suite([case("q", "b")], ["mrr", "recall@3"], k=3, memories="abc"), lambda _: returned)
    assert (evaluation["mrr"], evaluation["recall@3"]) == (0.5, 1.0)


def test_score_before_the_id_is_told() -> None:
    message = "a pair of types (float, str) looks like (score, id); return (id, score)"
    assert error_of([(0.9, "a"), (0.8, "b")]) == message


def test_set_has_no_order() -> None:
    message = error_of({"a", "b"})
    assert message is not None
    assert message.startswith("the retriever returned a set, which has no order")


def test_padding_that_a_negative_index_turns_into_ids_is_an_error() -> None:
    names, found = ["a", "b", "c"], [0, -1, -1, -1, -1]  # a vector index that found one, padded with -1
    asked = suite([case("q", "c")], ["recall@5", "mrr"], k=5, memories=names)
    wrong = evaluate(asked, lambda _: [names[i] for i in found])
    assert wrong.cases[0].error is not None
    assert wrong.cases[0].error.startswith("'c' came back twice, at ranks 2 and 3")
    assert wrong["recall@5"] is None
    right = evaluate(asked, lambda _: [names[i] for i in found if i >= 0])
    assert (right["recall@5"], right["mrr"]) == (0.0, 0.0)


@pytest.mark.parametrize(("min_score", "recall", "accuracy"), [(None, 1.0, 0.0), (0.001, 0.0, 1.0)])
def test_padding_of_score_zero_goes_below_min_score(min_score: float | None, recall: float, accuracy: float) -> None:
    asked = suite(
        [case("no term in common", "c"), case("no answer")],
        ["recall@2", "negative_accuracy"],
        k=2,
        memories="abcde",
        min_score=min_score,
    )
    evaluation = evaluate(asked, lambda _: [("c", 0.0), ("b", 0.0)])
    assert (evaluation["recall@2"], evaluation["negative_accuracy"]) == (recall, accuracy)


def test_ties_keep_the_order_they_came_in() -> None:
    asked = suite([case("last of a tie", ["d3"]), case("first of a tie", ["d1"])], ["mrr"], k=3)
    evaluation = evaluate(asked, lambda _: [("d1", 1.0), ("d2", 1.0), ("d3", 1.0)])
    assert [result.scores["mrr"] for result in evaluation.cases] == [1 / 3, 1.0]


def test_distances_are_never_sorted() -> None:
    asked = suite([case("q", "a")], ["mrr", "recall@2"], k=2, memories="abc")
    evaluation = evaluate(asked, lambda _: [("a", 0.01), ("b", 0.29), ("c", 2.01)])
    assert (evaluation["mrr"], evaluation["recall@2"]) == (1.0, 1.0)


def test_graded_answers() -> None:
    ranked = {"three grades": ["c", "a", "b"], "grade zero": ["x", "a"], "fractions": ["c", "a", "b"]}
    cases = [
        case("three grades", {"a": 3, "b": 2, "c": 1}),
        case("grade zero", {"x": 0, "a": 1}),
        case("fractions", {"a": 1.0, "b": 0.5, "c": 0.1}),
    ]
    metrics = ("ndcg", "recall@1", "recall@2", "mrr")
    linear = evaluate(suite(cases, metrics, k=3), ranked.__getitem__)
    assert [result.scores["ndcg"] for result in linear.cases] == pytest.approx([0.8175, 0.6309, 0.7184], abs=5e-5)
    assert [linear.cases[1].scores[metric] for metric in metrics[1:]] == [0.0, 1.0, 0.5]
    exponential = evaluate(suite(cases, metrics, k=3, gain="exponential"), ranked.__getitem__)
    assert exponential.cases[0].scores["ndcg"] == pytest.approx(0.7364, abs=5e-5)
