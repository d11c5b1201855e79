from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.suites.builders import CASES, load, mistakes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("~", None),
        ("null", None),
        ("", None),
        ("true", True),
        ("False", False),
        ("12", 12),
        ("-3", -3),
        ("+4", 4),
        ("1.5", 1.5),
        (".5", 0.5),
        ("2.", 2.0),
        ("1e3", 1000.0),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("no", "no"),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("9" * 30, int("9" * 30)),
        ("[1, [a, ~]]", [1, ["a", None]]),
        ("{1: one, deep: {er: true}}", {"1": "one", "deep": {"er": True}}),
        ("{<<: {a: 1, b: 2}, b: 3}", {"a": 1, "b": 3}),
    ],
)
def test_literal(tmp_path: Path, written: str, value: Any) -> None:
    (memory,) = load(tmp_path, f"memories:\n  - id: a\n    metadata: {written}\n{CASES}").memories
    assert memory.metadata == value
    assert type(copy.copy(memory.metadata)) is type(value)


@pytest.mark.parametrize("written", [".inf", "-.INF", ".nan", "1e999", "9" * 1001])
def test_number_that_is_not_finite_is_refused(tmp_path: Path, written: str) -> None:
    shown = written if len(written) < 60 else f"{'9' * 59}…"
    assert mistakes(tmp_path, f"memories:\n  - id: a\n    metadata: {written}\n{CASES}") == [
        f"3:15: memories[0].metadata (a): must be a finite number, got '{shown}'"
    ]
