"""What an evaluation says of a classifier is what `ClassificationReport` says of its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_recall import evaluate
from pytest_recall.baseline import entry_of
from pytest_recall.comparison import Comparison
from pytest_recall.evaluation import Evaluation, report_of
from pytest_recall.labels import ClassificationReport
from pytest_recall.reports import SuiteReport
from pytest_recall.reports.record import from_record, to_record
from tests.builders import classifier_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

LABELS = ("refund", "shipping", "other")
Pairs = list[tuple[str, "str | None"]]

GOT = st.none() | st.sampled_from(LABELS)
PAIRS: st.SearchStrategy[Pairs] = st.lists(st.tuples(st.sampled_from(LABELS), GOT), min_size=1, max_size=12)
METRICS = ("accuracy", "macro_f1", *(f"label_{kind}.{label}" for kind in ("recall", "precision") for label in LABELS))


def evaluation_of(pairs: Sequence[Sequence[tuple[str, str | None]]]) -> Evaluation:
    """An evaluation whose cases have, each in turn, these labels in their repeats; a case expects one label."""
    expected = {f"c{place}": repeats[0][0] for place, repeats in enumerate(pairs)}
    answers = iter([got for repeats in pairs for _, got in repeats])
    suite = classifier_suite(expected, LABELS, METRICS, repeat=len(pairs[0]))
    return evaluate(suite, lambda _: next(answers))


def values_of(report: ClassificationReport) -> dict[str, float | None]:
    stats = report.per_label
    of_labels = {
        f"label_{kind}.{label}": getattr(stats[label], kind) if label in stats else None
        for kind in ("recall", "precision")
        for label in LABELS
    }
    return {"accuracy": report.accuracy, "macro_f1": report.macro.f1, **of_labels}


@given(PAIRS)
def test_values_are_those_of_the_report(pairs: Pairs) -> None:
    evaluation = evaluation_of([[pair] for pair in pairs])
    expected = values_of(ClassificationReport(pairs=tuple(pairs)))
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == pytest.approx(expected)
    assert report_of(evaluation.cases).pairs == tuple(pairs)


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.tuples(GOT, GOT, GOT)), min_size=1, max_size=6))
def test_each_repeat_counts_as_a_case(cases: list[tuple[str, tuple[str | None, ...]]]) -> None:
    pairs = [[(expected, got) for got in repeats] for expected, repeats in cases]
    evaluation = evaluation_of(pairs)
    expected = values_of(ClassificationReport(pairs=tuple(pair for repeats in pairs for pair in repeats)))
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == pytest.approx(expected)


@given(PAIRS)
def test_records_read_back(pairs: Pairs) -> None:
    evaluation = evaluation_of([[pair, pair] for pair in pairs])
    assert Evaluation.from_record(evaluation.to_record()) == evaluation
    (report,) = from_record(to_record([SuiteReport(evaluation=evaluation, verdicts=())]))
    assert report.evaluation == evaluation


@given(PAIRS)
def test_nothing_changed_beside_itself(pairs: Pairs) -> None:
    evaluation = evaluation_of([[pair] for pair in pairs])
    comparison = Comparison.of(evaluation, entry_of(evaluation))
    assert comparison.moved == ()
    assert {change.metric: change.delta for change in comparison.metrics} == {
        name: None if summary.value is None else 0 for name, summary in evaluation.metrics.items()
    }
