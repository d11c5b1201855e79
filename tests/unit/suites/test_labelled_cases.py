"""The suite of a classifier."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.labels import LabelSpec
from pytest_recall.suites import Case
from pytest_recall.suites.writing import render_suite
from tests.unit.suites.builders import load

if TYPE_CHECKING:
    from pathlib import Path

LABELS = "labels: {refund: [money back], shipping: }\n"
CASES = (
    'cases: [{input: where, expected: shipping, tags: [de], args: {n: 1}}, {id: back, input: "b", expected: refund}]\n'
)


def test_label_is_what_would_be_relevant(tmp_path: Path) -> None:
    suite = load(tmp_path, LABELS + CASES)
    assert suite.labels == (LabelSpec("refund", ("money back",)), LabelSpec("shipping"))
    assert suite.cases == (
        Case(id="where", query="where", relevant={"shipping": 1}, expected="shipping", tags=("de",), args={"n": 1}),
        Case(id="back", query="b", relevant={"refund": 1}, expected="refund"),
    )
    assert (suite.role, suite.k, suite.memories) == ("classifier", 1, ())


def test_accuracy_and_macro_f1_are_there_without_asking(tmp_path: Path) -> None:
    assert [gate.name for gate in load(tmp_path, LABELS + CASES).gates] == ["accuracy", "macro_f1"]


def test_accuracy_is_scored_whatever_is_asked_for(tmp_path: Path) -> None:
    suite = load(tmp_path, f"{LABELS}{CASES}metrics: [label_recall.refund]\n")
    assert [str(metric) for metric in suite.metrics] == ["label_recall.refund"]
    assert [str(metric) for metric in suite.scored] == ["label_recall.refund", "accuracy"]


def test_fingerprint_is_of_the_input_the_label_and_the_args(tmp_path: Path) -> None:
    first, _ = load(tmp_path, LABELS + CASES).cases
    same, _ = load(tmp_path, LABELS.replace("money back", "chargeback") + CASES.replace("[de]", "[en]")).cases
    other, _ = load(tmp_path, LABELS + CASES.replace("expected: shipping", "expected: refund")).cases
    assert first.fingerprint == same.fingerprint != other.fingerprint
    assert first.fingerprint == Case(id="x", query="where", relevant={"shipping": 1}, args={"n": 1}).fingerprint


@pytest.mark.parametrize("name", ["inputs.jsonl", "inputs.jsonl.gz"])
def test_lines_are_what_a_list_in_the_suite_would_be(tmp_path: Path, name: str) -> None:
    records: list[dict[str, Any]] = [
        {"input": "where", "expected": "shipping"},
        {
            "id": "b",
            "input": "back",
            "expected": "refund",
            "tags": ["de"],
            "kind": "x",
            "family": "y",
            "args": {"n": 1},
        },
        {"input": "with bounds", "expected": "refund", "expect": {"accuracy": 1}},
        {"input": 'a "quoted" one', "expected": "shipping", "id": None},
    ]
    text = "".join(f"{json.dumps(record)}\n" for record in records).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    from_lines = load(tmp_path, f"{LABELS}cases: {{path: {name}}}\n")
    listed = load(tmp_path, json.dumps({"labels": {"refund": ["money back"], "shipping": []}, "cases": records}))
    # Lines of files are no part of what is compared.
    assert [case.id for case in from_lines.cases] == ["where", "b", "with bounds", 'a "quoted" one']
    assert [case.expected for case in from_lines.cases] == [case.expected for case in listed.cases]
    assert [case.fingerprint for case in from_lines.cases] == [case.fingerprint for case in listed.cases]
    assert [case.groups for case in from_lines.cases] == [case.groups for case in listed.cases]
    assert [gate.name for gate in from_lines.gates] == [gate.name for gate in listed.gates]


def test_colon_of_a_label_is_no_tag(tmp_path: Path) -> None:
    text = """\
labels: {"a:b": [], c: []}
thresholds: {"label_recall.a:b": 0.1, "label_recall.a:b:x": 0.2, "label_recall.c:x": 0.3}
cases: [{input: one, expected: "a:b", tags: [x]}, {input: two, expected: c, tags: [x]}]
"""
    thresholds = [gate.thresholds[0] for gate in load(tmp_path, text).gates if gate.thresholds[0].bounds.given]
    assert [(each.metric, each.tag, each.bounds.min) for each in thresholds] == [
        ("label_recall.a:b", None, 0.1),
        ("label_recall.a:b", "x", 0.2),
        ("label_recall.c", "x", 0.3),
    ]


def test_written_suite_loads_as_what_was_written(tmp_path: Path) -> None:
    suite = load(tmp_path, LABELS + CASES)
    text = render_suite(suite.cases, settings={"labels": {spec.canonical: [*spec.aliases] for spec in suite.labels}})
    again = load(tmp_path, text)
    assert (again.labels, again.cases) == (suite.labels, suite.cases)
