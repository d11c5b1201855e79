"""A classifier from its suite to verdicts, without pytest."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds, Gate, Threshold
from pytest_recall.gates import Reference, judge
from pytest_recall.pairing import Pairing
from pytest_recall.reports import failure_text
from pytest_recall.reports.compared import compare_sides
from pytest_recall.reports.compared_lines import compared_lines
from pytest_recall.reports.sides import Side
from pytest_recall.running import evaluate, evaluate_async
from tests.builders import classifier_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.evaluation import Evaluation

LABELS = ("refund", "shipping", "other")
EXPECTED = {"r1": "refund", "r2": "refund", "s1": "shipping", "o1": "other"}
RIGHT: dict[str, Any] = {**EXPECTED}


def evaluation(outputs: Mapping[str, Any], *metrics: str, expected: Mapping[str, str] = EXPECTED) -> Evaluation:
    return evaluate(classifier_suite(expected, LABELS, metrics or ("accuracy", "macro_f1")), outputs.get)


def failure(metric: str, now: Evaluation, before: Evaluation | None = None, *, least: float | None = None) -> list[str]:
    """The text of a failing gate; empty when it passes."""
    pairing = None if before is None else Pairing(now, entry_of(before))
    reference = None if before is None else Reference(name="b.json", pairing=pairing, record="UPDATE", add="ADD")
    gate = Gate(name="g", thresholds=(Threshold(metric=metric, bounds=Bounds(min=least), line=3),))
    verdicts = judge(gate, now, reference)
    failed = any(verdict.failed for verdict in verdicts)
    return failure_text(verdicts, now, pairing, see_all="", whole=True).splitlines() if failed else []


def test_evaluation_is_that_of_a_classifier() -> None:
    found = evaluation({**RIGHT, "s1": "It is refund, I think.", "o1": None})
    assert (found.system, found.settings.k, found.problem, found.notes) == ("classifier", 1, None, ())
    assert [case.ranking for case in found.cases] == [("refund",), ("refund",), ("refund",), ()]
    assert [case.answer for case in found.cases] == [None, None, "It is refund, I think.", None]
    assert found["accuracy"] == 0.5
    # F1: refund 2·2 / (3 + 2), shipping 0, other 0.
    assert found["macro_f1"] == pytest.approx(0.8 / 3)


def test_asynchronous_classifier_makes_the_same_evaluation() -> None:
    async def classify(text: str) -> str:
        return EXPECTED[text]

    found = asyncio.run(evaluate_async(classifier_suite(EXPECTED, LABELS), classify))
    assert (found.system, found["accuracy"], found["macro_f1"]) == ("classifier", 1.0, 1.0)


def test_case_that_raised_leaves_no_value_to_what_it_would_count_for() -> None:
    outputs = {**RIGHT, "s1": 7}
    found = evaluation(
        outputs, "accuracy", "macro_f1", "label_recall.refund", "label_recall.shipping", "label_precision.refund"
    )
    assert {name: summary.value for name, summary in found.metrics.items()} == {
        "accuracy": None,
        "macro_f1": None,
        "label_recall.refund": 1.0,
        "label_recall.shipping": None,
        "label_precision.refund": None,
    }
    assert failure("accuracy", found) == [
        (
            "accuracy has no value: 1 of 4 cases raised, first s1: the classifier returned an object of "
            "type int; accepted are a text that names a label, and None for none"
        )
    ]


@pytest.mark.parametrize(
    ("outputs", "problem"),
    [
        ({}, "the classifier returned None for every input (missing return?)"),
        (
            dict.fromkeys(EXPECTED, "LABEL_3"),
            "no output names exactly one label: returned 'LABEL_3', labels look like 'refund'",
        ),
        (dict.fromkeys(EXPECTED, "other"), None),
        ({"r1": "shipping"}, None),
    ],
)
def test_classifier_that_never_gives_a_label_is_told(outputs: dict[str, str], problem: str | None) -> None:
    assert evaluation(outputs).problem == problem


def test_label_that_nobody_got_has_no_precision() -> None:
    found = evaluation({**RIGHT, "o1": "shipping"}, "accuracy", "label_precision.other")
    assert failure("label_precision.other", found) == [
        "label_precision.other is undefined: none of 4 cases got the label"
    ]


def test_lost_cases_tell_what_they_got() -> None:
    now = evaluation({**RIGHT, "r1": "shipping", "s1": "I can't say", "o1": None})
    assert failure("macro_f1", now, evaluation(RIGHT)) == [
        # F1: refund 2·1 / (1 + 2), shipping 0, other 0.
        "macro_f1 0.222, baseline 1.000, dropped 0.778 (3 of 4 cases differ)",
        "  4 cases",
        "  lost    r1  expected refund    got shipping",
        '  lost    s1  expected shipping  got no single label in "I can\'t say"',
        "  lost    o1  expected other     got no label",
    ]


def test_new_mistakes_lower_a_precision() -> None:
    metrics = ("accuracy", "label_precision.refund")
    before = evaluation({**RIGHT, "o1": "refund", "r2": "other"}, *metrics)
    now = evaluation({**RIGHT, "s1": "refund", "r2": "other", "r1": "other"}, *metrics)
    # Now 0 of 1; before 1 of 2. A mean over what got the label on both sides would have nothing to compare.
    assert failure("label_precision.refund", now, before) == [
        "label_precision.refund 0.000, baseline 0.500, dropped 0.500 (3 of 3 cases differ)",
        "  1 case",
        "  lost    r1  expected refund    got other",
        "  lost    s1  expected shipping  got refund",
        "  gained  o1  expected other",
    ]


def test_precision_is_not_compared_while_cases_come_and_go() -> None:
    metrics = ("accuracy", "label_precision.refund", "macro_f1")
    before = evaluation(RIGHT, *metrics)
    more = {**EXPECTED, "new": "other"}
    now = evaluation({**RIGHT, "new": "refund"}, *metrics, expected=more)
    assert failure("label_precision.refund", now, before) == []
    assert failure("macro_f1", now, before) == []
    assert failure("accuracy", now, before) == []


def test_repeats_of_a_label_all_count() -> None:
    answers = iter(["refund", "refund", "refund", "shipping", "other", None])
    suite = classifier_suite(
        {"a": "refund", "b": "refund", "c": "shipping"}, LABELS, ("accuracy", "label_precision.shipping"), repeat=2
    )
    found = evaluate(suite, lambda _: next(answers))
    assert found["accuracy"] == 0.5
    assert found["label_precision.shipping"] == 0.0
    assert [case.labels for case in found.cases] == [
        (("refund",), ("refund",)),
        (("refund",), ("shipping",)),
        (("other",), ()),
    ]
    assert found.notes == ("the label of 2 of 3 cases changed from repeat to repeat: b (2 labels), c (2 labels)",)
    assert failure("accuracy", found, least=0.9)[2:4] == [
        "  missed  c  expected shipping  got other, no single label",
        "  missed  b  expected refund    got refund, shipping",
    ]


def test_repeats_on_both_sides_of_a_bound_are_told() -> None:
    answers = iter(["refund", "refund", "shipping", "refund"])
    suite = classifier_suite({"a": "refund", "b": "shipping"}, LABELS, ("accuracy", "macro_f1"), repeat=2)
    found = evaluate(suite, lambda _: next(answers))
    # The first repeat is right in both; of the second F1 is 0.667 for refund and 0 for shipping.
    gate = Gate(name="g", thresholds=(Threshold(metric="macro_f1", bounds=Bounds(min=0.5)),))
    (verdict,) = judge(gate, found)
    assert verdict.note == "macro_f1: the repeats lie on both sides of 0.500: 1.000, 0.333"


def test_comparison_tells_what_became_right_and_wrong() -> None:
    before = evaluation({**RIGHT, "o1": None}, "accuracy", "label_recall.refund")
    now = evaluation({**RIGHT, "s1": "refund"}, "accuracy", "label_recall.refund")
    sides = [Side(name="f", entries={("s.eval.yaml", "classifier"): each}, is_baseline=False) for each in (now, before)]
    lines = [*compared_lines(compare_sides(*sides), every_case=True)]
    assert lines[-2:] == ["    lost    s1  shipping: right -> wrong", "    gained  o1  other: wrong -> right"]
