"""Scores of answers, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_recall.answers import anls_score, edit_similarity_score, exact_match_score, token_f1_score
from pytest_recall.errors import MetricError, RecallError

ALL = (exact_match_score, token_f1_score, anls_score, edit_similarity_score)


@pytest.mark.parametrize(
    ("reference", "answer", "scores"),
    [
        ("Paris", "Paris", [1, 1, 1, 1]),
        ("Paris", "paris!", [1, 1, 5 / 6, 4 / 6]),  # only SQuAD drops punctuation; edit similarity also sees the case
        # SQuAD drops the article; without case "the " goes; with it T, h and E go, and T changes.
        ("The Eiffel Tower", "eiffel tower", [1, 1, 12 / 16, 11 / 16]),
        ("a b b", "b b c", [0, 2 * 2 / (2 + 3), 0.6, 0.6]),  # SQuAD drops the article "a"; 2 of 5 characters differ
        ("kitten", "sitting", [0, 0, 4 / 7, 4 / 7]),
        ("abcd", "abxy", [0, 0, 0.5, 0.5]),  # exactly the threshold is kept
        ("abcd", "axyz", [0, 0, 0, 0.25]),
        ("yes", "", [0, 0, 0, 0]),
        ("", "yes", [0, 0, 0, 0]),
        ("", "", [1, 1, 1, 1]),
        ("the", "a", [1, 1, 0, 0]),  # nothing is left of either
    ],
)
def test_a_pair(reference: str, answer: str, scores: list[float]) -> None:
    got = [score([reference], [answer]) for score in ALL]

    assert got == pytest.approx(scores, abs=1e-12)


@pytest.mark.parametrize("score", ALL)
def test_the_best_reference_counts(score: Any) -> None:
    assert score([["no", "Paris", "never"]], ["Paris"]) == 1


@pytest.mark.parametrize("score", ALL)
def test_without_an_average_each_question_has_its_value(score: Any) -> None:
    assert score(["yes", ["no"]], ["yes", "xx"], average=None) == [1, 0]
    assert score(["yes", ["no"]], ["yes", "xx"]) == 0.5


@pytest.mark.parametrize(("normalize", "equal"), [("squad", True), ("basic", False), (None, False)])
def test_what_counts_can_be_chosen(normalize: Any, *, equal: bool) -> None:
    assert exact_match_score(["The  Tower."], ["tower"], normalize=normalize) == equal


def test_basic_folds_blanks_and_case_alone() -> None:
    assert exact_match_score([" The\tTower. "], ["the tower."], normalize="basic") == 1


@pytest.mark.parametrize(
    ("references", "answers", "message"),
    [
        (["a"], [], "references hold 1 question and answers 0; they must match"),
        ([], [], "there are no questions, so there is nothing to score"),
        ("yes", ["yes"], "references must be a sequence, one entry a question, not str"),
        ({"q": "yes"}, ["yes"], "references must be a sequence, one entry a question, not dict"),
        (["yes"], {"yes"}, "answers must be a sequence, one entry a question, not set"),
        (["yes"], iter(["yes"]), "answers must be a sequence, one entry a question, not list_iterator"),
        ([[]], ["yes"], "references[0] is empty; a question needs one text that would do"),
        ([["yes", 1]], ["yes"], "references[0] must be text, not int 1"),
        ([3.5], ["yes"], "references[0] must be text, or a list of texts, not float 3.5"),
        ([None], ["yes"], "references[0] must be text, or a list of texts, not NoneType None"),
        (["yes", "no"], ["yes", None], "answers[1] must be text, not NoneType None"),
    ],
)
def test_what_is_no_answer_is_named(references: Any, answers: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        exact_match_score(references, answers)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalize": "squat"}, "normalize must be 'squad' or 'basic' or None, got 'squat' (did you mean 'squad'?)"),
        ({"normalize": ["squad"]}, "normalize must be 'squad' or 'basic' or None, got ['squad']"),
        ({"average": "macro"}, "average must be 'mean' or None, got 'macro'"),
        ({"average": False}, "average must be 'mean' or None, got False"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError) as caught:
        token_f1_score(["yes"], ["yes"], **options)

    assert str(caught.value) == message


def test_columns_of_a_table_are_sequences() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"expected": [["Paris", "City of Paris"], ["Rome"]], "answer": ["paris", "Milan"]})

    assert exact_match_score(table["expected"], table["answer"]) == 0.5


def test_columns_of_tables_must_have_one_index() -> None:
    pandas = pytest.importorskip("pandas")
    references = pandas.Series(["yes", "no"], index=[1, 2])
    assert exact_match_score(references, pandas.Series(["yes", "yes"], index=[1, 2])) == 0.5
    assert exact_match_score(references, ["yes", "yes"]) == 0.5
    with pytest.raises(RecallError) as raised:
        exact_match_score(references, pandas.Series(["yes", "yes"], index=[2, 1]))
    assert str(raised.value) == "the two pandas Series must have the same index"
