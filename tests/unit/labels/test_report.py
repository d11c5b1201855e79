"""Counts of labels, worked by hand and beside scikit-learn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import RecallError
from pytest_recall.labels import ClassificationCase, LabelSpec, LabelStat, Miss, score_classification

if TYPE_CHECKING:
    from tests.conftest import Require


def cases(*expected: str) -> list[ClassificationCase]:
    return [ClassificationCase(f"input {index}", label) for index, label in enumerate(expected)]


def test_a_report() -> None:
    report = score_classification(cases("b", "a", "a", "b", "c"), ["b", "b", "a", None, "d"])

    assert (report.total, report.correct, report.accuracy) == (5, 2, 0.4)
    assert list(report.per_label) == ["b", "a", "c", "d"]
    assert report.per_label["b"] == LabelStat(support=2, predicted=2, correct=1)
    assert [stat.precision for stat in report.per_label.values()] == [1 / 2, 1, None, 0]
    assert [stat.recall for stat in report.per_label.values()] == [1 / 2, 1 / 2, 0, None]
    assert [stat.f1 for stat in report.per_label.values()] == [1 / 2, 2 / 3, 0, 0]
    assert report.macro.f1 == pytest.approx((1 / 2 + 2 / 3) / 4)
    assert report.macro.precision == pytest.approx((1 / 2 + 1) / 4)
    assert report.macro.recall == pytest.approx((1 / 2 + 1 / 2) / 4)
    assert (report.micro.precision, report.micro.recall) == (2 / 4, 2 / 5)
    assert report.micro.f1 == pytest.approx(2 * 2 / (4 + 5))
    assert report.confusion == {"b": {"b": 1, None: 1}, "a": {"b": 1, "a": 1}, "c": {"d": 1}}
    assert report.misses == (
        Miss(index=1, expected="a", parsed="b"),
        Miss(index=3, expected="b", parsed=None),
        Miss(index=4, expected="c", parsed="d"),
    )


def test_outputs_are_read_by_the_specs() -> None:
    specs = [LabelSpec("refund", ("money back",)), LabelSpec("shipping")]

    report = score_classification(cases("refund", "shipping"), ["They want their money back.", "refund"], specs)

    assert report.pairs == (("refund", "refund"), ("shipping", "refund"))


def test_a_missing_prediction_is_a_miss() -> None:
    assert score_classification(cases("a", "a"), ["a"]).misses == (Miss(index=1, expected="a", parsed=None),)


def test_no_cases_are_no_success() -> None:
    report = score_classification([], [])

    assert (report.accuracy, report.macro.f1, report.micro.f1, report.per_label) == (0, 0, 0, {})


def test_surplus_predictions_can_be_ignored() -> None:
    assert score_classification(cases("a"), ["a", "b"], strict=False).pairs == (("a", "a"),)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (("a", "x"), "cases[0] must be a ClassificationCase, not tuple ('a', 'x')"),
        (ClassificationCase("a", None), "cases[0] must expect a label that is text, not None"),  # type: ignore[arg-type]
        (ClassificationCase("a", 3), "cases[0] must expect a label that is text, not 3"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_case_is_refused(case: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        score_classification([case], ["a"])
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("predictions", "specs", "message"),
    [
        (["a", "b"], None, "2 predictions came for 1 case; strict=False ignores the surplus"),
        ([1], None, "predictions[0] must be text or None, not int 1"),
        ("a", None, "predictions must be a sequence, one a case, not str"),
        ({"a"}, None, "predictions must be a sequence, one a case, not set"),
        ({0: "a"}, None, "predictions must be a sequence, one a case, not dict"),
        (b"a", None, "predictions must be a sequence, one a case, not bytes"),
        (None, None, "predictions must be a sequence, one a case, not NoneType"),
        ((each for each in "a"), None, "predictions must be a sequence, one a case, not generator"),
        ([1.0], None, "predictions[0] must be text or None, not float 1.0"),
        (["b"], [LabelSpec("b")], "cases[0] expects 'a', which is no label of specs"),
        (["a"], ["a"], "specs[0] must be a LabelSpec, not str 'a'"),
        (["a"], "a", "specs must be a sequence of LabelSpec, not str"),
        (["a"], 3, "specs must be a sequence of LabelSpec, not int"),
    ],
)
def test_what_is_no_prediction_is_refused(predictions: Any, specs: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        score_classification(cases("a"), predictions, specs)

    assert str(caught.value) == message


def test_cases_are_a_sequence() -> None:
    with pytest.raises(RecallError, match=r"^cases must be a sequence of ClassificationCase, not NoneType$"):
        score_classification(None, ["a"])  # type: ignore[arg-type]


def test_predictions_of_an_array(require: Require) -> None:
    numpy = require.library("numpy")

    report = score_classification(cases("a", "b"), numpy.array(["a", "c"]))

    assert report.pairs == (("a", "a"), ("b", "c"))
    assert [type(parsed) for _, parsed in report.pairs] == [str, str]
    assert score_classification(cases("a"), numpy.array(["it is a"]), [LabelSpec("a")]).accuracy == 1


def test_predictions_of_a_column_go_by_position(require: Require) -> None:
    pandas = require.library("pandas")
    column = pandas.Series(["a", None, "c"], index=[2, 1, 0])

    report = score_classification(cases("a", "b", "c"), column)

    assert report.pairs == (("a", "a"), ("b", None), ("c", "c"))


def test_a_table_is_no_sequence_of_predictions(require: Require) -> None:
    numpy, pandas = require.library("numpy"), require.library("pandas")
    for table, told in (
        (pandas.DataFrame({"a": ["x"]}), "DataFrame of 2 dimensions"),
        (numpy.array([["a"]]), "ndarray of 2 dimensions"),
        (numpy.array("a"), "ndarray of 0 dimensions"),
    ):
        with pytest.raises(RecallError) as caught:
            score_classification(cases("a"), table)
        assert str(caught.value) == f"predictions must be a sequence, one a case, not {told}"


@pytest.mark.parametrize("seed", range(200))
def test_equals_scikit_learn(seed: int, require: Require) -> None:
    metrics = require.library("sklearn.metrics")
    chance = random.Random(seed)  # noqa: S311  # the same tables every time
    labels = "abcdefg"[: chance.randint(1, 7)]
    expected = chance.choices(labels, k=chance.randint(1, 60))
    given = [chance.choice([label, *labels, None]) for label in expected]

    report = score_classification(cases(*expected), given)

    # What has no label is another class there, which no average takes.
    theirs = [label or "none" for label in given]
    names = list(report.labels)
    table = metrics.confusion_matrix(expected, theirs, labels=[*names, "none"])
    ours = [[report.confusion.get(row, {}).get(column, 0) for column in (*names, None)] for row in (*names, "none")]
    assert table.tolist() == ours
    for average, values in (("macro", report.macro), ("micro", report.micro)):
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            expected, theirs, labels=names, average=average, zero_division=0
        )
        assert [values.precision, values.recall, values.f1] == pytest.approx([precision, recall, f1], abs=1e-12)
    assert report.accuracy == pytest.approx(metrics.accuracy_score(expected, theirs))
