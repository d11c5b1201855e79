"""``pytest-recall show`` as people run it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_recall.reports import files
from tests.unit.cli.test_compare import BEFORE, baseline, write
from tests.unit.cli.test_main import run
from tests.unit.reports.builders import BROKEN_CASE, FREE, OF_A_CASE, evaluation, report

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project
    from tests.unit.cli.conftest import Shell

HEAD = "                                   value baseline   change      bound  verdict\n"
FAILED = f"""{HEAD}\
tests/support.eval.yaml  retriever[bm25]  2 cases
  mrr:legal                        0.500    0.750   -0.250    >= 0.85  failed
  stale_hit_rate@3                     –                               no gate
  cases with their own bounds: 1 passed, 0 failed
    missed  lease-end  lease-1: not in 3, lease-2: rank 2  got rent-9, lease-2
  note: a note
  note: mrr:legal: the repeats lie on both sides of 0.850: 1.000, 0.000
"""


TOLD = (
    "pytest-recall: tests/support.eval.yaml (retriever[bm25]): "
    "mrr:legal 0.500, needs 0.850 (tests/support.eval.yaml:5)\n"
)


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_a_failed_gate_is_shown_and_ends_with_1(shell: Shell, suffix: str) -> None:
    files.write(f"now.{suffix}", [report()])
    assert shell.run("show", f"now.{suffix}") == (1, FAILED, TOLD)


@pytest.mark.parametrize("name", ["now", "now.txt", "now.JSON"])
def test_a_report_of_another_name_is_told_by_its_content(shell: Shell, name: str) -> None:
    files.write("now.json", [report()])
    (shell.path / "now.json").rename(shell.path / name)
    assert shell.run("show", name) == (1, FAILED, TOLD)


def test_standard_input_is_a_report_as_json(shell: Shell) -> None:
    files.write("now.json", [report()])
    text = (shell.path / "now.json").read_text("utf-8")
    assert shell.run("show", "-", stdin=text) == (1, FAILED, TOLD)
    assert shell.run("show", "-", stdin="k: 1\n") == (
        2,
        "",
        "pytest-recall: <stdin>:1: not JSON: expecting value; standard input is read as JSON\n",
    )


def test_why_the_numbers_mean_nothing_is_told(shell: Shell) -> None:
    broken = [replace(BROKEN_CASE, id=f"broken-{number}") for number in range(7)]
    write(shell, "now.json", evaluation(broken, suite="a.eval.yaml", system="find", problem="no id is known"))
    code, _, told = shell.run("show", "now.json")
    assert code == 1
    assert [line.removeprefix("pytest-recall: a.eval.yaml (find): ") for line in told.splitlines()] == [
        "no id is known",
        *(f"broken-{number} raised: RuntimeError: gone" for number in range(5)),
        "… 2 more cases raised",
    ]


def test_a_report_whose_gates_passed_ends_with_0(shell: Shell) -> None:
    files.write("now.json", [report(verdicts=(OF_A_CASE, FREE))])
    code, printed, told = shell.run("show", "now.json")
    assert (code, told) == (0, "")
    assert "  cases with their own bounds: 1 passed, 0 failed\n" in printed


def test_what_nothing_judged_has_its_values(shell: Shell) -> None:
    evaluation().write("now.json")
    code, printed, told = shell.run("show", "now.json")
    assert (code, told) == (0, "")
    assert printed == (
        f"{HEAD}tests/support.eval.yaml  retriever[bm25]  2 cases\n"
        "  mrr                              0.500                               no gate\n"
        "  stale_hit_rate@3                     –                               no gate\n"
        "  note: a note\n"
    )


def test_a_report_of_nothing_says_so(shell: Shell) -> None:
    files.write("now.json", [])
    assert shell.run("show", "now.json") == (0, "", "pytest-recall: nothing was evaluated\n")


def test_the_table_is_that_of_the_run(shell: Shell, project: Project) -> None:
    project.rankings({"first": ["b", "a"], "second": ["a"]})
    project.write(
        "notes.eval.yaml",
        "k: 2\nmetrics: [mrr, hit_rate@1]\nthresholds: {mrr: 0.8}\nmemories: [{id: a, text: a}, {id: b, text: b}]\n"
        "cases:\n  - {query: first, relevant: [a]}\n  - {query: second, relevant: [a]}\n",
    )
    lines = project.run("--eval-report=now.json", own_process=True).outlines
    began = next(place for place, line in enumerate(lines) if line.strip("=") == " eval ")
    code, printed, _ = shell.run("show", str(project.path / "now.json"))
    # What pytester printed of the run comes before it.
    shown = printed[printed.rindex(HEAD) :].splitlines()
    assert code == 1
    assert len(shown) == 5
    assert lines[began + 1 : began + 6] == shown


def test_texts_of_others_are_escaped_and_cut(shell: Shell) -> None:
    hostile = evaluation(suite="\x1b[31m" + "x" * 200, system="\n" + "y" * 200, notes=())
    files.write("now.json", [report(evaluation=hostile)])
    _, printed, _ = shell.run("show", "now.json")
    assert "\x1b" not in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_the_page_is_written_instead(shell: Shell, require: Require) -> None:
    require.library("jinja2")
    files.write("now.json", [report()])
    files.write("same.html", [report()])
    assert shell.run("show", "now.json", "--html", "now.html") == (1, "", TOLD)
    assert (shell.path / "now.html").read_bytes() == (shell.path / "same.html").read_bytes()
    # Again, over the one that is there.
    files.write("now.json", [report(verdicts=())])
    assert shell.run("show", "now.json", "--html", "now.html") == (0, "", "")
    assert (shell.path / "now.html").read_bytes() != (shell.path / "same.html").read_bytes()


def test_a_page_without_its_extra_is_one_sentence(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    files.write("now.json", [report()])
    assert shell.run("show", "now.json", "--html", "now.html") == (
        2,
        "",
        "pytest-recall: .html reports need what is not installed: pip install 'pytest-recall[html]'\n",
    )


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("now.md", "now.md: a page is named .html"),
        ("folder.html", "folder.html: a report is a file, and this is a directory"),
    ],
)
def test_a_place_that_is_none_for_a_page(shell: Shell, require: Require, out: str, message: str) -> None:
    require.library("jinja2")
    files.write("now.json", [report()])
    (shell.path / "folder.html").mkdir()
    assert shell.run("show", "now.json", "--html", out) == (2, "", f"pytest-recall: {message}\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.json", None, "no.json: there is no such file"),
        (
            "now.txt",
            "",
            "now.txt: the file is empty; restore it, or delete it and write the report again",
        ),
        ("now.jsonl", "", "now.jsonl: a .jsonl report can't be read back; write one of .json, .toml, .yaml, .yml too"),
        ("now.json", baseline(BEFORE), "now.json: this is a baseline, and no report"),
        ("now.json", '{"format": 1, "evaluations": 1}', "now.json: evaluations: must be a list, not 1"),
    ],
)
def test_what_is_no_report_is_bad_input(shell: Shell, name: str, content: str | None, message: str) -> None:
    if content is not None:
        shell.write(name, content)
    assert shell.run("show", name) == (2, "", f"pytest-recall: {message}\n")


def test_the_program_shows(shell: Shell) -> None:
    files.write("now.json", [report()])
    done = run("show", "now.json", cwd=shell.path)
    assert (done.returncode, done.stderr.decode().splitlines()) == (1, [TOLD.rstrip()])
    assert done.stdout.decode().splitlines() == FAILED.splitlines()
