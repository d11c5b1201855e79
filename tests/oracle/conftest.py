from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def rows(shared_data: Path) -> dict[str, dict[str, Any]]:
    """Worked examples of other evaluators, by the id of their row."""
    cases = json.loads(shared_data.joinpath("oracle", "seed_cases.json").read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in cases}
