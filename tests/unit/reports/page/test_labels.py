from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_recall import evaluate
from pytest_recall.reports import SuiteReport, page
from pytest_recall.reports.page.cases import table_of
from pytest_recall.reports.page.labels import MOST_CONFUSED, MOST_LABELS, label_panel
from pytest_recall.reports.page.view import page_of
from tests.builders import classifier_suite
from tests.unit.reports.builders import evaluation

if TYPE_CHECKING:
    from pytest_recall.evaluation import Evaluation
    from tests.conftest import Require

EXPECTED = {"one": "refund", "two": "refund", "three": "shipping", "four": "other"}
OUTPUTS = {"one": "refund", "two": "It is shipping.", "three": "shipping"}


def classified() -> Evaluation:
    suite = classifier_suite(EXPECTED, ["refund", "shipping", "other", "unseen"])
    return evaluate(suite, OUTPUTS.get)


def test_labels_stand_beside_each_other_the_most_expected_first() -> None:
    panel = label_panel(classified())
    assert panel is not None
    rows = [(row.label, row.expected, row.got, row.correct, row.precision, row.recall, row.f1) for row in panel.rows]
    assert rows == [
        ("refund", 2, 1, 1, "1.000", "0.500", "0.667"),
        ("shipping", 1, 2, 1, "0.500", "1.000", "0.667"),
        ("other", 1, 0, 0, "–", "0.000", "0.000"),
    ]
    assert panel.columns == ("refund", "shipping", "other", "no label")
    assert panel.confusion == {"refund": [1, 1, 0, 0], "shipping": [0, 1, 0, 0], "other": [0, 0, 0, 1]}


@pytest.mark.parametrize(
    ("labels", "confused", "left_out"),
    [(MOST_CONFUSED, True, 0), (MOST_CONFUSED + 1, False, 0), (MOST_LABELS + 2, False, 2)],
)
def test_table_of_confusion_is_there_while_it_fits(labels: int, confused: bool, left_out: int) -> None:  # noqa: FBT001 - a column of the table
    expected = {f"c{place}": f"l{place}" for place in range(labels)}
    panel = label_panel(evaluate(classifier_suite(expected, expected.values()), expected.get))
    assert panel is not None
    assert (bool(panel.confusion), panel.left_out) == (confused, left_out)


def test_retriever_has_no_panel() -> None:
    assert label_panel(evaluation()) is None


def test_cases_have_the_outcomes_of_labels() -> None:
    raised = replace(classified().cases[0], error="RuntimeError: gone", ranking=())
    table = table_of(replace(classified(), cases=(*classified().cases, raised)), None)
    assert table.outcomes == (("raised", 1), ("no label", 1), ("other label", 1), ("right label", 2))
    read = json.loads(table.json)
    assert (read["classified"], read["answer"]) == (True, {"1": "It is shipping."})


@pytest.mark.parametrize(
    ("labels", "outcome"),
    [
        ((("refund",), ("refund",)), "right label"),
        ((("refund",), ()), "no label"),
        ((("refund",), (), ("shipping",)), "other label"),
    ],
)
def test_a_label_is_right_in_every_repeat(labels: tuple[tuple[str, ...], ...], outcome: str) -> None:
    case = replace(classified().cases[0], relevant={"refund": 1}, ranking=labels[0], labels=labels)
    assert table_of(replace(classified(), cases=(case,)), None).outcomes == ((outcome, 1),)


def test_page_speaks_of_labels(require: Require) -> None:
    require.library("jinja2")
    report = SuiteReport(evaluation=classified(), verdicts=())
    (system,) = page_of([report]).systems
    assert (system.facts, system.recall) == (("4 cases",), None)
    text = page.render([report]).decode()
    assert "Expected in the rows, got in the columns" in text
    assert "id, input, label, error" in text
