"""The examples in docstrings are run, and everything public has one."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING

import pytest

import pytest_recall

if TYPE_CHECKING:
    from tests.conftest import Require

MODULES = [module.name for module in walk_packages(pytest_recall.__path__, "pytest_recall.")]

PUBLIC = [
    "pytest_recall",
    "pytest_recall.answers",
    "pytest_recall.formats",
    "pytest_recall.kimetsu",
    "pytest_recall.labels",
    "pytest_recall.replay",
    "pytest_recall.sklearn",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, require: Require) -> None:
    if name == "pytest_recall.sklearn":
        require.library("sklearn")
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_an_example_that_is_run(name: str) -> None:
    module = import_module(name)
    public = {each: getattr(module, each) for each in module.__all__}
    objects = {each: value for each, value in public.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert {value.__module__ for value in objects.values()} <= {*MODULES}
    assert [each for each, value in objects.items() if ">>> " not in (inspect.getdoc(value) or "")] == []


def test_the_reference_shows_every_public_module() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "reference", "api.md").read_text(encoding="utf-8")
    assert [line.removeprefix(".. automodule:: ") for line in page.splitlines() if "automodule" in line] == PUBLIC
