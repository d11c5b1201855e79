"""Each claim of the page on security names what holds it, and that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
CLAIMS = [claim.split("\n\n")[0] for claim in PAGE.split("\n- **")[1:]]
HELD = re.compile(r"<!-- held by: (.+?) -->$", re.DOTALL)


def test_there_are_claims() -> None:
    assert len(CLAIMS) == PAGE.count("\n- ") > 20


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.split("**")[0].rstrip("."))
def test_a_claim_is_held_by_tests(claim: str) -> None:
    held = HELD.search(claim)
    assert held, "no test is named"
    for reference in re.split(r",\s+", held[1]):
        path, _, name = reference.partition("::")
        file = ROOT / path
        assert file.is_file(), reference
        if file.suffix == ".py":
            assert re.search(rf"^ *(async )?def {name}\(", file.read_text(encoding="utf-8"), re.MULTILINE), reference
        else:
            assert path.startswith("tests/suites/"), f"{reference} is run by no test"
