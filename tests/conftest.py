"""What all tests share: pytester, hypothesis's settings, and the things that not every machine has."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import hypothesis
import pytest

from tests.project import Project

if TYPE_CHECKING:
    from types import ModuleType

pytest_plugins = ["pytester"]

# Seconds after which a process of pytest is one that hangs.
LONGEST_RUN = 300

# Suites that tests read as data, which the plugin, active here too, would run; and tests of many large libraries and of
# many plugins, which run when they are named.
collect_ignore = ["suites", "ecosystem", "neighbours"]

# Where nobody waits for a new counterexample, a run must not depend on chance.
hypothesis.settings.register_profile("pytest-recall", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("pytest-recall")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("resources", "what not every machine has")
    # A text, made absolute while the working directory is still the caller's: xdist hands it to workers.
    group.addoption(
        "--shared-data",
        metavar="DIR",
        type=os.path.abspath,
        help="a directory with cases/, oracle/ and data/: third-party inputs and known numbers",
    )
    group.addoption("--require-all", action="store_true", help="fail where a test would skip for something missing")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: takes minutes, so it runs under --require-all only")
    directory: str | None = config.getoption("--shared-data")
    if directory and not Path(directory, "cases").is_dir():
        raise pytest.UsageError(f"--shared-data={directory}: not a directory with cases/ in it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--require-all"):
        skip = pytest.mark.skip(reason="it takes minutes, so it runs under --require-all only")
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(skip)


class Require:
    """Skips the test for what is missing; under ``--require-all`` fails it."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def library(self, name: str) -> ModuleType:
        """The imported library."""
        try:
            return importlib.import_module(name)
        except ImportError:
            self.missing(f"{name} is not installed")

    def distribution(self, name: str) -> None:
        """That it is installed, for tests that use it in another process."""
        try:
            importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            self.missing(f"{name} is not installed")

    def program(self, name: str) -> Path:
        """Where the program is."""
        path = shutil.which(name)
        return Path(path) if path else self.missing(f"no {name} on PATH")

    def missing(self, reason: str) -> NoReturn:
        """For whatever else a test can't do without."""
        if self._fails:
            pytest.fail(f"{reason}, which --require-all forbids", pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def require(pytestconfig: pytest.Config) -> Require:
    return Require(fails=pytestconfig.getoption("--require-all"))


@pytest.fixture(scope="session")
def shared_data(pytestconfig: pytest.Config, require: Require) -> Path:
    directory: str | None = pytestconfig.getoption("--shared-data")
    return Path(directory) if directory else require.missing("needs --shared-data=DIR")


@pytest.fixture
def pytester(pytester: pytest.Pytester, require: Require, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The fixture, with runs that only a test's own files decide; one with workers requires xdist."""
    options = ["-p", "no:hypothesispytest"]  # it takes a second to load
    if importlib.util.find_spec("pytest_asyncio"):
        options += ["-o", "asyncio_default_fixture_loop_scope=function"]  # it warns where this is not set
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(options))
    for name in ("BUILD_NUMBER", "CI"):  # pytest cuts no line where these are set
        monkeypatch.delenv(name, raising=False)
    # A file may change within the second that bytecode can't tell apart.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    run = pytester.runpytest_subprocess

    def runpytest_subprocess(*arguments: str) -> pytest.RunResult:
        if any(argument.startswith("-n") for argument in arguments):
            require.library("xdist")
        return run(*arguments, timeout=LONGEST_RUN)

    monkeypatch.setattr(pytester, "runpytest_subprocess", runpytest_subprocess)
    return pytester


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that look at what a new process imports: coverage, which follows there, imports things of its own."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)
