"""The number of workers changes no number and no byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project


@pytest.fixture
def several(project: Project) -> Project:
    """Three suites with case items; in one of them a case is answered at rank 2."""
    for name in ("a", "b", "c"):
        project.write(f"{name}.eval.yaml", NOTES + "each: {hit_rate@3: 1}\n")
    project.rankings({"q1": ["a", "b"], "q2": ["a", "b"]})
    return project


def rows(result: pytest.RunResult) -> list[str]:
    """The summary's lines."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if line.strip("= ") == "eval")
    return lines[start + 1 : -1]


@pytest.mark.parametrize("dist", ["load", "loadfile", "loadscope", "loadgroup", "worksteal"])
def test_every_way_to_distribute_gives_the_serial_numbers_and_bytes(several: Project, dist: str) -> None:
    serial = several.run(BASELINE, "--eval-update")
    bytes_before = several.baseline()
    (several.path / "baseline.json").unlink()
    spread = several.run(BASELINE, "--eval-update", "-n2", f"--dist={dist}", own_process=True)
    spread.assert_outcomes(passed=12)
    assert several.baseline() == bytes_before
    assert rows(spread) == rows(serial)


@pytest.mark.parametrize("arguments", [["-p", "no:cacheprovider"], ["-k", "mrr"], ["-x"], ["-n2", "-k", "recall-at-3"]])
def test_a_part_of_the_run_gives_the_same_numbers(several: Project, arguments: list[str]) -> None:
    whole = set(rows(several.run()))
    part = set(rows(several.run(*arguments, own_process=True)))
    assert part <= whole


def test_gates_are_judged_by_the_baseline_in_workers_too(several: Project) -> None:
    several.run(BASELINE, "--eval-update")
    several.rankings({"q1": ["a"], "q2": ["a"]})
    result = several.run(BASELINE, "-n2", own_process=True)
    result.assert_outcomes(passed=3, failed=9)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_worker_that_dies_loses_only_its_own_item(several: Project) -> None:
    several.write(
        "conftest.py",
        """\
import os
import pytest

@pytest.fixture
def retriever(request):
    if request.node.nodeid == "b.eval.yaml::mrr":
        os._exit(1)
    return lambda query, k: ["a", "b"]
""",
    )
    result = several.run(BASELINE, "--eval-update", "-n2", own_process=True)
    result.assert_outcomes(passed=11, failed=1)
    result.stdout.fnmatch_lines(["*recorded in baseline.json: 3 added"])


def test_workers_that_disagree_are_told_and_not_recorded(project: Project) -> None:
    project.write("notes.eval.yaml", NOTES + "each: {hit_rate@3: 0}\n")
    project.write(
        "conftest.py",
        "import os, pytest\n@pytest.fixture\ndef retriever():\n"
        "    other = os.environ['PYTEST_XDIST_WORKER'] == 'gw1'\n"
        "    return lambda query, k: ['b', 'a'] if other else ['a', 'b']\n",
    )
    result = project.run(BASELINE, "--eval-update", "-n2", "--dist=each", own_process=True)
    result.stdout.fnmatch_lines(["not recorded: notes.eval.yaml (retriever): two workers got different results"])
    assert not (project.path / "baseline.json").exists()


def test_a_second_attempt_evaluates_again(notes: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    notes.write(
        "conftest.py",
        """\
import pytest

ATTEMPTS = []

@pytest.fixture
def retriever():
    def search(query, k):
        ATTEMPTS.append(query)
        return ["a", "b"] if len(ATTEMPTS) > 4 else ["c", "d", "e"]
    return search
""",
    )
    notes.write("notes.eval.yaml", NOTES + "thresholds: {mrr: 0.5}\n")
    result = notes.run("--reruns=3", "-k", "mrr")
    result.stdout.fnmatch_lines(["  mrr                              0.750*>= 0.5  passed"])
