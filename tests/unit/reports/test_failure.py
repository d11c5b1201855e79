from __future__ import annotations

from pytest_recall.bounds import Bounds
from pytest_recall.gates import Verdict
from pytest_recall.metrics import parse_metric
from pytest_recall.reports import failure_text
from tests.unit.reports.builders import evaluation, full_case


def test_cases_without_a_value_are_counted_by_why_they_have_none() -> None:
    cases = [
        full_case(id="a"),
        full_case(id="negative", relevant={}, scores={"mrr": None}),
        full_case(id="irrelevant", relevant={"x": 0}, scores={"mrr": None}),
        full_case(id="unranked", relevant=None, scores={}),
    ]
    failed = Verdict(metric="mrr", value=0.5, outcome="failed", reason="mrr 0.500, needs 0.850")
    text = failure_text([failed], evaluation(cases, notes=()), None, see_all="pytest -vv", whole=False)
    assert text.splitlines()[1] == "  1 case, 1 negative left out, 1 undefined left out"


def test_a_negative_that_got_results_says_that_none_should_come() -> None:
    case = full_case(relevant={}, stale=(), scores={"negative_accuracy": 0.0})
    failed = Verdict(metric="negative_accuracy", bounds=Bounds(min=0.5), value=0.0, outcome="failed", reason="0.000")
    now = evaluation([case], metrics=[parse_metric("negative_accuracy")], notes=())
    text = failure_text([failed], now, None, see_all="pytest -vv", whole=False)
    assert text.splitlines()[2:] == ["  missed  lease-end  nothing should come back  got rent-9, lease-2"]
