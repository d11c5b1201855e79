"""Workers that crash, tests that run again, runs that stop: what finished has the numbers of a serial run."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

pytestmark = pytest.mark.thorough

DISTS = ["load", "loadfile", "loadscope", "loadgroup", "worksteal", "each", "no"]

RANKINGS = {"old": '{"q1": ["a"], "q2": ["b"]}', "new": '{"q1": ["b", "a"], "q2": ["c", "d", "b"]}'}

# Whether and how the suite b goes wrong is in a file, so that no option has to say it.
CONFTEST = """\
import json, os, time
from pathlib import Path
import pytest

FOLDER = Path(__file__).parent

@pytest.fixture(scope="module")
def retriever(request):
    rankings = json.loads((FOLDER / "rankings.json").read_text())
    fault = (FOLDER / "fault").read_text() if request.path.name == "b.eval.yaml" else ""
    asked = []
    def search(query, k):
        asked.append(query)
        if fault == "crash" or (fault == "crash once" and not (FOLDER / "crashed").exists()):
            (FOLDER / "crashed").touch()
            time.sleep(1)  # till xdist sends this worker no more: it can't bear to find it gone just then
            os._exit(1)
        # The first attempt to evaluate asks two queries; it fails in one worker, or where there is none.
        first = len(asked) <= 2 and os.environ.get("PYTEST_XDIST_WORKER") != "gw0"
        if fault == "first" and first:
            raise ConnectionError("not yet")
        return ["d"] if fault == "miss" else rankings[query]
    return search

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group(item.path.name))
"""


def entries(project: Project) -> dict[str, Any]:
    """Suite → what is recorded of it."""
    suites: dict[str, Any] = json.loads(project.baseline())["suites"]
    return suites


@pytest.fixture
def several(project: Project) -> Project:
    """Three suites, recorded with the old rankings, beside one that no run meets any more; now come the new ones."""
    for name in ("a", "b", "c", "gone"):
        project.write(f"{name}.eval.yaml", NOTES + "thresholds: {mrr: 0.1}\n")
    project.write("conftest.py", CONFTEST)
    project.write("fault", "")
    project.write("rankings.json", RANKINGS["old"])
    project.run(BASELINE, "--eval-update").assert_outcomes(passed=8)
    (project.path / "gone.eval.yaml").unlink()
    project.write("rankings.json", RANKINGS["new"])
    return project


@pytest.fixture
def serial(several: Project) -> dict[str, Any]:
    """What a serial run over sound suites records; the baseline is the old one again."""
    before = several.baseline()
    several.run(BASELINE, "--eval-update").assert_outcomes(passed=6)
    after = entries(several)
    several.write("baseline.json", before)
    assert all(after[suite] != old for suite, old in entries(several).items() if suite != "gone.eval.yaml")
    return after


def spread(project: Project, dist: str, *arguments: str) -> pytest.RunResult:
    # With workers xdist takes `no` for `load`.
    workers = "-n0" if dist == "no" else "-n2"
    return project.run(BASELINE, "--eval-update", workers, f"--dist={dist}", *arguments, own_process=True)


# Without workers a crash ends the run itself. In the modes that keep a scope together xdist 3.8 can wait for ever once
# a worker has crashed, whatever the tests are.
@pytest.mark.parametrize("dist", ["load", "worksteal", "each"])
def test_a_suite_whose_retriever_crashes_one_worker(dist: str, several: Project, serial: dict[str, Any]) -> None:
    several.write("fault", "crash once")
    result = spread(several, dist)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["worker 'gw?' crashed while running 'b.eval.yaml::*'"])
    # Another worker evaluated it for the other item.
    assert entries(several) == serial


def test_a_suite_whose_retriever_crashes_every_worker(several: Project, serial: dict[str, Any]) -> None:
    before = entries(several)
    several.write("fault", "crash")
    result = spread(several, "load", "--eval-report=now.json")
    result.assert_outcomes(passed=4, failed=2)
    assert entries(several) == {**serial, "b.eval.yaml": before["b.eval.yaml"]}
    crash = "worker 'gw?' crashed while running 'b.eval.yaml::*'"
    result.stdout.fnmatch_lines([f"not recorded: b.eval.yaml (retriever): {crash}"])
    report = json.loads((several.path / "now.json").read_text(encoding="utf-8"))
    problems = {each["suite"]: each["problem"] for each in report["evaluations"]}
    assert [*problems] == ["a.eval.yaml", "b.eval.yaml", "c.eval.yaml"]
    assert problems["a.eval.yaml"] is problems["c.eval.yaml"] is None
    assert fnmatch(problems["b.eval.yaml"], crash)


CRASHING = """\
import os, time, pytest

@pytest.fixture
def crashing():
    def search(query):
        time.sleep(1)  # as above
        os._exit(1)
    return search
"""


def test_a_suite_that_crashed_is_told_by_the_name_of_its_own_fixture(project: Project) -> None:
    project.write("b.eval.yaml", NOTES.replace("[recall@3, mrr]", "[mrr]") + "retriever: crashing\n")
    project.write("conftest.py", CRASHING)
    result = project.run(BASELINE, "--eval-update", "-n1", own_process=True)
    result.stdout.fnmatch_lines(["not recorded: b.eval.yaml (crashing): worker 'gw?' crashed while running *"])


@pytest.mark.parametrize("dist", DISTS)
def test_a_suite_whose_retriever_fails_at_first_and_is_run_again(
    dist: str, several: Project, serial: dict[str, Any], require: Require
) -> None:
    require.library("pytest_rerunfailures")
    several.write("fault", "first")
    result = spread(several, dist, "--reruns=2")
    assert result.ret == pytest.ExitCode.OK
    assert entries(several) == serial


@pytest.mark.parametrize("dist", DISTS)
def test_a_run_that_stops_at_the_first_failure(dist: str, several: Project, serial: dict[str, Any]) -> None:
    before = entries(several)
    several.write("fault", "miss")
    result = spread(several, dist, "-x")
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    after = entries(several)
    assert after["b.eval.yaml"]["systems"]["retriever"]["metrics"]["mrr"]["value"] == 0
    # Whichever of the others finished before is recorded whole, and what did not is as before.
    for suite in ("a.eval.yaml", "c.eval.yaml", "gone.eval.yaml"):
        assert after[suite] in (before[suite], serial[suite])
    assert set(after) == set(before)
