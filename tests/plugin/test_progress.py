"""How far a suite is, on a real terminal and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_recall.plugin.progress import progress_text

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

# As if the first query had taken a second, and each a while.
IMPATIENT = """
from pytest_recall.plugin import progress
progress._FIRST_S = progress._EVERY_S = 0
"""

ARGUMENTS = ("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")


@pytest.fixture
def impatient(notes: Project) -> Project:
    path = notes.path / "conftest.py"
    path.write_text(path.read_text(encoding="utf-8") + IMPATIENT, encoding="utf-8")
    return notes


def on_a_terminal(project: Project, require: Require, *arguments: str, term: str = "xterm") -> str:
    """What pytest writes to a pseudo-terminal of 80 columns."""
    pty = require.library("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": term, "COLUMNS": "80", "PY_COLORS": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *ARGUMENTS, *arguments],
        cwd=project.path,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            chunk = os.read(ours, 4096)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not chunk:
            break
        written += chunk
    os.close(ours)
    assert process.wait() == pytest.ExitCode.OK, written.decode()
    return written.decode()


def seen(written: str) -> list[str]:
    """The lines that are left on the screen."""
    lines = []
    for raw in written.split("\n"):
        cells: list[str] = []
        place = 0
        for character in raw:
            if character in "\b\r":
                place = 0 if character == "\r" else place - 1
            else:
                cells[place : place + 1] = [character]
                place += 1
        lines.append("".join(cells).rstrip())
    return lines


@pytest.mark.parametrize("verbosity", [[], ["-v"], ["-q"]], ids=["plain", "verbose", "quiet"])
def test_progress_is_shown_on_a_terminal_and_leaves_no_trace(
    impatient: Project, require: Require, verbosity: list[str]
) -> None:
    written = on_a_terminal(impatient, require, *verbosity)
    assert " 1 of 2 queries, " in written
    assert " a second, 0 s left" in written
    assert not any("queries" in line for line in seen(written))
    wanted = {
        "": "notes.eval.yaml ..                                                       [100%]",
        "-v": "notes.eval.yaml::recall-at-3 PASSED                                      [ 50%]",
        "-q": "..                                                                       [100%]",
    }
    assert wanted["".join(verbosity)] in seen(written)


def test_progress_is_that_of_all_repeats(impatient: Project, require: Require) -> None:
    assert " 3 of 6 queries, " in on_a_terminal(impatient, require, "--eval-repeat=3")


def test_what_a_retriever_prints_meanwhile_stays_captured(impatient: Project, require: Require) -> None:
    path = impatient.path / "conftest.py"
    text = path.read_text(encoding="utf-8").replace("rankings[query]", "print('loud') or rankings[query]")
    path.write_text(text, encoding="utf-8")
    written = on_a_terminal(impatient, require)
    assert " 1 of 2 queries, " in written
    assert "loud" not in written
    passed = on_a_terminal(impatient, require, "-rP")
    assert passed.count("loud") == 2


def test_a_suite_of_less_than_a_second_shows_nothing(notes: Project, require: Require) -> None:
    assert "queries" not in on_a_terminal(notes, require)


@pytest.mark.parametrize("arguments", [["-s"], ["-p", "no:terminal"]], ids=["uncaptured", "no reporter"])
def test_nothing_is_shown_where_others_write(impatient: Project, require: Require, arguments: list[str]) -> None:
    assert "queries" not in on_a_terminal(impatient, require, *arguments)


def test_nothing_is_shown_on_a_terminal_that_can_not_go_back(impatient: Project, require: Require) -> None:
    assert "queries" not in on_a_terminal(impatient, require, term="dumb")


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["serial", "xdist"])
def test_nothing_is_shown_in_a_log(impatient: Project, workers: list[str]) -> None:
    result = impatient.run(*workers, own_process=True)
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*queries*")


@pytest.mark.parametrize(
    ("done", "total", "elapsed_s", "text"),
    [
        (120, 2000, 2.0, " 120 of 2,000 queries, 60 a second, 31 s left"),
        (1500, 2000, 1.5, " 1,500 of 2,000 queries, 1,000 a second, 0 s left"),
        (10, 2000, 10.0, " 10 of 2,000 queries, 1 a second, 33 min 10 s left"),
        (1, 3, 8.0, " 1 of 3 queries, 7.5 a minute, 16 s left"),
        (1, 1, 2.0, " 1 of 1 query, 30.0 a minute, 0 s left"),
    ],
)
def test_text_tells_count_rate_and_time_left(done: int, total: int, elapsed_s: float, text: str) -> None:
    assert progress_text(done, total, elapsed_s) == text
