"""The page on significance shows what its benchmark prints."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "significance.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def judgement() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judgement", ROOT / "benchmarks" / "judgement.py")
    assert spec is not None
    assert spec.loader is not None
    # A dataclass looks for its module.
    sys.modules["judgement"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rows_of_the_fewest_cases_are_those_of_the_benchmark(judgement: ModuleType) -> None:
    # Every row is seeded by itself, so the quick ones stand for the table.
    fewest = judgement.SIZES[0]
    unchanged = judgement.unchanged_row(fewest, judgement.trials(fewest, 0.0, judgement.TRIALS))
    assert f"{judgement.UNCHANGED_HEAD}\n{unchanged}\n" in PAGE
    assert f"{judgement.POWER_HEAD}\n{judgement.power_row(fewest)}\n" in PAGE


def test_every_number_of_cases_has_its_rows(judgement: ModuleType) -> None:
    rows = [line.split(" ")[1] for line in PAGE.splitlines() if line.startswith("| ") and "%" in line]
    sizes = [str(size) for size in judgement.SIZES]
    assert rows == [*sizes, "cases", *sizes]
