from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.plugin.options import DEFAULT_FILES
from pytest_recall.suites.names import SUITE_FILES
from tests.unit.cli.conftest import LEASE

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Shell

WRONG = "k: none\ncases:\n  - {query: first, relevant: [a], stale: b}\n"
NO_K = "k: must be a whole number from 1 to 1,000,000, got 'none'"
NO_LIST = "cases[0].stale: must be a list, got 'b'"


def test_suites_are_counted_with_their_cases(shell: Shell) -> None:
    shell.write("one.eval.yaml")
    shell.write("two.eval.json", '{"cases": [{"query": "a", "relevant": []}, {"query": "b", "relevant": []}]}')
    assert shell.run("check", "one.eval.yaml") == (0, "1 suite, 1 case: no mistakes\n", "")
    assert shell.run("check", "one.eval.yaml", "two.eval.json") == (0, "2 suites, 3 cases: no mistakes\n", "")


def test_every_mistake_of_every_suite_is_a_line_in_file_order(shell: Shell) -> None:
    shell.write("b.eval.yaml", WRONG)
    shell.write("a.eval.yaml")
    shell.write("c.eval.yaml", "")
    code, printed, told = shell.run("check", "b.eval.yaml", "a.eval.yaml", "c.eval.yaml")
    assert (code, told) == (2, "")
    assert printed.splitlines() == [
        f"b.eval.yaml:1:4: {NO_K}",
        f"b.eval.yaml:3:42: {NO_LIST}",
        "c.eval.yaml:1:1: the file is empty; a suite needs cases",
        "3 mistakes in 2 of 3 suites",
    ]


def test_folder_means_the_suites_in_it(shell: Shell) -> None:
    for name in ("tests/z.eval.yml", "tests/a.eval.yaml", "tests/deep/b.eval.yml"):
        shell.write(name, WRONG if name.endswith("z.eval.yml") else LEASE)
    # No suite by its name, or where pytest does not look.
    for name in (
        "tests/notes.yaml",
        "tests/.git/x.eval.yaml",
        "tests/node_modules/x.eval.yaml",
        "tests/venv/x.eval.yaml",
    ):
        shell.write(name, WRONG)
    code, printed, _ = shell.run("check", "tests")
    assert code == 2
    assert printed.splitlines() == [
        f"tests/z.eval.yml:1:4: {NO_K}",
        f"tests/z.eval.yml:3:42: {NO_LIST}",
        "2 mistakes in 1 of 3 suites",
    ]


def test_suite_that_is_named_twice_is_checked_once(shell: Shell) -> None:
    shell.write("tests/a.eval.yaml")
    assert shell.run("check", "tests/a.eval.yaml", ".", "tests/../tests")[1] == "1 suite, 1 case: no mistakes\n"


def test_folder_without_suites_is_no_success(shell: Shell) -> None:
    shell.write("a.eval.yaml")
    shell.write("docs/notes.yaml")
    assert shell.run("check", "a.eval.yaml", "docs") == (
        2,
        "",
        (
            "pytest-recall: docs: there are no suites in this folder (*.eval.yaml, *.eval.yml, *.eval.json, "
            "*.eval.capture.json)\n"
        ),
    )


def test_folder_that_can_not_be_read_is_no_success(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str) -> Any:
        if folder.endswith("secret"):
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    shell.write("tests/a.eval.yaml")
    shell.write("tests/secret/b.eval.yaml")
    # To root, every folder can be read.
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", refuse)
    folder = os.path.join("tests", "secret")  # noqa: PTH118 - as it is printed
    assert shell.run("check", "tests") == (
        2,
        "",
        f"pytest-recall: {folder}: the folder can't be read: Permission denied\n",
    )


def test_suite_that_is_missing_is_a_mistake(shell: Shell) -> None:
    assert shell.run("check", "no.eval.yaml") == (
        2,
        "no.eval.yaml: can't be read: No such file or directory\n1 mistake in 1 of 1 suite\n",
        "",
    )


def test_file_is_a_suite_whatever_it_is_called(shell: Shell) -> None:
    shell.write("notes.txt")
    assert shell.run("check", "notes.txt")[0] == 0


def test_names_are_relative_to_the_root(shell: Shell) -> None:
    shell.write("tests/a.eval.yaml", "")
    printed = "a.eval.yaml:1:1: the file is empty; a suite needs cases\n1 mistake in 1 of 1 suite\n"
    assert shell.run("check", "tests", "--root", "tests")[1] == printed


def test_standard_input_is_a_suite(shell: Shell) -> None:
    assert shell.run("check", "-", stdin=LEASE) == (0, "1 suite, 1 case: no mistakes\n", "")
    code, printed, _ = shell.run("check", "-", stdin=WRONG)
    assert code == 2
    assert printed == f"<stdin>:1:4: {NO_K}\n<stdin>:3:42: {NO_LIST}\n2 mistakes in 1 of 1 suite\n"


@pytest.mark.parametrize(("folder", "root"), [("", ()), ("tests/", ("--root", "tests"))])
def test_standard_input_names_files_of_the_root(shell: Shell, folder: str, root: tuple[str, ...]) -> None:
    suite = "memories: {path: notes.jsonl}\ncases: [{query: first, relevant: [a]}]\n"
    shell.write(f"{folder}notes.jsonl", '{"id": "a", "text": "alpha"}\n')
    assert shell.run("check", "-", *root, stdin=suite) == (0, "1 suite, 1 case: no mistakes\n", "")
    shell.write(f"{folder}notes.jsonl", '{"id": "a", "txt": "alpha"}\n')
    code, printed, _ = shell.run("check", "-", *root, stdin="k: 0\n" + suite)
    assert code == 2
    assert printed.splitlines()[0].startswith("<stdin>:1:4: k: ")
    assert printed.splitlines()[1].startswith("notes.jsonl:1:1: memories[0] (a): ")


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_control_characters_are_shown_escaped(shell: Shell) -> None:
    shell.write("\x1b[31m\n.eval.yaml", "")
    shell.write("b.eval.yaml", 'cases: [{query: q, relevant: [a]}]\n"\\e[31m": 1\n')
    assert shell.run("check", ".")[1].splitlines() == [
        r"\x1b[31m\n.eval.yaml:1:1: the file is empty; a suite needs cases",
        r"b.eval.yaml:2:1: unknown key '\x1b[31m'",
        "2 mistakes in 2 of 2 suites",
    ]


def test_a_recorded_run_is_a_suite_of_one_case(shell: Shell) -> None:
    shell.write("a.eval.capture.json", '{"format": 1, "input": "?", "steps": [], "final_text": "!"}')
    assert shell.run("check", ".") == (0, "1 suite, 1 case: no mistakes\n", "")
    shell.write("b.eval.capture.json", '{"format": 2}')
    code, printed, _ = shell.run("check", ".")
    assert code == 2
    assert printed == (
        "b.eval.capture.json: format: 2 is of a later pytest-recall, this one reads 1; "
        "upgrade it, or delete it and record the run again\n"
        "1 mistake in 1 of 2 suites\n"
    )


def test_folders_are_searched_for_what_the_plugin_collects() -> None:
    assert SUITE_FILES == DEFAULT_FILES
