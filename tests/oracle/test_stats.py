from __future__ import annotations

from typing import Any

import pytest

from pytest_recall.stats import mean, sign_flip_p


@pytest.mark.parametrize("id", ["c139", "c140", "c141", "c142", "c143", "c144", "c145"])
def test_sign_flip_p_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    assert sign_flip_p(rows[id]["differences"]) == pytest.approx(rows[id]["expected"], abs=1e-12)


@pytest.mark.parametrize("id", ["c146"])
def test_mean_change_as_published(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    differences = [now - before for now, before in zip(row["candidate"], row["baseline"], strict=True)]
    assert mean(differences) == row["expected"]["delta"]
