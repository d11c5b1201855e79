"""Users' code over evaluations, as mypy sees it; an ignored line is one that it must refuse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

TYPED = """\
from pathlib import Path

from typing_extensions import assert_type

from pytest_recall import (
    Comparison,
    Evaluation,
    Verdict,
    evaluate,
    judge,
    load_suite,
    read_baseline,
    read_report,
)


def search(query: str, k: int) -> list[str]:
    return [query][:k]


suite = load_suite("notes.eval.yaml")
now = evaluate(suite, search)
assert_type(now, Evaluation)
assert_type(now["mrr"], float | None)
now.write(Path("now.json"))
assert_type(Evaluation.read("now.json"), Evaluation)
assert_type(read_report(Path("now.json")), tuple[Evaluation, ...])

assert_type(now.compare(now), Comparison)
assert_type(now.compare(read_baseline("b.json").entries["notes.eval.yaml", "retriever"])["mrr"].delta, float | None)
assert_type(now.compare(now).moved[0].ranks["a"], tuple[int | None, int | None])
assert_type(judge(suite.gates[0], now), tuple[Verdict, ...])

now.compare({})  # type: ignore[arg-type]
now.metrics["mrr"].value = 1.0  # type: ignore[misc]
Evaluation.read(3)  # type: ignore[arg-type]
"""


@pytest.fixture(autouse=True)
def libraries(require: Require) -> None:
    require.library("mypy")


def test_evaluations_over_typed_code(project: Project) -> None:
    project.write("typed.py", TYPED)
    result = project.pytester.run(sys.executable, "-m", "mypy", "--strict", "--cache-dir=.cache", "typed.py")
    result.stdout.fnmatch_lines(["Success: no issues found in 1 source file"])
