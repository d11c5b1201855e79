"""Items whose cases stand in files beside their suite."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.project import Project

SUITE = """\
metrics: [mrr]
thresholds: {"mrr:legal": 0.9}
each: {hit_rate@3: 1}
memories: {path: ../data/corpus.jsonl}
cases: {path: ../data/cases.jsonl}
"""

JUDGED = """\
metrics: [mrr]
thresholds: {mrr: 0.9}
cases: {queries: data/queries.jsonl, qrels: data/qrels.tsv}
"""

SPY = """
def pytest_collection_modifyitems(items):
    for item in items:
        print(item.nodeid, *item.location)
"""


@pytest.fixture
def split(project: Project) -> Project:
    project.rankings({"when does the lease end?": ["rent", "lease"], "when is rent due?": ["rent"]})
    project.write("data/corpus.jsonl", '{"_id": "lease", "text": ""}\n{"_id": "rent", "text": ""}\n')
    project.write(
        "data/cases.jsonl",
        '{"id": "lease-end", "query": "when does the lease end?", "relevant": ["lease"], "tags": ["legal"], '
        '"expect": {"mrr": 1}}\n'
        '{"query": "when is rent due?", "relevant": ["rent"]}\n',
    )
    project.write("suites/notes.eval.yaml", SUITE)
    return project


def test_items_stand_where_their_cases_are_written(split: Project) -> None:
    split.write("suites/conftest.py", SPY)
    result = split.run("-s", "-k", "lease-end or rent or mrr", "--junitxml=junit.xml", "-o", "junit_family=xunit1")
    result.stdout.fnmatch_lines(
        [
            "suites/notes.eval.yaml::case:lease-end data/cases.jsonl 0 case:lease-end",
            "suites/notes.eval.yaml::case:when-is-rent-due- data/cases.jsonl 1 case:when-is-rent-due-",
            "suites/notes.eval.yaml::mrr suites/notes.eval.yaml 0 mrr",
            "suites/notes.eval.yaml::mrr:legal suites/notes.eval.yaml 1 mrr:legal",
        ]
    )
    junit = ET.parse(split.path / "junit.xml")  # noqa: S314  # pytest's own file
    assert [(case.attrib["file"], case.attrib["line"]) for case in junit.iter("testcase")] == [
        ("data/cases.jsonl", "0"),
        ("data/cases.jsonl", "1"),
        ("suites/notes.eval.yaml", "0"),
        ("suites/notes.eval.yaml", "1"),
    ]


def test_missed_bounds_name_the_file_they_stand_in(split: Project) -> None:
    split.write("data/cases.jsonl", (split.path / "data/cases.jsonl").read_text().replace('["rent"]', '["lease"]'))
    result = split.run()
    result.assert_outcomes(passed=1, failed=3)
    assert failure(result, "case:lease-end")[0] == "case lease-end: mrr 0.500, needs 1.000 (data/cases.jsonl:1)"
    assert failure(result, "case:when-is-rent-due-")[0] == (
        "case when is rent due?: hit_rate@3 0.000, needs 1.000 (suites/notes.eval.yaml:3)"
    )
    assert failure(result, "mrr:legal")[0] == "mrr:legal 0.500, needs 0.900 (suites/notes.eval.yaml:2)"


def test_words_of_cases_select_them(split: Project) -> None:
    split.run("-k", "legal and case").assert_outcomes(failed=1, deselected=3)


def test_missing_fixture_is_told_of_the_suite(split: Project) -> None:
    result = split.run("--eval-retriever=nobody")
    result.stdout.fnmatch_lines(["no fixture 'nobody' for suites/notes.eval.yaml: write this fixture in conftest.py*"])
    assert "for data/cases.jsonl" not in str(result.stdout)


def test_mistakes_of_files_are_collection_errors(split: Project) -> None:
    split.write("data/corpus.jsonl", '{"_id": "lease", "text": ""}\n')
    result = split.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["data/cases.jsonl:2:45: cases[1].relevant: unknown memory 'rent'"])


def test_notes_reach_the_summary_and_the_failure(project: Project) -> None:
    project.rankings({"first": ["a"], "second": ["b", "a"]})
    project.write(
        "data/queries.jsonl",
        '{"_id": "1", "text": "first"}\n{"_id": "2", "text": "second"}\n{"_id": "3", "text": "third"}\n',
    )
    project.write("data/qrels.tsv", "1 0 a 1\n2 0 a 1\n2 0 b -1\n")
    project.write("notes.eval.yaml", JUDGED)
    result = project.run()
    left_out = "1 query of data/queries.jsonl left out: no judgments in data/qrels.tsv"
    below = "1 judgment of data/qrels.tsv with a grade below 0, taken for judged and not relevant"
    result.stdout.fnmatch_lines([f"  note: {left_out}", f"  note: {below}"])
    assert failure(result, "mrr")[-2:] == [f"  {left_out}", f"  {below}"]


def test_marked_tests_evaluate_such_a_suite_too(split: Project) -> None:
    split.write(
        "suites/test_notes.py",
        "import pytest\n\n@pytest.mark.recall('notes.eval.yaml')\ndef test_case(eval_case): assert eval_case.line\n",
    )
    split.run("suites/test_notes.py").assert_outcomes(passed=2)
