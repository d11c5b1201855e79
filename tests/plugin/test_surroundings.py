"""Runs without what most machines have: a network, a locale, a home, a disk that can be written; and hostile paths."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall import read_report
from pytest_recall.baseline import read_baseline
from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

ALL_KINDS = [f"--eval-report=now.{kind}" for kind in ("html", "json", "jsonl", "md", "toml", "yaml")]
# Its server listens for the workers.
ALONE = ["-p", "no:rerunfailures"]
PROGRAM = Path(sys.executable).with_name("pytest-recall")

# Python runs it first in every process, workers among them. Event loops have sockets of their own, which lead nowhere.
NO_SOCKETS = """\
import socket
import sys

def refuse(event, arguments):
    if event == "socket.getaddrinfo" or event == "socket.__new__" and arguments[1] != getattr(socket, "AF_UNIX", None):
        raise OSError(f"refused: {event}")

sys.addaudithook(refuse)
"""

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


@pytest.fixture
def offline(notes: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, where no process can make a socket."""
    notes.write("early/sitecustomize.py", NO_SOCKETS)
    monkeypatch.setenv("PYTHONPATH", str(notes.path / "early"), prepend=os.pathsep)
    return notes


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_nothing_needs_a_network(offline: Project, require: Require, workers: list[str]) -> None:
    require.library("jinja2")
    recorded = offline.run(*ALONE, BASELINE, "--eval-update", *ALL_KINDS, *workers, own_process=True)
    recorded.assert_outcomes(passed=2)
    compared = offline.run(*ALONE, BASELINE, "--junitxml=junit.xml", *workers, own_process=True)
    assert (recorded.ret, compared.ret) == (0, 0)
    checked = subprocess.run([PROGRAM, "check", "."], capture_output=True, check=False, cwd=offline.path, timeout=60)
    assert (checked.returncode, checked.stderr) == (0, b"")


def test_a_retriever_that_needs_a_network_shows_that_there_is_none(offline: Project) -> None:
    offline.write(
        "conftest.py",
        "import pytest, socket\n"
        "@pytest.fixture\n"
        "def retriever():\n"
        "    return lambda query: socket.create_connection(('127.0.0.1', 9))\n",
    )
    result = offline.run(*ALONE, own_process=True)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*OSError: refused: socket.getaddrinfo"])


ODD = """\
metrics: [mrr]
thresholds: {mrr: 1}
cases:
  - {id: "wie spät? 😀", query: wie spät?, relevant: [ü], tags: [日本]}
  - {query: and now?, relevant: [ø]}
"""


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "HOME": "/nowhere", "USERPROFILE": "/nowhere"},
    ],
    ids=["no home", "no UTF-8 and a home that is not there"],
)
def test_a_run_needs_no_locale_and_no_home(
    project: Project, require: Require, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    require.library("jinja2")
    project.write("odd.eval.yaml", ODD)
    project.rankings({"wie spät?": ["a", "ü"], "and now?": ["ø"]})
    reports = [*ALL_KINDS, BASELINE, "--eval-update"]
    project.run(*reports, own_process=True)
    names = ["baseline.json", *(argument.partition("=")[2] for argument in ALL_KINDS)]
    usual = {name: (project.path / name).read_text(encoding="utf-8") for name in names}
    for name in names:
        (project.path / name).unlink()

    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = project.run(*reports, own_process=True)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["mrr 0.750, needs 1.000 *", "recorded in baseline.json: 1 added"])
    assert project.baseline() == usual["baseline.json"]
    assert (project.path / "now.md").read_text(encoding="utf-8") == usual["now.md"]
    (evaluation,) = read_report(project.path / "now.yaml")
    assert [case.id for case in evaluation.cases] == ["wie spät? 😀", "and now?"]


# Root may write anywhere, so the refusal is played.
READ_ONLY = """\
import errno, pathlib

opened = pathlib.Path.open

def refuse(path, mode="r", *others, **named):
    if set(mode) & set("wxa+"):
        raise OSError(errno.EROFS, "Read-only file system")
    return opened(path, mode, *others, **named)

pathlib.Path.open = refuse
"""


def test_a_file_system_that_can_not_be_written_is_told_at_the_end(notes: Project) -> None:
    notes.run(BASELINE, "--eval-update")
    notes.write("read_only.py", READ_ONLY)
    before = notes.baseline()
    assert notes.run("-p", "read_only", BASELINE, own_process=True).ret == pytest.ExitCode.OK

    notes.write("notes.eval.yaml", NOTES.replace("k: 3", "k: 4"))
    result = notes.run("-p", "read_only", BASELINE, "--eval-update", "--eval-report=now.json", own_process=True)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*baseline.json: the file can't be written: read-only file system",
            "--eval-report: *now.json: the file can't be written: read-only file system",
        ]
    )
    assert notes.baseline() == before
    assert not (notes.path / "now.json").exists()


@needs_links
def test_what_is_no_function_fails_beside_a_suite_and_is_none_of_it(notes: Project) -> None:
    notes.write("test_guide.txt", ">>> 1 + 1\n3\n")
    result = notes.run(f"--eval-report={notes.path / 'now.json'}", "--doctest-glob=*.txt")
    result.assert_outcomes(passed=2, failed=1)
    (evaluation,) = read_report(notes.path / "now.json")
    assert (evaluation.suite, evaluation.problem) == ("notes.eval.yaml", None)


def test_a_report_never_takes_the_place_of_a_device(notes: Project) -> None:
    (notes.path / "now.json").symlink_to(os.devnull)
    result = notes.run("--eval-report=now.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    path = notes.path / "now.json"
    assert result.errlines[0] == f"ERROR: --eval-report: {path}: a report is a file, and this is a pipe or a device"
    assert Path(os.devnull).is_char_device()


@needs_links
@pytest.mark.parametrize("update", [[], ["--eval-update"]])
def test_a_baseline_is_never_a_device(notes: Project, update: list[str]) -> None:
    (notes.path / "baseline.json").symlink_to("/dev/zero")
    result = notes.run(BASELINE, *update)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    path = notes.path / "baseline.json"
    assert result.errlines[0] == f"ERROR: {path}: a baseline is a file, and this is a device"
    assert Path("/dev/zero").is_char_device()


@needs_links
def test_a_baseline_may_come_from_a_pipe(notes: Project) -> None:
    notes.run(BASELINE, "--eval-update")
    recorded = (notes.path / "baseline.json").read_bytes()
    reading, writing = os.pipe()
    try:
        os.write(writing, recorded)
        os.close(writing)
        assert read_baseline(f"/dev/fd/{reading}") == read_baseline(notes.path / "baseline.json")
    finally:
        os.close(reading)


@needs_links
def test_control_characters_in_the_name_of_a_suite_are_shown_escaped(notes: Project) -> None:
    notes.write("red\x1b[31m.eval.yaml", "thresholds: {mrr: 1}\ncases: [{query: q1, relevant: [b]}]\n")
    notes.write("no\x1b[31m.eval.yaml", "metrics: [mr]\ncases: [{query: q1, relevant: [b]}]\n")
    result = notes.run("--continue-on-collection-errors", "-r", "N")
    result.stdout.fnmatch_lines(
        [
            r"no\x1b[[]31m.eval.yaml:1:11: metrics: unknown metric 'mr' (did you mean 'mrr'?)",
            r"mrr 0.500, needs 1.000 (red\x1b[[]31m.eval.yaml:1)",
            r"red\x1b[[]31m.eval.yaml  retriever  1 case",
        ]
    )


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--eval-retriever=\x1b[31m", r"--eval-retriever: '\x1b[31m' is no name of a fixture"),
        ("--eval-baseline=\x1b[31m", r"\x1b[31m: no such baseline; record it: "),
        ("--eval-max-drop=\x1b[31m=1", r"--eval-max-drop: unknown metric '\x1b[31m'"),
        ("--eval-alpha=\x1b[31m", r"--eval-alpha: "),
        ("--eval-timeout=\x1b[31m", r"--eval-timeout: must be a number of seconds above 0, got '\x1b[31m'"),
        ("--eval-report=\x1b[31m", r"--eval-report: "),
        ("--eval-report=\x1b[31m/now.json", r"--eval-report: "),
        ("--override-ini=eval_baseline=\x1b[31m/\x1b[31m.json --eval-update", r"\x1b[31m/\x1b[31m.json: the folder "),
    ],
)
def test_control_characters_in_options_are_shown_escaped(notes: Project, option: str, told: str) -> None:
    result = notes.run(*option.split(" "))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0].startswith(f"ERROR: {told}")
    assert r"\x1b[31m" in result.errlines[0]
    assert "\x1b" not in "\n".join(result.errlines)


@needs_links
def test_control_characters_in_the_name_of_a_baseline_are_shown_escaped(notes: Project) -> None:
    result = notes.run("--eval-baseline=\x1b[31m.json", "--eval-update")
    assert r"recorded in \x1b[31m.json: 1 added" in result.outlines
