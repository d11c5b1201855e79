"""No row of the worked examples is forgotten: each is tested in this folder, or has a reason not to be."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [f"c{number:03}" for number in range(1, 160)]

ANOTHER = "another benchmark's score"
NOT_REPRODUCED = {
    "c071": "a quality mix",
    "c072": "cost",
    "c073": "a quality mix",
    "c075": "a quality mix",
    "c076": "another summary",
    "c080": "stale rate over all cases",
    "c086": "nothing relevant is undefined here",
    "c087": "an id that is relevant and stale is refused here",
    "c088": "p95 by floor; nearest rank gives 19",
    **dict.fromkeys(("c090", "c091", "c092", "c093"), "tuning"),
    **dict.fromkeys(("c094", "c095", "c097", "c098", "c099", "c100"), ANOTHER),
}


def texts(value: Any) -> Iterator[str]:
    """Every text in what a test is parametrised with."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts(each)


@pytest.fixture(scope="module")
def tested() -> set[str]:
    """The rows that the tests of this folder are parametrised with."""
    modules = [import_module(f"{__package__}.{path.stem}") for path in Path(__file__).parent.glob("test_*.py")]
    marks = [mark for module in modules for test in vars(module).values() for mark in getattr(test, "pytestmark", ())]
    values = [list(mark.args[1]) for mark in marks if mark.name == "parametrize" and mark.args[1] is not ROWS]
    return {text for text in texts(values) if re.fullmatch(r"c\d{3}", text)}


@pytest.mark.parametrize("id", ROWS)
def test_row_is_tested_or_has_a_reason(id: str, tested: set[str]) -> None:
    if id in NOT_REPRODUCED:
        assert id not in tested, "remove the reason"
        pytest.skip(NOT_REPRODUCED[id])
    assert id in tested, "no test takes this row"


def test_these_are_all_rows(rows: dict[str, dict[str, Any]]) -> None:
    assert list(rows) == ROWS
