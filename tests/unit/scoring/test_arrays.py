"""What numpy and pandas hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import RecallError, ranking_metrics, recall_at_k

if TYPE_CHECKING:
    from tests.conftest import Require


@pytest.fixture
def np(require: Require) -> Any:
    return require.library("numpy")


@pytest.fixture
def pd(require: Require) -> Any:
    return require.library("pandas")


def refusal(qrels: Any, runs: Any) -> str:
    with pytest.raises(RecallError) as refused:
        recall_at_k(qrels, runs)
    return str(refused.value)


def test_numpy_integers_are_ints(np: Any) -> None:
    assert recall_at_k([[np.int64(1), np.uint8(2)]], [[1, 5]]) == 1 / 2
    assert recall_at_k([{1: np.float32(2), 2: np.int16(1)}], [[np.int32(2)]]) == 1 / 2
    assert recall_at_k([["a"]], [[np.str_("a")]], k=np.int64(1)) == 1


def test_numpy_arrays_of_ids(np: Any) -> None:
    assert recall_at_k([np.array([1, 2])], [np.array([1, 5])]) == 1 / 2
    assert recall_at_k([np.array(["a", "b"])], [np.array(["a", "x"], dtype=object)]) == 1 / 2


def test_numpy_array_with_a_row_for_each_query(np: Any) -> None:
    rows = np.array([[1, 5], [6, 2]])
    assert recall_at_k([[1], [3]], rows, average=None) == [1.0, 0.0]
    assert recall_at_k(rows, rows) == 1


def test_values_are_plain_floats(np: Any) -> None:
    values = ranking_metrics(
        [{1: np.float64(2), 2: np.float32(1)}], np.array([[1, 2]]), metrics=["ndcg", "mrr"], average=None
    )
    assert {type(value) for column in values.values() for value in column} == {float}


def test_what_numpy_holds_is_refused_alike(np: Any) -> None:
    assert refusal([[1]], [[np.bool_(1)]]).startswith("query 0 in runs: an id is text or a whole number, not bool")
    assert refusal([[1]], np.array([[1.0]])).startswith("query 0 in runs: an id is text or a whole number, not float64")
    assert refusal([[1]], np.array([1])) == "query 0 in runs: a list of ids is needed, not int64"
    assert refusal([[1]], np.array(1)) == ("runs must be a mapping by query id or a sequence by position, not ndarray")
    assert refusal(["1"], np.array(["1"])) == "query 0 in qrels: a bare str '1' is no list of ids"
    # FAISS fills up with -1.
    assert refusal([[1]], np.array([[1, -1, -1]])) == (
        "query 0: -1 is ranked twice, at 2 and 3; duplicates='first' counts the first rank only"
    )
    grade = refusal([{1: np.float64("nan")}], [[1]])
    assert grade.startswith("query 0 in qrels: the grade of 1 must be a finite number from 0, got ")


def test_series_as_one_query_is_refused(pd: Any) -> None:
    message = "a pandas Series is no list of ids; pass its values with .tolist()"
    assert refusal([["a"]], [pd.Series(["a"])]) == f"query 0 in runs: {message}"
    assert refusal({"q": pd.Series(["a"])}, {"q": ["a"]}) == f"query 'q' in qrels: {message}"
    assert refusal([pd.Series({"a": 1})], [["a"]]) == f"query 0 in qrels: {message}"


def test_series_of_queries_go_by_position(pd: Any) -> None:
    index = ["q1", "q2"]
    qrels, runs = pd.Series([["a"], {"b": 2}], index=index), pd.Series([["a"], ["x", "b"]], index=index)
    assert recall_at_k(qrels, runs, k=1, average=None) == [1.0, 0.0]


@pytest.mark.parametrize("index", [["q2", "q1"], ["q1", "q3"], [0, 1], ["q1"]])
def test_series_must_share_their_index(pd: Any, index: list[Any]) -> None:
    qrels = pd.Series([["a"], ["b"]], index=["q1", "q2"])
    assert refusal(qrels, pd.Series([["a"]] * len(index), index=index)) == (
        "the two pandas Series must have the same index"
    )


def test_series_with_anything_else_is_refused(pd: Any) -> None:
    series = pd.Series([["a"]])
    assert refusal(series, [["a"]]) == "a pandas Series must be paired with another, not Series with list"
    assert refusal({0: ["a"]}, series) == "a pandas Series must be paired with another, not dict with Series"


def test_frame_is_no_sequence(pd: Any) -> None:
    frame = pd.DataFrame({"q": ["a"]})
    assert refusal(frame, frame) == ("qrels must be a mapping by query id or a sequence by position, not DataFrame")


def test_subclass_of_a_series_is_one(pd: Any) -> None:
    ids = type("Ids", (pd.Series,), {})(["a"])
    assert refusal([["a"]], [ids]).startswith("query 0 in runs: a pandas Series is no list of ids")
