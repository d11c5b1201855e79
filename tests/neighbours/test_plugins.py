"""What other plugins do to gates, all of them loaded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import NOTES

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

PLUGINS = (
    "pytest-cov",
    "pytest-instafail",
    "pytest-mypy-plugins",
    "pytest-randomly",
    "pytest-rerunfailures",
    "pytest-sugar",
    "pytest-timeout",
    "pytest-xdist",
)
BASELINE = "--eval-baseline=baseline.json"
EACH = f"{NOTES}each: {{hit_rate@1: 0}}\n"
MISSED = f"{NOTES}thresholds: {{mrr: 1}}\n"


@pytest.fixture(autouse=True)
def _all_of_them(require: Require) -> None:
    for plugin in PLUGINS:
        require.distribution(plugin)


@pytest.fixture
def notes(project: Project) -> Project:
    project.write("notes.eval.yaml", NOTES)
    project.rankings({"q1": ["a", "b"], "q2": ["a", "b"]})
    return project


def run(project: Project, *arguments: str) -> pytest.RunResult:
    """As a user runs pytest; `Project.run` switches off what shuffles."""
    return project.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_any_order_gives_the_same_bytes(notes: Project) -> None:
    notes.write("notes.eval.yaml", EACH)
    notes.write("more.eval.yaml", EACH)
    recorded = set()
    for arguments in ([], ["-p", "randomly", "-n2"], ["-p", "no:randomly"], ["--randomly-seed=1"]):
        run(notes, BASELINE, "--eval-update", *arguments).assert_outcomes(passed=8)
        recorded.add(notes.baseline())
        (notes.path / "baseline.json").unlink()
    assert len(recorded) == 1


def test_a_second_attempt_asks_again(notes: Project) -> None:
    notes.write(
        "conftest.py",
        """\
import pytest
asked = []

@pytest.fixture
def retriever():
    return lambda query: asked.append(query) or (["c"] if len(asked) < 3 else ["a", "b"])
""",
    )
    notes.write("notes.eval.yaml", f"{NOTES}thresholds: {{recall@3: 1}}\n")
    result = run(notes, "--reruns=1", "-k", "recall-at-3")
    result.stdout.fnmatch_lines(["*1 passed*1 rerun*"])


SLOW = """\
import time
import pytest

@pytest.fixture
def retriever():
    return lambda query: ["a"] if query == "q1" else time.sleep(30)
"""


def test_a_timeout_of_a_test_is_an_error_of_the_query_that_hung(notes: Project) -> None:
    notes.write("conftest.py", SLOW)
    result = run(notes, "--timeout=1", "-k", "mrr")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["mrr has no value: 1 of 2 cases raised, first two: Failed: Timeout (>1.0s) *"])


def test_coverage_of_a_search_is_measured(notes: Project) -> None:
    notes.write("search.py", "def search(query):\n    return ['a']\n")
    notes.write("conftest.py", "import pytest, search\n@pytest.fixture\ndef retriever(): return search.search\n")
    for workers in ([], ["-n2"]):
        result = run(notes, "--cov=search", *workers)
        result.assert_outcomes(passed=2)
        result.stdout.re_match_lines([r"search\.py +2 +0 +100%"])


@pytest.mark.parametrize("arguments", [["--instafail"], ["--force-sugar"], ["-n2", "--force-sugar", "--instafail"]])
def test_a_failure_reads_the_same(notes: Project, arguments: list[str]) -> None:
    notes.write("notes.eval.yaml", MISSED)
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(run(notes, *arguments).stdout))
    assert "mrr 0.750, needs 1.000 (notes.eval.yaml:11)\n  2 cases\n  missed  two  b: rank 2\n" in text
    assert "Traceback" not in text
    assert len(re.findall("=+ eval =+", text)) == 1


@pytest.mark.parametrize(("name", "claimed"), [("test_notes.eval.yaml", True), ("notes_test.eval.yaml", False)])
def test_a_suite_named_like_a_test_is_claimed_by_mypy_plugins(notes: Project, name: str, claimed: bool) -> None:  # noqa: FBT001 - a column
    (notes.path / "notes.eval.yaml").rename(notes.path / name)
    result = run(notes)
    assert ("TypeError: Test file has to be YAML list" in str(result.stdout)) is claimed
    run(notes, "-p", "no:pytest-mypy-plugins").assert_outcomes(passed=2)
