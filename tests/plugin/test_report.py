"""Reports as files: ``--eval-report``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from pytest_recall import Evaluation, read_report
from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

NO_SUITE = "def test_nothing(): pass"


def written(project: Project, name: str = "now.json") -> str:
    return (project.path / name).read_text(encoding="utf-8")


def record_of(project: Project, name: str = "now.json") -> dict[str, Any]:
    record: dict[str, Any] = json.loads(written(project, name))
    return record


def test_a_report_holds_what_was_judged(notes: Project) -> None:
    notes.write("notes.eval.yaml", NOTES + "thresholds: {mrr: 0.9, 'mrr:untagged': 0.1}\neach: {hit_rate@1: 1}\n")
    notes.rankings({"q1": ["a", "b"], "q2": ["a", "b"]})
    result = notes.run("--eval-report=now.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (evaluation,) = record_of(notes)["evaluations"]
    assert (evaluation["suite"], evaluation["system"], evaluation["settings"]["k"]) == (
        "notes.eval.yaml",
        "retriever",
        3,
    )
    assert [(case["id"], case["query"], case["ranking"], case["line"]) for case in evaluation["cases"]] == [
        ("one", "q1", ["a", "b"], 9),
        ("two", "q2", ["a", "b"], 10),
    ]
    assert [(gate["metric"], gate["tag"], gate["case"], gate["verdict"]) for gate in evaluation["gates"]] == [
        ("hit_rate@1", None, "one", "passed"),
        ("hit_rate@1", None, "two", "failed"),
        ("recall@3", None, None, "no gate"),
        ("mrr", None, None, "failed"),
        ("mrr", "untagged", None, "passed"),
    ]
    failed = evaluation["gates"][3]
    assert failed["bounds"] == {
        "min": 0.9,
        "max": None,
        "max_drop": None,
        "max_rise": None,
        "alpha": None,
        "line": 11,
    }
    assert failed["reason"] == "mrr 0.750, needs 0.900 (notes.eval.yaml:11)"


def test_a_report_says_what_changed_since_the_baseline(notes: Project) -> None:
    notes.run(BASELINE, "--eval-update")
    notes.rankings({"q1": ["b", "a"], "q2": ["b", "a"]})
    notes.run(BASELINE, "--eval-report=now.json", "--eval-report=now.md")
    gate = record_of(notes)["evaluations"][0]["gates"][1]
    assert (gate["metric"], gate["value"], gate["baseline"], gate["change"], gate["verdict"]) == (
        "mrr",
        0.75,
        1.0,
        -0.25,
        "failed",
    )
    assert written(notes, "now.md") == (
        """\
## eval failed

1 suite, 1 gate passed, 1 failed

### `notes.eval.yaml` `retriever`, 2 cases

| metric | value | baseline | change | bound | verdict |
|:--|--:|--:|--:|:--|:--|
| `recall@3` | 1.000 | 1.000 | = |  | passed |
| `mrr` | 0.750 | 1.000 | -0.250 |  | **failed** |

```text
mrr 0.750, baseline 1.000, dropped 0.250 (1 of 2 cases differs, too few to decide)

lost    one  a: rank 1 -> 2
```
"""
    )


def test_several_reports_of_one_run_and_each_kind_once(notes: Project) -> None:
    names = ["now.json", "now.jsonl", "now.yaml", "now.toml", "now.md"]
    notes.run(*(f"--eval-report={name}" for name in names), "--eval-report=now.json").assert_outcomes(passed=2)
    whole = Evaluation.read(notes.path / "now.json")
    assert Evaluation.read(notes.path / "now.yaml") == Evaluation.read(notes.path / "now.toml") == whole
    assert whole["mrr"] == 1.0
    assert len(written(notes, "now.jsonl").splitlines()) == 2


DOWN = """\
import pytest

@pytest.fixture
def retriever(request):
    if request.path.name == "down.eval.yaml":
        raise ConnectionError("index down")
    return lambda query, k: ["a", "b"]
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "workers"])
def test_what_was_never_judged_has_failed_in_every_report(notes: Project, require: Require, workers: list[str]) -> None:
    if workers:
        require.library("xdist")
    notes.write("conftest.py", DOWN)
    notes.write("down.eval.yaml", NOTES + "thresholds: {mrr: 0.5}\n")
    notes.write("wrong.eval.yaml", NOTES.replace("mrr", "mmr"))
    notes.write("test_marked.py", "import pytest\n\n@pytest.mark.recall\ndef test_it(recall):\n    assert 1 > 2\n")
    options = ["--continue-on-collection-errors", "--eval-report=now.json", "--eval-report=now.md"]
    assert notes.run(*options, *workers, own_process=True).ret != pytest.ExitCode.OK
    told = {each["suite"]: (each["problem"], len(each["gates"])) for each in record_of(notes)["evaluations"]}
    assert told == {
        "notes.eval.yaml": (None, 2),
        "down.eval.yaml": ("ConnectionError: index down", 2),
        "wrong.eval.yaml": ("wrong.eval.yaml:2:21: metrics: unknown metric 'mmr' (did you mean 'mrr'?)", 0),
        "test_marked.py::test_it": ("assert 1 > 2", 0),
    }
    summary = written(notes, "now.md")
    assert summary.startswith(
        "## eval failed\n\n4 suites, 0 gates passed, 2 failed, 2 values without a gate, 2 not evaluated\n"
    )
    assert "ConnectionError: index down" in summary


def test_what_is_judged_when_it_is_run_again_has_not_failed(notes: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    notes.write("conftest.py", DOWN.replace('request.path.name == "down.eval.yaml"', "not came()") + CAME)
    notes.run("--reruns=1", "--eval-report=now.md").assert_outcomes(passed=2)
    assert written(notes, "now.md").startswith("## eval passed")


CAME = """
came = iter([False, True, True]).__next__
"""


@pytest.mark.parametrize("dist", ["load", "loadfile", "each"])
def test_workers_change_nothing_but_latencies(notes: Project, dist: str) -> None:
    notes.write("more.eval.yaml", NOTES + "each: {hit_rate@1: 1}\n")
    notes.run("--eval-report=serial.json")
    notes.run("--eval-report=spread.json", "-n2", f"--dist={dist}", own_process=True)

    def steady(name: str) -> dict[str, Any]:
        record = record_of(notes, name)
        for evaluation in record["evaluations"]:
            for case in evaluation["cases"]:
                del case["latency_ms"]
        return record

    assert len(steady("serial.json")["evaluations"]) == 2
    assert steady("spread.json") == steady("serial.json")


@pytest.mark.parametrize("arguments", [[], ["-n2"], ["-k", "nothing_at_all"]])
def test_a_run_that_evaluates_nothing_writes_an_empty_report(project: Project, arguments: list[str]) -> None:
    project.write("test_nothing.py", NO_SUITE)
    project.run("--eval-report=now.json", "--eval-report=now.md", *arguments, own_process=True)
    assert record_of(project) == {"format": 1, "evaluations": []}
    assert written(project, "now.md") == "## eval: nothing was evaluated\n"


def test_a_run_that_only_collects_writes_none(notes: Project) -> None:
    notes.run("--eval-report=now.json", "--collect-only")
    assert not (notes.path / "now.json").exists()


def test_paths_are_relative_to_where_pytest_was_called(notes: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (notes.path / "sub").mkdir()
    notes.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(notes.path / "sub")
    notes.run("--eval-report=now.json", "..").assert_outcomes(passed=2)
    assert record_of(notes, "sub/now.json")["evaluations"][0]["suite"] == "notes.eval.yaml"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (
            "now.txt",
            "{path}: a report is named .html, .json, .jsonl, .md, .toml, .yaml or .yml, and this ends with .txt",
        ),
        ("now", "{path}: a report is named .html, .json, .jsonl, .md, .toml, .yaml or .yml, and this has no suffix"),
        ("no/now.json", "{path}: there is no folder '{folder}'; make it first"),
        ("folder.json", "{path}: a report is a file, and this is a directory"),
        ("notes.eval.json", "{path}: a report would take the place of a suite; name it otherwise"),
        ("corpus.jsonl", "{path}: a report would take the place of a file that is no .jsonl report; name it otherwise"),
        ("guide.md", "{path}: a report would take the place of a file that is no .md report; name it otherwise"),
        ("sub/../baseline.json", "{path}: a report would take the place of the baseline; name it otherwise"),
        ("", "is empty: give a path, or leave the option out"),
    ],
)
def test_what_can_not_be_written_stops_the_run_before_it_begins(notes: Project, path: str, sentence: str) -> None:
    (notes.path / "folder.json").mkdir()
    (notes.path / "sub").mkdir()
    notes.write("corpus.jsonl", '{"id": "m1", "text": "The lease ends on 31 May."}\n')
    notes.write("guide.md", "## eval passed\n\nWhat to do then.\n")
    notes.run(BASELINE, "--eval-update")
    result = notes.run(f"--eval-report={path}", BASELINE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    separator = ": " if path else " "
    expected = sentence.format(path=notes.path / path, folder=notes.path / "no")
    assert result.errlines[0] == f"ERROR: --eval-report{separator}{expected}"


def test_a_report_never_takes_the_place_of_a_baseline_to_come(notes: Project) -> None:
    result = notes.run(BASELINE, "--eval-update", "--eval-report=baseline.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == (
        f"ERROR: --eval-report: {notes.path / 'baseline.json'}: a report would take the place of the baseline; "
        "name it otherwise"
    )


def test_a_report_never_takes_the_place_of_a_suite_of_another_name(notes: Project) -> None:
    result = notes.run("-o", "eval_files=*.gates.json", "--eval-report=notes.gates.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    path = notes.path / "notes.gates.json"
    told = f"{path}: a report would take the place of a suite; name it otherwise"
    assert result.errlines == [f"ERROR: --eval-report: {told}", ""]
    assert not path.exists()


@pytest.mark.parametrize("arguments", [["sub/../now.json"], ["./now.json", "link.md"], ["sub/now.json"]])
def test_two_reports_of_one_target_stop_the_run_before_it_begins(notes: Project, arguments: list[str]) -> None:
    (notes.path / "sub").mkdir()
    for link in ("sub/now.json", "link.md"):
        (notes.path / link).symlink_to(notes.path / "now.json")
    result = notes.run(*(f"--eval-report={name}" for name in ("now.json", *arguments)))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    path, now = notes.path / arguments[-1], notes.path / "now.json"
    told = f"{path}: a report would take the place of {now}; name it otherwise"
    assert result.errlines == [f"ERROR: --eval-report: {told}", ""]
    assert not now.exists()


def test_a_report_is_not_written_where_the_junit_file_goes(notes: Project) -> None:
    result = notes.run("--eval-report=now.html", "--junitxml=./now.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = f"{notes.path / 'now.html'}: a report would take the place of the JUnit file; name it otherwise"
    assert result.errlines == [f"ERROR: --eval-report: {told}", ""]


def test_what_can_not_be_written_starts_no_worker(notes: Project) -> None:
    result = notes.run("--eval-report=now.txt", "-n2", own_process=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0].startswith("ERROR: --eval-report: ")


@pytest.mark.parametrize(("extra", "module"), [("toml", "tomli_w"), ("html", "jinja2")])
def test_a_missing_extra_stops_the_run_with_the_command(notes: Project, extra: str, module: str) -> None:
    notes.write("hide.py", f"import sys\nsys.modules[{module!r}] = None\n")
    result = notes.run("-p", "hide", f"--eval-report=now.{extra}", own_process=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == (
        f"ERROR: --eval-report: .{extra} reports need what is not installed: pip install 'pytest-recall[{extra}]'"
    )


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_page_is_written(notes: Project, require: Require, workers: list[str]) -> None:
    require.library("jinja2")
    notes.run(BASELINE, "--eval-update")
    notes.rankings({"q1": ["b", "a"], "q2": ["b", "a"]})
    notes.run(BASELINE, "--eval-report=now.html", *workers, own_process=True)
    page = written(notes, "now.html")
    assert "<h1>✗ Failed</h1>" in page
    assert "mrr 0.750, baseline 1.000, dropped 0.250 (1 of 2 cases differs, too few to decide)" in page


SPOILS = """
import os
def pytest_runtest_setup(item):
    os.makedirs("now.json", exist_ok=True)
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_report_that_can_not_be_written_fails_the_run_at_its_end(notes: Project, workers: list[str]) -> None:
    with (notes.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(SPOILS)
    result = notes.run(
        "--eval-report=now.json",
        "--eval-report=other.json",
        BASELINE,
        "--eval-update",
        *workers,
        own_process=True,
    )
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "recorded in baseline.json: 1 added",
            "--eval-report: *now.json: a report is a file, and this is a directory",
        ]
    )
    assert read_report(notes.path / "other.json")
    assert notes.baseline()


def test_a_step_summary_of_github_is_appended_to(notes: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    path = notes.write("step_summary_1cb22d7f", "# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    for _ in range(2):
        notes.run("--eval-report=step_summary_1cb22d7f").assert_outcomes(passed=2)
    before, *summaries = written(notes, path.name).split("## eval passed\n")
    assert before == "# Before\n\n"
    assert len(summaries) == 2
    assert summaries[0] == f"{summaries[1]}\n"


def test_junit_files_carry_the_scores(notes: Project) -> None:
    notes.run("--junitxml=junit.xml", "-n2", own_process=True).assert_outcomes(passed=2)
    found = ET.parse(notes.path / "junit.xml").iterfind(".//testcase/properties/property")  # noqa: S314 - our own
    assert sorted((each.get("name"), each.get("value")) for each in found) == [
        ("eval.mrr", "1.0"),
        ("eval.recall@3", "1.0"),
    ]


EVALUATED = """
def pytest_recall_evaluated(evaluation, verdicts, config):
    with open(config.rootpath / "told.txt", "a") as file:
        print(evaluation.suite, evaluation.system, evaluation["mrr"], len(verdicts), file=file)
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_the_hook_hears_of_each_suite_once(notes: Project, workers: list[str]) -> None:
    notes.write("more.eval.yaml", NOTES + "each: {hit_rate@1: 1}\n")
    with (notes.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(EVALUATED)
    notes.run(*workers, own_process=True).assert_outcomes(passed=6)
    assert written(notes, "told.txt").splitlines() == [
        "more.eval.yaml retriever 1.0 4",
        "notes.eval.yaml retriever 1.0 2",
    ]


def test_what_the_hook_raises_fails_the_run_when_all_else_is_done(notes: Project) -> None:
    with (notes.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write("\ndef pytest_recall_evaluated(evaluation):\n    raise OSError('no connection')\n")
    result = notes.run("--eval-report=now.json")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["hook pytest_recall_evaluated raised OSError: no connection (conftest.py:11)"])
    assert read_report(notes.path / "now.json")


@pytest.mark.parametrize(
    ("raising", "told"),
    [
        ("pytest.skip('no tracker')", "Skipped: no tracker (conftest.py:12)"),
        ("pytest.fail('no tracker')", "Failed: no tracker (conftest.py:12)"),
        ("raise SystemExit(3)", "SystemExit: 3 (conftest.py:12)"),
    ],
)
def test_whatever_the_hook_raises_the_other_suites_are_told(notes: Project, raising: str, told: str) -> None:
    notes.write("more.eval.yaml", NOTES)
    hook = f"""
def pytest_recall_evaluated(evaluation):
    if evaluation.suite == "more.eval.yaml": {raising}
    print("heard of", evaluation.suite)
"""
    with (notes.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(hook.replace(": ", ":\n        ", 1))
    result = notes.run("-s", "--junitxml=junit.xml")
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*heard of notes.eval.yaml", f"hook pytest_recall_evaluated raised {told}"])
    assert (notes.path / "junit.xml").exists()


@pytest.mark.parametrize(("code", "status"), [("", pytest.ExitCode.INTERRUPTED), (", returncode=7", 7)])
def test_the_hook_may_exit(notes: Project, code: str, status: int) -> None:
    with (notes.path / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(f"\ndef pytest_recall_evaluated():\n    pytest.exit('tracker is full'{code})\n")
    result = notes.run("--junitxml=junit.xml")
    result.assert_outcomes(passed=2)
    assert result.ret == status
    result.stdout.fnmatch_lines(["hook pytest_recall_evaluated called pytest.exit: tracker is full"])
    assert (notes.path / "junit.xml").exists()


def test_hook_that_only_workers_know_is_noted(notes: Project) -> None:
    notes.write("inner/notes.eval.yaml", NOTES)
    notes.write("inner/conftest.py", EVALUATED)
    note = (
        "note: hook pytest_recall_evaluated of inner?conftest.py is not called under pytest-xdist; "
        "move it to the root conftest"
    )
    result = notes.run("-n2", own_process=True)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines([note])
    assert not (notes.path / "told.txt").exists()
    notes.run(own_process=True).stdout.no_fnmatch_line(note)
    assert written(notes, "told.txt")
