"""A baseline over the life of a project: suites move, runs stop half-way, disks fill up, systems are skipped."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project

UPDATE = (BASELINE, "--eval-update")


@pytest.fixture
def recorded(notes: Project) -> Project:
    """Both cases answered at rank 1, and recorded."""
    assert notes.run(*UPDATE).ret == pytest.ExitCode.OK
    return notes


def suites(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.baseline())["suites"]
    return found


def systems(project: Project) -> dict[str, list[str]]:
    return {suite: list(entry["systems"]) for suite, entry in suites(project).items()}


def test_a_suite_that_moved_has_no_entry_and_its_old_one_is_listed(recorded: Project) -> None:
    (recorded.path / "search").mkdir()
    (recorded.path / "notes.eval.yaml").rename(recorded.path / "search" / "notes.eval.yaml")
    result = recorded.run(BASELINE)
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr")[0] == (
        "mrr 1.000, no entry in baseline.json; "
        "add it: pytest search/notes.eval.yaml --eval-baseline=baseline.json --eval-update-new"
    )
    result.stdout.fnmatch_lines(["note: in baseline.json, but not in this run: notes.eval.yaml (retriever)"])


def test_suites_of_one_name_in_two_folders_have_entries_of_their_own(project: Project) -> None:
    for folder in ("one", "two"):
        project.write(f"{folder}/notes.eval.yaml", NOTES)
        project.write(
            f"{folder}/conftest.py",
            "import pytest\n@pytest.fixture\ndef retriever():\n"
            f"    return {{'q1': ['a'], 'q2': {['b', 'a'] if folder == 'one' else ['a', 'b']}}}.get\n",
        )
    project.run(*UPDATE).assert_outcomes(passed=4)
    values = {
        suite: entry["systems"]["retriever"]["metrics"]["mrr"]["value"] for suite, entry in suites(project).items()
    }
    assert values == {"one/notes.eval.yaml": 1, "two/notes.eval.yaml": 0.75}
    project.run(BASELINE).assert_outcomes(passed=4)


def test_another_policy_is_recorded_by_an_update_and_not_by_one_of_new_entries(recorded: Project) -> None:
    recorded.write("notes.eval.yaml", NOTES + "gain: exponential\n")
    before = recorded.baseline()
    result = recorded.run(BASELINE, "-v")
    result.assert_outcomes(failed=2)
    recorded.run(BASELINE, "--eval-update-new").assert_outcomes(failed=2)
    assert recorded.baseline() == before
    recorded.run(*UPDATE).assert_outcomes(passed=2)
    recorded.run(BASELINE).assert_outcomes(passed=2)


def test_tags_of_what_is_not_comparable_are_not_compared(project: Project) -> None:
    tagged = NOTES.replace("relevant: [a]", "relevant: [a], tags: [hard]")
    project.write("notes.eval.yaml", tagged)
    project.rankings({"q1": ["a"], "q2": ["b"]})
    project.run(*UPDATE)
    project.rankings({"q1": ["b", "a"], "q2": ["b"]})
    project.run(BASELINE, "-v").stdout.fnmatch_lines(["  mrr:hard                         0.500    1.000   -0.500"])
    project.write("notes.eval.yaml", tagged + "gain: exponential\n")
    project.run(BASELINE, "-v").stdout.no_fnmatch_line("*mrr:hard*")


def test_a_value_edited_by_hand_is_not_comparable(recorded: Project) -> None:
    recorded.write("baseline.json", recorded.baseline().replace('"value": 1\n', '"value": 0.5\n', 1))
    recorded.rankings({"q1": ["b", "a"], "q2": ["a", "b"]})
    result = recorded.run(BASELINE)
    result.assert_outcomes(passed=1, failed=1)
    assert failure(result, "mrr")[0] == (
        "mrr 0.500, not comparable with baseline.json: its value there is 0.500, the mean of its cases 1.000; "
        "record it again: pytest notes.eval.yaml --eval-baseline=baseline.json --eval-update"
    )


def test_lines_in_another_order_and_layout_change_nothing(recorded: Project) -> None:
    entry = suites(recorded)["notes.eval.yaml"]["systems"]["retriever"]
    entry["cases"] = dict(reversed(entry["cases"].items()))
    document = {"suites": {"notes.eval.yaml": {"systems": {"retriever": dict(reversed(entry.items()))}}}, "format": 1}
    recorded.write("baseline.json", "\ufeff" + json.dumps(document, indent=4).replace("\n", "\r\n"))
    before = recorded.baseline()
    recorded.run(BASELINE).assert_outcomes(passed=2)
    recorded.run(*UPDATE).assert_outcomes(passed=2)
    assert recorded.baseline() == before


def test_a_linked_baseline_stays_a_link(notes: Project) -> None:
    (notes.path / "stored").mkdir()
    (notes.path / "baseline.json").symlink_to("stored/main.json")
    notes.run(*UPDATE).assert_outcomes(passed=2)
    assert (notes.path / "baseline.json").is_symlink()
    assert list(suites(notes)) == ["notes.eval.yaml"]
    notes.run(BASELINE).assert_outcomes(passed=2)


def test_a_full_disk_fails_the_run_and_leaves_the_old_file(recorded: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = recorded.baseline()
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})
    monkeypatch.setattr(os, "fsync", full)
    result = recorded.run(*UPDATE)
    monkeypatch.undo()
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*baseline.json: the file can't be written: no space left on device"])
    assert recorded.baseline() == before


WRITTEN = ["a.eval.yaml", "b.eval.yaml"]


@pytest.fixture
def two(project: Project) -> Project:
    """Two suites; the retriever waits at the query `stop` until it is interrupted, and says that it does."""
    for name in WRITTEN:
        project.write(name, NOTES)
    project.write(
        "conftest.py",
        """\
import time
from pathlib import Path
import pytest

@pytest.fixture
def retriever():
    def search(query, k):
        if query == "stop":
            Path(__file__).with_name("waiting").touch()
            time.sleep(60)
        return [query.replace("q1", "a").replace("q2", "b")]
    return search
""",
    )
    return project


def start(project: Project, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *arguments]
    return subprocess.Popen(command, cwd=project.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def await_file(path: Path, process: subprocess.Popen[bytes]) -> None:
    while not path.exists():
        assert process.poll() is None, "ended before it was interrupted"
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_an_interrupt_keeps_the_suites_that_finished(two: Project) -> None:
    two.run(*UPDATE)
    before = suites(two)
    two.write("a.eval.yaml", NOTES.replace("relevant: [a]", "relevant: [c]"))
    two.write("b.eval.yaml", NOTES.replace("query: q2", "query: stop"))
    # A process that a shell has put into the background ignores it, and so do those it starts.
    before_tests = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(two, *UPDATE)
    signal.signal(signal.SIGINT, before_tests)
    await_file(two.path / "waiting", process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == pytest.ExitCode.INTERRUPTED
    after = suites(two)
    assert after["a.eval.yaml"]["systems"]["retriever"]["metrics"]["mrr"]["value"] == 0.5
    assert after["b.eval.yaml"] == before["b.eval.yaml"]


def test_runs_that_update_at_once_lose_nothing(two: Project) -> None:
    running = [start(two, name, *UPDATE) for name in WRITTEN]
    assert [process.wait() for process in running] == [0, 0]
    assert list(suites(two)) == WRITTEN


def test_the_tests_that_failed_last_update_their_suites_alone(two: Project) -> None:
    two.run(*UPDATE)
    before = suites(two)
    two.write("a.eval.yaml", NOTES.replace("relevant: [a]", "relevant: [c]") + "thresholds: {mrr: 1}\n")
    two.write("b.eval.yaml", NOTES.replace("relevant: [b]", "relevant: [d]"))
    run = two.pytester.runpytest_inprocess
    run("-p", "no:randomly", "a.eval.yaml").assert_outcomes(passed=1, failed=1)
    run("-p", "no:randomly", "--lf", *UPDATE).assert_outcomes(failed=1)
    after = suites(two)
    assert after["a.eval.yaml"]["systems"]["retriever"]["metrics"]["mrr"]["value"] == 0.5
    assert after["b.eval.yaml"] == before["b.eval.yaml"]


PARAMETRISED = """\
import pytest

@pytest.fixture(params=["new", "old"])
def retriever(request):
    if request.param == "old":
        {old}
    return {{"q1": ["a"], "q2": ["b"]}}.get
"""

DESELECTING = """
def pytest_collection_modifyitems(config, items):
    old = [item for item in items if "old" in item.name]
    items[:] = [item for item in items if item not in old]
    config.hook.pytest_deselected(items=old)
"""


@pytest.mark.parametrize(
    ("conftest", "arguments"),
    [
        pytest.param(PARAMETRISED.format(old="pytest.skip('not here')"), [], id="skipped"),
        pytest.param(PARAMETRISED.format(old="pytest.xfail('broken')"), [], id="expected to fail"),
        pytest.param(PARAMETRISED.format(old="pass") + DESELECTING, [], id="deselected by a plugin"),
        pytest.param(PARAMETRISED.format(old="pass") + DESELECTING, ["-n2"], id="deselected in a worker"),
        pytest.param(PARAMETRISED.format(old="pass"), ["-k", "new"], id="not selected"),
        pytest.param(PARAMETRISED.format(old="pytest.fail('down')"), [], id="failed"),
    ],
)
def test_prune_keeps_a_system_that_is_only_left_out(conftest: str, arguments: list[str], notes: Project) -> None:
    notes.write("conftest.py", PARAMETRISED.format(old="pass"))
    notes.run(*UPDATE).assert_outcomes(passed=4)
    notes.write("conftest.py", conftest)
    notes.run(*UPDATE, "--eval-prune", *arguments, own_process="-n2" in arguments)
    assert systems(notes) == {"notes.eval.yaml": ["retriever[new]", "retriever[old]"]}


def test_prune_drops_what_is_gone_also_while_other_tests_fail(recorded: Project) -> None:
    recorded.write("more.eval.yaml", NOTES + "thresholds: {mrr: 1}\n")
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})
    (recorded.path / "notes.eval.yaml").unlink()
    recorded.run(*UPDATE, "--eval-prune").assert_outcomes(passed=1, failed=1)
    assert systems(recorded) == {"more.eval.yaml": ["retriever"]}


WORST = """
from pytest_recall import Metric

def pytest_recall_metrics(config):
    return [Metric(name="worst_rank", per_case=lambda judged, cutoff: float(max(judged.relevant_ranks, default=9)),
                   takes_cutoff="none", better="lower", maximum=9, aggregate="max")]
"""


def test_an_aggregate_that_is_no_mean_is_compared_while_no_case_changes_and_noted_otherwise(notes: Project) -> None:
    notes.write("notes.eval.yaml", NOTES.replace("[recall@3, mrr]", "[worst_rank]"))
    notes.write("conftest.py", (notes.path / "conftest.py").read_text(encoding="utf-8") + WORST)
    notes.run(*UPDATE).assert_outcomes(passed=1)
    notes.write("rankings.json", json.dumps({"q1": ["b", "a"], "q2": ["b"]}))
    result = notes.run(BASELINE)
    assert failure(result, "worst_rank") == [
        "worst_rank 2.000, baseline 1.000, rose 1.000 (1 of 2 cases differs)",
        "  2 cases",
        "  lost    one  a: rank 1 -> 2",
    ]
    suite = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", suite + "  - {id: three, query: q2, relevant: [b]}\n")
    result = notes.run(BASELINE)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "  worst_rank                       2.000                               no gate",
            "  note: not compared, being no mean over the same cases: worst_rank",
        ]
    )
