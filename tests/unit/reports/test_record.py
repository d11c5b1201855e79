"""What a report file may hold."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import ReportError
from pytest_recall.evaluation import CaseResult, Evaluation, Summary
from pytest_recall.reports import files
from pytest_recall.reports.record import to_record
from tests.unit.reports.builders import report

if TYPE_CHECKING:
    from collections.abc import Callable

K = "evaluations[0].settings.k: must be a whole number from 1"

Spoil = "Callable[[dict[str, Any]], object]"


def record() -> dict[str, Any]:
    return to_record([report()])


def error_of(values: object) -> str:
    path = Path("now.json")
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ReportError) as raised:
        files.read(path)
    return str(raised.value)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_field_is_written() -> None:
    (evaluation,) = record()["evaluations"]
    assert set(evaluation) == {field.name for field in fields(Evaluation) if field.init} | {"gates"}
    assert set(evaluation["cases"][0]) == {field.name for field in fields(CaseResult)}
    assert set(evaluation["metrics"]["mrr"]) == {field.name for field in fields(Summary)}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda e: e.pop("suite"), "evaluations[0]: 'suite' is missing"),
        (lambda e: e.update(suit="x"), "evaluations[0]: unknown key 'suit' (did you mean 'suite'?)"),
        (lambda e: e.update(system=None), "evaluations[0].system: must be a text, not null"),
        (lambda e: e.update(cases={}), "evaluations[0].cases: must be a list, not an object"),
        (lambda e: e["settings"].update(k=0), f"{K} to 1,000,000, not 0"),
        (lambda e: e["settings"].update(k=True), f"{K} to 1,000,000, not true"),
        (lambda e: e["settings"].update(k=1_000_001), f"{K} to 1,000,000, not 1000001"),
        (lambda e: e["settings"].update(k=10**400), f"{K} to 1,000,000, not 1{'0' * 38}…"),
        (
            lambda e: e["metrics"]["mrr"].update(value=1.5),
            "evaluations[0].metrics['mrr'].value: must be 0 to 1, not 1.5",
        ),
        (
            lambda e: e["cases"][0]["scores"].update(mrr=-1),
            "evaluations[0].cases[0].scores['mrr']: must be 0 to 1, not -1",
        ),
        (lambda e: e["cases"].append(e["cases"][0]), "evaluations[0].cases[2]: the case 'lease-end' is there twice"),
        (
            lambda e: e["settings"]["policy"].update(gain="cubic"),
            'evaluations[0].settings.policy.gain: must be one of linear, exponential, not "cubic"',
        ),
        (
            lambda e: e["metrics"]["mrr"].update(value="0.5"),
            "evaluations[0].metrics['mrr'].value: must be a number, not \"0.5\"",
        ),
        (
            lambda e: e["metrics"]["mrr"].update(better="up"),
            "evaluations[0].metrics['mrr'].better: must be one of higher, lower, not \"up\"",
        ),
        (
            lambda e: e["cases"][1]["scores"].update(mrr=float("nan")),
            "evaluations[0].cases[1].scores['mrr']: must be a number, not NaN",
        ),
        (
            lambda e: e["cases"][0]["args"].update(far=[1, {"x": float("inf")}]),
            "evaluations[0].cases[0].args['far'][1]['x']: must be a number, not Infinity",
        ),
        (
            lambda e: e["cases"][0].update(ranking=["a", 1]),
            "evaluations[0].cases[0].ranking[1]: must be a text, not 1",
        ),
        (lambda e: e["cases"][0].update(line=0), "evaluations[0].cases[0].line: must be a whole number from 1, not 0"),
        (
            lambda e: e["gates"][0].update(verdict="pass"),
            'evaluations[0].gates[0].verdict: must be one of passed, failed, no gate, not "pass"',
        ),
        (
            lambda e: e["gates"][0].update(metric="map"),
            "evaluations[0].gates[0].metric: 'map' is no metric of this evaluation",
        ),
        (
            lambda e: e["gates"][1].update(case="gone"),
            "evaluations[0].gates[1].case: 'gone' is no case of this evaluation",
        ),
        (
            lambda e: e["gates"][0]["bounds"].update(max_drop={"value": -1, "relative": False}),
            "evaluations[0].gates[0].bounds.max_drop: a tolerance is a finite number from 0, got -1.0",
        ),
        (
            lambda e: e["gates"][0]["bounds"].update(max_drop={"value": 1, "relative": 1}),
            "evaluations[0].gates[0].bounds.max_drop.relative: must be true or false, not 1",
        ),
    ],
)
def test_the_first_wrong_value_is_told_with_its_place(spoil: Callable[[dict[str, Any]], object], message: str) -> None:
    values = record()
    spoil(values["evaluations"][0])
    assert error_of(values) == f"now.json: {message}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "must be an object, not a list"),
        ({}, "no report of pytest-recall: 'format' is missing"),
        (
            {"format": 999, "evaluations": 1},
            (
                "format: 999 is of a later pytest-recall, this one reads 1; "
                "upgrade it, or delete it and write the report again"
            ),
        ),
        ({"format": "1", "evaluations": []}, 'format: must be a whole number from 1, not "1"'),
        ({"format": 1}, "'evaluations' is missing"),
        ({"format": 1, "suites": {}}, "this is a baseline, and no report"),
    ],
)
def test_what_is_no_report_is_told(values: object, message: str) -> None:
    assert error_of(values) == f"now.json: {message}"


def test_an_evaluation_is_there_once() -> None:
    values = record()
    values["evaluations"] *= 2
    message = "evaluations[1]: 'tests/support.eval.yaml' (retriever[bm25]) is there twice"
    assert error_of(values) == f"now.json: {message}"


def test_undefined_values_may_be_missing() -> None:
    values = record()
    (evaluation,) = values["evaluations"]
    for holder, *names in (
        (evaluation, "problem"),
        (evaluation["settings"]["policy"], "id_from"),
        (evaluation["cases"][1], "kind", "family", "status", "answer", "latency_ms", "error", "line"),
        (evaluation["gates"][2], "tag", "case", "value", "baseline", "change", "p"),
        (evaluation["gates"][2]["bounds"], "min", "max", "max_drop", "max_rise", "alpha", "line"),
    ):
        for name in names:
            assert holder.pop(name) is None
    Path("now.json").write_text(json.dumps(values), encoding="utf-8")
    assert files.read("now.json") == (report(),)


def test_numbered_queries_stay_numbers() -> None:
    values = record()
    values["evaluations"][0]["cases"][1]["id"] = 7
    Path("now.json").write_text(json.dumps(values), encoding="utf-8")
    ids: list[object] = [case.id for case in files.read("now.json")[0].evaluation.cases]
    assert ids == ["lease-end", 7]
