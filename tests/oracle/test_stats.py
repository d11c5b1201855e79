from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.stats import mean, sign_flip_p

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> dict[str, dict[str, Any]]:
    cases = json.loads(shared_data.joinpath("oracle", "seed_cases.json").read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in cases}


@pytest.mark.parametrize("id", ["c139", "c140", "c141", "c142", "c143", "c144", "c145"])
def test_sign_flip_p_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    assert sign_flip_p(rows[id]["differences"]) == pytest.approx(rows[id]["expected"], abs=1e-12)


def test_mean_change_as_published(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["c146"]
    differences = [now - before for now, before in zip(row["candidate"], row["baseline"], strict=True)]
    assert mean(differences) == row["expected"]["delta"]
