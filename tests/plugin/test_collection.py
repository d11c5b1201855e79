"""A suite is a module whose functions are its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project

TAGGED = """\
k: 3
metrics: [recall@3]
thresholds: {mrr: 0.5, "recall@3:legal": 0.5, "recall@3:kind=lookup": 0.5, "recall@3:untagged": 0.5}
each: {hit_rate@1: 1}
memories: [{id: a}, {id: b}]
cases:
  - {id: one, query: q1, relevant: [a], tags: [legal], kind: lookup}
  - {id: "tw o", query: q2, relevant: [b]}
"""


def collected(result: pytest.RunResult) -> list[str]:
    return [line.partition("::")[2] for line in result.outlines if "::" in line]


@pytest.fixture
def tagged(project: Project) -> Project:
    project.write("notes.eval.yaml", TAGGED)
    project.rankings({"q1": ["a"], "q2": ["b"]})
    return project


def test_items_are_cases_then_metrics_each_followed_by_its_tags(tagged: Project) -> None:
    result = tagged.run("--collect-only", "-q")
    assert collected(result) == [
        "case:one",
        "case:tw-o",
        "recall-at-3",
        "recall-at-3:legal",
        "recall-at-3:kind-lookup",
        "recall-at-3:untagged",
        "mrr",
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-k", "mrr"], ["mrr"]),
        (["-k", "legal"], ["case:one", "recall-at-3:legal"]),
        (["-k", "lookup and case"], ["case:one"]),
        (["-m", "not recall"], []),
        (["notes.eval.yaml::recall-at-3:legal"], ["recall-at-3:legal"]),
        (["notes.eval.yaml::case:tw-o"], ["case:tw-o"]),
    ],
)
def test_selection_works_as_for_any_test(tagged: Project, arguments: list[str], expected: list[str]) -> None:
    assert collected(tagged.run("--collect-only", "-q", *arguments)) == expected


def test_every_item_carries_the_mark_under_strict_markers(tagged: Project) -> None:
    assert len(collected(tagged.run("--collect-only", "-q", "-m", "recall", "--strict-markers"))) == 7


def test_collecting_asks_no_retriever(project: Project) -> None:
    project.write("notes.eval.yaml", TAGGED)
    project.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): raise SystemExit('asked')\n")
    assert project.run("--collect-only", "-q").ret == pytest.ExitCode.OK


def test_a_selection_never_changes_a_number(tagged: Project) -> None:
    whole = tagged.run("-rN").stdout.str()
    one = tagged.run("-rN", "-k", "mrr").stdout.str()
    row = next(line for line in whole.splitlines() if line.startswith("  mrr"))
    assert row in one.splitlines()


def test_mistakes_of_a_suite_are_a_collection_error_without_traceback(tagged: Project) -> None:
    tagged.write("bad.eval.yaml", "memories: [{id: a}]\ncases: [{query: q, relevant: [z]}]\ntreshold: {}\n")
    result = tagged.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "bad.eval.yaml:2:31: cases[[]0[]].relevant: unknown memory 'z'*",
            "bad.eval.yaml:3:1: unknown key 'treshold'*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_other_suites_run_beside_a_broken_one_when_asked(tagged: Project) -> None:
    tagged.write("bad.eval.yaml", "")
    result = tagged.run("--continue-on-collection-errors")
    result.assert_outcomes(passed=7, errors=1)


def test_broken_suites_and_sound_ones_run_under_xdist(tagged: Project) -> None:
    tagged.write("bad.eval.yaml", "")
    tagged.run("-n2", own_process=True).assert_outcomes(passed=7, errors=1)


def test_suite_files_are_told_by_eval_files(tagged: Project) -> None:
    tagged.write("pytest.ini", "[pytest]\neval_files = *.golden.yaml checks/*.yml\n")
    tagged.write("a.golden.yaml", TAGGED)
    tagged.write("checks/b.yml", TAGGED)
    files = {line.partition("::")[0] for line in tagged.run("--collect-only", "-q").outlines if "::" in line}
    assert files == {"a.golden.yaml", "checks/b.yml"}


def test_json_suites_are_collected(project: Project) -> None:
    project.write("notes.eval.json", '{"cases": [{"query": "q1", "relevant": ["a"]}], "metrics": ["mrr"]}')
    project.rankings({"q1": ["a"]})
    project.run().assert_outcomes(passed=1)


def test_marks_of_a_suite_are_on_all_its_items(project: Project) -> None:
    project.write("a.eval.yaml", TAGGED + "marks: [slow, {xfail: {reason: not yet}}]\n")
    project.write("b.eval.yaml", TAGGED + "marks: [{skipif: {condition: true, reason: off}}]\n")
    project.write("pytest.ini", "[pytest]\nmarkers = slow: takes long\n")
    project.rankings({"q1": ["b"], "q2": ["a"]})
    assert len(collected(project.run("--collect-only", "-q", "-m", "slow", "--strict-markers"))) == 7
    # recall@3 itself has no bound, so it passes.
    project.run().assert_outcomes(xfailed=6, xpassed=1, skipped=7)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--strict-markers"], "'slwo' not found in `markers` configuration option"),
        (["-Werror"], "notes.eval.yaml: Unknown pytest.mark.slwo - is this a typo?*"),
    ],
)
def test_a_mark_that_nobody_registered_is_told_without_a_traceback(
    tagged: Project, arguments: list[str], sentence: str
) -> None:
    tagged.write("notes.eval.yaml", TAGGED + "marks: [slwo]\n")
    result = tagged.run(*arguments)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting notes.eval.yaml*", sentence, "*short test summary info*"])
    result.stdout.no_fnmatch_line("*collection.py*")


def test_warning_of_a_mark_that_nobody_registered_points_to_the_suite(tagged: Project) -> None:
    tagged.write("notes.eval.yaml", TAGGED + "marks:\n  - slow\n  - slwo: {reason: why}\n")
    tagged.write("pytest.ini", "[pytest]\nmarkers = slow: takes long\n")
    result = tagged.run("-Wdefault")
    line = TAGGED.count("\n") + 3
    place = f"  {tagged.path / 'notes.eval.yaml'}:{line}: PytestUnknownMarkWarning: Unknown pytest.mark.slwo *"
    result.stdout.fnmatch_lines([place])
    result.assert_outcomes(passed=7, warnings=1)


def test_a_parametrised_retriever_gives_each_item_its_system(tagged: Project) -> None:
    tagged.write(
        "conftest.py",
        """\
import pytest

@pytest.fixture(params=[1, -1], ids=["up", "down"], scope="module")
def retriever(request):
    return lambda query, k: ["a", "b"][::request.param]
""",
    )
    result = tagged.run("-k", "mrr", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["notes.eval.yaml::mrr[[]up[]] PASSED*", "notes.eval.yaml::mrr[[]down[]] PASSED*"])
    result.stdout.fnmatch_lines(
        ["notes.eval.yaml  retriever[[]down[]]  2 cases", "notes.eval.yaml  retriever[[]up[]]*"]
    )


def test_ids_that_pytest_made_up_get_a_warning(tagged: Project) -> None:
    tagged.write(
        "conftest.py",
        """\
import pytest

@pytest.fixture(params=[object(), object()])
def retriever(request):
    return lambda query, k: ["a", "b"]
""",
    )
    result = tagged.run("-k", "mrr")
    result.stdout.fnmatch_lines(
        ["*PytestWarning: parameter id 'retriever0' was made up by pytest and names the system in the baseline: *"]
    )


def test_fixtures_of_sub_folders_override(tagged: Project) -> None:
    tagged.write("sub/notes.eval.yaml", TAGGED)
    tagged.write(
        "sub/conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): return lambda query, k: ['b', 'a']\n"
    )
    result = tagged.run("-k", "mrr")
    result.assert_outcomes(passed=2)
    # Top: 1 and 1. Below: a at rank 2, b at rank 1: (1/2 + 1) / 2 = 0.75.
    result.stdout.fnmatch_lines(["notes.eval.yaml *", "  mrr * 1.000 *", "sub/notes.eval.yaml *", "  mrr * 0.750 *"])
