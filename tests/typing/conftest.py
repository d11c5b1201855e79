"""Type checkers over users' code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conftest import Require
    from tests.project import Project

    Check = Callable[[str], None]
    """Over a text; a line of it with an ignoring comment is one that every checker must refuse."""

PYRIGHT = [sys.executable, "-m", "pyright"]
STRICT = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": True}


@pytest.fixture(scope="session")
def pyright(require: Require) -> Sequence[str]:
    """The command; its package fetches the program itself when it is first run."""
    require.library("pyright")
    if subprocess.run([*PYRIGHT, "--version"], check=False, capture_output=True).returncode:
        require.missing("pyright can't be run")
    return [*PYRIGHT, "--pythonpath", sys.executable]


@pytest.fixture(scope="session", params=["mypy", "pyright"])
def checker(request: pytest.FixtureRequest, require: Require) -> tuple[Sequence[str], str]:
    """The command of a checker, and how it says that nothing is wrong."""
    # Before pytester, which forgets what is imported under it, and numpy can't be imported twice.
    require.library("numpy")
    if request.param == "pyright":
        return request.getfixturevalue("pyright"), "0 errors, 0 warnings, *"
    require.library("mypy")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=.cache"]
    return mypy, "Success: no issues found in 1 source file"


@pytest.fixture
def check(checker: tuple[Sequence[str], str], project: Project) -> Check:
    command, fine = checker

    def check(text: str) -> None:
        project.write("pyrightconfig.json", json.dumps(STRICT))
        project.write("typed.py", text)
        result = project.pytester.run(*command, "typed.py")
        result.stdout.fnmatch_lines([fine])

    return check
