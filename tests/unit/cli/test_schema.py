from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_recall.suites.schema import suite_schema

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Shell


def test_schema_is_printed(shell: Shell) -> None:
    code, printed, told = shell.run("schema")
    assert (code, told) == (0, "")
    assert json.loads(printed) == suite_schema()
    assert printed.startswith('{\n  "$schema": ')
    assert printed.endswith("}\n")


def test_metrics_of_hooks_are_named(shell: Shell) -> None:
    assert json.loads(shell.run("schema", "--metric", "cost", "--metric", "time_to_hit")[1]) == suite_schema(
        ["cost", "time_to_hit"]
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Cost", "'Cost' is no name: small letters, digits and _, such as 'my_metric'"),
        ("cost@5", "'cost@5' is no name: small letters, digits and _, such as 'my_metric'"),
        ("mrr", "'mrr' is known already"),
        ("success", "'success' is known already"),
    ],
)
def test_metric_that_can_not_be_one_of_a_hook_is_refused(shell: Shell, name: str, message: str) -> None:
    code, printed, told = shell.run("schema", "--metric", name)
    assert (code, printed) == (2, "")
    assert told.endswith(f"error: argument --metric: {message}\n")
