from __future__ import annotations

import pytest

from pytest_recall.suites.names import is_suite_name


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("notes.eval.yaml", True),
        ("notes.eval.yml", True),
        ("notes.eval.json", True),
        ("agent.eval.capture.json", True),
        ("agent.capture.json", True),
        ("notes.eval.toml", False),
        ("notes.yaml", False),
        ("report.json", False),
    ],
)
def test_names_of_suites_and_captures(name: str, is_one: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_suite_name(name) is is_one
