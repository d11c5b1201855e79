"""Whole files: adding one to ``tests/suites`` adds a test."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_recall.errors import SuiteError
from pytest_recall.suites import load_suite

SUITES = Path(__file__).parents[2] / "suites"
VALID = sorted(SUITES.glob("valid/*.eval.*"))
INVALID = sorted(SUITES.glob("invalid/*.eval.*"))

# What the parsers themselves say differs.
WORDED_BY_LIBYAML = ("cut-off", "lone-surrogate-escape", "unclosed-bracket")


def stem(path: Path) -> str:
    return path.name.partition(".")[0]


def mistakes(path: Path) -> str:
    with pytest.raises(SuiteError) as raised:
        load_suite(path, root=path.parent)
    return f"{raised.value}\n"


def expected(path: Path) -> str:
    return path.with_name(f"{stem(path)}.txt").read_text(encoding="utf-8")


@pytest.fixture
def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)


@pytest.mark.parametrize("path", VALID, ids=stem)
def test_valid_suite_loads(path: Path) -> None:
    assert load_suite(path, root=SUITES).gates


@pytest.mark.parametrize("path", INVALID, ids=stem)
def test_invalid_suite_tells_every_mistake(path: Path) -> None:
    assert mistakes(path) == expected(path)


@pytest.mark.usefixtures("without_libyaml")
@pytest.mark.parametrize("path", VALID, ids=stem)
def test_valid_suite_is_the_same_without_libyaml(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pure = load_suite(path, root=SUITES)
    monkeypatch.undo()
    assert pure == load_suite(path, root=SUITES)


@pytest.mark.usefixtures("without_libyaml")
@pytest.mark.parametrize("path", [path for path in INVALID if stem(path) not in WORDED_BY_LIBYAML], ids=stem)
def test_invalid_suite_tells_the_same_without_libyaml(path: Path) -> None:
    assert mistakes(path) == expected(path)
