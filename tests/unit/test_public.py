"""The names that users import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest

import pytest_recall

MODULES = [module.name for module in walk_packages(pytest_recall.__path__, "pytest_recall.") if "._" not in module.name]


@pytest.mark.parametrize("name", [name for name in MODULES if name != "pytest_recall.plugin.hookspecs"])
def test_every_public_definition_is_listed_and_every_listed_name_is_there(name: str) -> None:
    module = import_module(name)
    defined = {
        name
        for name, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
        and not name.startswith(("_", "pytest_"))  # pytest finds its hooks by their names
    }
    assert defined <= set(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("name", pytest_recall.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(pytest_recall, name))


def test_public_names_are_sorted_and_found_where_they_are_said_to_be() -> None:
    assert list(pytest_recall.__all__) == sorted(pytest_recall.__all__, key=lambda name: (not name[0].isupper(), name))
    assert set(pytest_recall.__all__) == set(pytest_recall._HOME_OF)  # noqa: SLF001
    assert set(pytest_recall.__all__) <= set(dir(pytest_recall))


@pytest.mark.usefixtures("unmeasured")
def test_importing_the_package_loads_neither_pytest_nor_yaml() -> None:
    code = (
        "import sys, pytest_recall; print(*({'pytest', 'yaml', 'orjson', 'pytest_recall.reports'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "\n"


@pytest.mark.usefixtures("unmeasured")
def test_evaluating_and_writing_a_report_never_loads_pytest() -> None:
    code = "import sys\nfrom pytest_recall.reports import files\nprint('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"
