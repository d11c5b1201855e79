"""Whatever a file holds, reading it gives a suite or located mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pytest_recall.errors import SuiteError
from pytest_recall.suites import Suite, load_suite
from tests.property.mutations import edited_suites, restructured_suites

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project

# A second is hundreds of times what reading one of these takes, and a hang takes longer.
MANY = settings(max_examples=2000, deadline=1000, suppress_health_check=[HealthCheck.function_scoped_fixture])
SUFFIXES = st.sampled_from(["yaml", "yml", "json"])


@MANY
@given(data=edited_suites(), suffix=SUFFIXES)
def test_edited_suite_loads_or_tells_its_mistakes(tmp_path: Path, data: bytes, suffix: str) -> None:
    check_reading(tmp_path, data, suffix)


@settings(MANY, max_examples=500)
@given(data=restructured_suites(), suffix=SUFFIXES)
def test_odd_value_in_any_place_loads_or_is_a_mistake(tmp_path: Path, data: bytes, suffix: str) -> None:
    check_reading(tmp_path, data, suffix)


def check_reading(folder: Path, data: bytes, suffix: str) -> None:
    path = folder / f"notes.eval.{suffix}"
    path.write_bytes(data)
    try:
        check_suite(load_suite(path, root=folder))
    except SuiteError as error:
        check_mistakes(error, path.name, data)
    finally:
        path.unlink()
    assert not list(folder.iterdir())


def check_suite(suite: Suite) -> None:
    """What is loaded can be used: items have distinct names, and everything that reads a suite comes to an end."""
    assert len({gate.name for gate in suite.gates}) == len(suite.gates) > 0
    assert len({case.fingerprint for case in suite.cases}) <= len(suite.cases) == len({case.id for case in suite.cases})
    assert suite.settings.k == suite.k
    assert repr(suite)


def check_mistakes(error: SuiteError, name: str, data: bytes) -> None:
    """Each is one printable line with its place in the file, in file order."""
    lines = data.count(b"\n") + data.count(b"\r") + data.count("\x85".encode()) + data.count("\u2028".encode()) + 1
    places = [(problem.line or 0, problem.column or 0) for problem in error.problems]
    assert places
    assert places == sorted(places)
    for problem, (line, column) in zip(error.problems, places, strict=True):
        assert problem.path == name
        assert problem.message
        assert 1 <= line <= lines
        assert column >= 1
        assert str(problem).isprintable()


RETRIEVER = """\
import pytest

@pytest.fixture
def retriever():
    return lambda query, k, **args: ["lease-2", "a"][:k]

@pytest.fixture
def search(retriever):
    return retriever
"""


# Runs of pytest are too slow for making a failing example small.
FEW = settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@FEW
@given(files=st.lists(st.tuples(edited_suites() | restructured_suites(), SUFFIXES), min_size=5, max_size=15))
def test_pytest_runs_them_or_shows_their_mistakes(project: Project, files: list[tuple[bytes, str]]) -> None:
    project.write("conftest.py", RETRIEVER)
    paths = [project.path / f"notes-{number}.eval.{suffix}" for number, (_, suffix) in enumerate(files)]
    for path, (data, _) in zip(paths, files, strict=True):
        path.write_bytes(data)
    result = project.run("--continue-on-collection-errors", "-Wignore")
    assert {path.name for path in project.path.iterdir()} == {"conftest.py", *(path.name for path in paths)}
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stdout.no_fnmatch_line("*Traceback*")
    reports = [read(path) for path in paths]
    errors = [report for report in reports if isinstance(report, SuiteError)]
    assert {line for error in errors for line in str(error).splitlines()} <= set(result.outlines)
    # A retriever that is no fixture is an error of each item.
    outcomes = sum(result.parseoutcomes().get(name, 0) for name in ("passed", "failed", "errors", "skipped", "xfailed"))
    assert outcomes == len(errors) + sum(len(report.gates) for report in reports if isinstance(report, Suite))


def read(path: Path) -> Suite | SuiteError:
    """What pytest read, which is then removed."""
    try:
        return load_suite(path, root=path.parent)
    except SuiteError as error:
        return error
    finally:
        path.unlink()
