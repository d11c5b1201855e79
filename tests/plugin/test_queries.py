"""What a query may do instead of answering."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

CONFTEST = """\
import operator
import pytest

def search(query, k):
    {body}

@pytest.fixture
def retriever():
    return {returned}
"""


def answer(project: Project, body: str, returned: str = "search") -> None:
    project.write("conftest.py", CONFTEST.format(body=body, returned=returned))


@pytest.mark.parametrize("call", ["skip", "xfail"])
def test_a_query_can_not_excuse_its_gate(notes: Project, call: str) -> None:
    answer(notes, f"pytest.{call}('no index')")
    result = notes.run(BASELINE, "--eval-update")
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        (
            f"notes.eval.yaml: fixture 'retriever': a query called pytest.{call}('no index'), "
            "and a gate needs every case: call it in the fixture, or mark the suite"
        )
    ]
    assert not (notes.path / "baseline.json").exists()


def test_a_query_can_end_the_run(notes: Project) -> None:
    answer(notes, "pytest.exit('no backend')")
    result = notes.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["!*Exit: no backend !*"])


@pytest.mark.parametrize(
    ("ends", "told"), [("pytest.fail('never mind')", "Failed: never mind"), ("sys.exit(3)", "SystemExit: 3")]
)
def test_a_query_that_ends_its_test_or_the_program_is_an_error_of_its_case(
    notes: Project, ends: str, told: str
) -> None:
    answer(notes, f"import sys; {ends}")
    shown = failure(notes.run(), "recall-at-3")
    assert shown[0] == f"recall@3 has no value: 2 of 2 cases raised, first one: {told}"
    assert f"    import sys; {ends}" in shown
    assert shown[-1] == f"E   pytest_recall.errors.RetrievalError: {told}"


COUNTED = """\
with open("asked", "a") as asked:
        asked.write("x")
    pytest.skip("no index")"""


def test_what_ends_a_run_is_not_asked_for_again(notes: Project) -> None:
    answer(notes, COUNTED)
    notes.run().assert_outcomes(failed=2)
    assert (notes.path / "asked").read_text() == "x"


def test_a_test_that_is_run_again_asks_again(notes: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    answer(notes, COUNTED)
    notes.run("--reruns=1", "-k", "mrr").assert_outcomes(failed=1)
    assert (notes.path / "asked").read_text() == "xx"


def test_a_traceback_without_a_line_of_the_user_is_left_out(notes: Project) -> None:
    answer(notes, "pass", returned="operator.itemgetter(5)")
    assert failure(notes.run(), "mrr") == [
        "mrr has no value: 2 of 2 cases raised, first one: IndexError: string index out of range"
    ]


def test_control_characters_in_a_traceback_are_shown_escaped(notes: Project) -> None:
    answer(notes, "raise ValueError('red' + chr(27) + '[31m')")
    assert failure(notes.run(), "recall-at-3") == [
        "recall@3 has no value: 2 of 2 cases raised, first one: ValueError: red\\x1b[31m",
        "",
        "conftest.py:5: in search",
        "    raise ValueError('red' + chr(27) + '[31m')",
        "E   ValueError: red\\x1b[31m",
    ]


@pytest.mark.parametrize(
    ("message", "cut"),
    [("'x' * 100_000", f"E   ValueError: {'x' * 983}…"), (r"'x\n' * 100_000", "… 99,502 lines left out …")],
)
def test_a_long_message_in_a_traceback_is_cut(notes: Project, message: str, cut: str) -> None:
    answer(notes, f"raise ValueError({message})")
    text = failure(notes.run(), "recall-at-3")
    assert text[2:4] == ["conftest.py:5: in search", f"    raise ValueError({message})"]
    assert cut in text
    assert len("\n".join(text)) < 5_000


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_a_group_of_errors_is_shown_from_the_users_line_on(notes: Project) -> None:
    answer(notes, "raise ExceptionGroup('many', [ValueError('a'), KeyError('b')])")
    text = failure(notes.run(), "recall-at-3")
    assert text[0] == "recall@3 has no value: 2 of 2 cases raised, first one: ExceptionGroup: many (2 sub-exceptions)"
    assert not any("pytest_recall" in line for line in text)
    assert any("ValueError: a" in line for line in text)


@pytest.mark.parametrize("arguments", [[], ["-n2"]], ids=["serial", "xdist"])
@pytest.mark.parametrize("where", ["fixture", "marks"])
def test_a_skipped_suite_was_collected(notes: Project, where: str, arguments: list[str]) -> None:
    notes.run(BASELINE, "--eval-update")
    if where == "fixture":
        notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pytest.skip('no server')\n")
    else:
        suite = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
        notes.write("notes.eval.yaml", suite + "marks: [{skip: {reason: off}}]\n")
    result = notes.run(BASELINE, *arguments, own_process="-n2" in arguments)
    result.assert_outcomes(skipped=2)
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("arguments", [(), ("-q",), ("-n2",)], ids=["alone", "quiet", "workers"])
def test_a_skipped_suite_is_noted(notes: Project, require: Require, arguments: tuple[str, ...]) -> None:
    if "-n2" in arguments:
        require.library("xdist")
    notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pytest.skip('no index')\n")
    result = notes.run(*arguments, own_process="-n2" in arguments)
    result.assert_outcomes(skipped=2)
    assert result.outlines.count("note: not judged, for it was skipped: notes.eval.yaml (no index)") == 1


def test_a_suite_whose_fixture_expects_to_fail_is_noted(notes: Project) -> None:
    notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pytest.xfail('later')\n")
    notes.write("test_x.py", "import pytest\ndef test_x(): pytest.skip()\n")
    result = notes.run()
    result.assert_outcomes(xfailed=2, skipped=1)
    assert "note: not judged, for it was skipped: notes.eval.yaml (later)" in result.outlines
    result.stdout.no_fnmatch_line("note: *test_x.py*")


def test_a_suite_of_which_some_tests_were_skipped_has_no_note(notes: Project) -> None:
    skip = "def pytest_collection_modifyitems(items): items[0].add_marker('skip')\n"
    conftest = (notes.path / "conftest.py").read_text(encoding="utf-8")
    notes.write("conftest.py", conftest + skip)
    result = notes.run()
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.no_fnmatch_line("note: not judged*")
