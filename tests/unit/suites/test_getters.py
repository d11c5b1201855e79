from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tests.unit.suites.builders import CASES, load, mistakes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2024-05-01T10:20:30Z", datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone.utc)),
        ("2024-05-01t10:20:30z", datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone.utc)),
        ("2024-05-01 10:20:30Z", datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone.utc)),
        ("2024-05-01T10:20:30.5Z", datetime(2024, 5, 1, 10, 20, 30, 500_000, tzinfo=timezone.utc)),
        ("2024-05-01T10:20:30.1234567Z", datetime(2024, 5, 1, 10, 20, 30, 123_456, tzinfo=timezone.utc)),
        (
            "2024-05-01T10:20:30-05:30",
            datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone(timedelta(hours=-5, minutes=-30))),
        ),
        ('"2024-05-01T10:20:30Z"', datetime(2024, 5, 1, 10, 20, 30, tzinfo=timezone.utc)),
    ],
)
def test_moment(tmp_path: Path, written: str, moment: datetime) -> None:
    (memory,) = load(tmp_path, f"memories: [{{id: a, valid_from: {written}}}]\n{CASES}").memories
    assert memory.valid_from == moment
    assert memory.valid_from.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize(
    "written", ["soon", "2024-02-30T00:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01T00:00:00+24:00"]
)
def test_no_moment(tmp_path: Path, written: str) -> None:
    (mistake,) = mistakes(tmp_path, f"memories: [{{id: a, valid_to: {written}}}]\n{CASES}")
    right = "must be an RFC 3339 date and time such as 2024-05-01T00:00:00Z"
    assert mistake == f"1:30: memories[0].valid_to (a): {right}, got '{written}'"


@pytest.mark.parametrize(("key", "field"), [("key", "id"), ("_id", "id"), ("id", "id")])
def test_fields_go_by_several_names(tmp_path: Path, key: str, field: str) -> None:
    text = f"memories: [{{{key}: a}}, {{id: b, superseded_by_key: a}}]\n{CASES}"
    first, second = load(tmp_path, text).memories
    assert (getattr(first, field), second.superseded_by) == ("a", "a")


def test_pattern_that_python_warns_of_is_as_good_as_any(tmp_path: Path) -> None:
    pattern = "[[a]]#(.*)"
    assert load(tmp_path, f"id_from: '{pattern}'\n{CASES}").policy.id_from == pattern


def test_tolerance_that_is_a_share_may_be_quoted_as_json_has_it(tmp_path: Path) -> None:
    text = '{"max_drop": "5%", "cases": [{"query": "q", "relevant": ["a"]}]}'
    assert str(load(tmp_path, text, "notes.eval.json").max_drop) == "5%"
