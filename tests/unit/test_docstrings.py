"""The examples in docstrings are run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import pytest_recall

MODULES = [module.name for module in walk_packages(pytest_recall.__path__, "pytest_recall.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
