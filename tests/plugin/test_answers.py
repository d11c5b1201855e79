"""Suites that judge answers, from the file to the gates, the baseline and the reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

UPDATE = (BASELINE, "--eval-update")

RAG = """\
k: 3
thresholds: {exact_match: 0.5}
cases:
  - {id: capital, query: q1, relevant: [a], answers: [Paris, City of Paris], tags: [places]}
  - {id: year, query: q2, answers: [1789]}
"""
ONLY_ANSWERS = """\
cases:
  - {id: capital, query: q1, answers: [Paris], expect: {exact_match: 1}}
  - {id: year, query: q2, answers: [1789]}
"""
ANSWERER = """
@pytest.fixture(scope="module")
def answerer():
    answers = json.loads(Path(__file__).with_name("answers.json").read_text())
    return answers.__getitem__
"""


def answered(project: Project, first: str = "Paris.", second: str = "1789") -> None:
    project.write("answers.json", json.dumps({"q1": first, "q2": second}))


@pytest.fixture
def rag(project: Project) -> Project:
    """A retriever and an answerer that are right about everything."""
    project.write("rag.eval.yaml", RAG)
    project.rankings({"q1": ["a"], "q2": ["b"]})
    project.write("conftest.py", (project.path / "conftest.py").read_text(encoding="utf-8") + ANSWERER)
    answered(project)
    return project


@pytest.fixture
def only(rag: Project) -> Project:
    """No case says what should come back, and there is no retriever."""
    (rag.path / "rag.eval.yaml").unlink()
    rag.write("only.eval.yaml", ONLY_ANSWERS)
    rag.write("conftest.py", "import json\nfrom pathlib import Path\nimport pytest\n" + ANSWERER)
    return rag


def test_answers_are_metrics_beside_those_of_rankings(rag: Project) -> None:
    result = rag.run("-v")
    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines([
        "rag.eval.yaml::exact_match PASSED*",
        "rag.eval.yaml::mrr PASSED*",
        "rag.eval.yaml::token_f1 PASSED*",
        "rag.eval.yaml  retriever  2 cases",
        "  exact_match                      1.000                       >= 0.5  passed",
    ])  # fmt: skip


def test_a_failure_shows_what_was_expected_and_what_was_answered(rag: Project) -> None:
    answered(rag, "Lyon", "the year 1790\n\x1b[31m")
    result = rag.run()
    assert failure(result, "exact_match") == [
        "exact_match 0.000, needs 0.500 (rag.eval.yaml:2)",
        "  2 cases",
        "  missed  capital  expected 'Paris' or 'City of Paris'  got 'Lyon'",
        r"  missed  year     expected '1789'                      got 'the year 1790\n\x1b[31m'",
    ]


def test_a_worse_answer_is_a_regression(rag: Project) -> None:
    rag.run(*UPDATE).assert_outcomes(passed=7)
    rag.run(BASELINE).assert_outcomes(passed=7)
    answered(rag, "Lyon")
    result = rag.run(BASELINE)
    result.assert_outcomes(passed=5, failed=2)
    assert failure(result, "token_f1") == [
        "token_f1 0.500, baseline 1.000, dropped 0.500 (1 of 2 cases differs, too few to decide)",
        "  2 cases",
        "  lost    capital  expected 'Paris' or 'City of Paris'  got 'Lyon'",
    ]


def test_another_reference_is_another_question(rag: Project) -> None:
    rag.run(*UPDATE)
    before = rag.baseline()
    rag.write("rag.eval.yaml", RAG.replace("[Paris, City of Paris]", "[City of Paris, Paris]"))
    rag.run(*UPDATE)
    assert rag.baseline() == before
    rag.write("rag.eval.yaml", RAG.replace("[1789]", "[in 1789]"))
    result = rag.run(BASELINE)
    result.stdout.fnmatch_lines(["  note: 1 case changed since the baseline: year"])


def test_a_case_that_is_judged_by_its_answer_alone_has_no_ranks(rag: Project) -> None:
    rag.run(*UPDATE)
    (entry,) = json.loads(rag.baseline())["suites"]["rag.eval.yaml"]["systems"].values()
    year, capital = entry["cases"]["year"], entry["cases"]["capital"]
    assert (year["ranks"], year["scores"]) == ({}, {"exact_match": 1, "token_f1": 1})
    assert capital["ranks"] == {"a": 1}
    assert entry["metrics"]["mrr"]["scored"] == 1


def test_one_error_names_a_case_without_an_answer(rag: Project) -> None:
    rag.rankings({"q1": ["a"], "q2": ["b"]})  # and no answerer
    result = rag.run()
    result.assert_outcomes(failed=7)
    (text,) = failure(result, "exact_match")
    assert text == (
        "exact_match has no value: 2 of 2 cases raised, first capital: no answer came back: "
        "return it beside the results (results, answer), or write a fixture 'answerer'"
    )


def test_an_answerer_that_raises_shows_its_traceback_once(rag: Project) -> None:
    rag.write("answers.json", json.dumps({"q1": "Paris"}))
    rag.write(
        "conftest.py",
        (rag.path / "conftest.py").read_text(encoding="utf-8").replace("answers.__getitem__", "lambda q: answers[q]"),
    )
    result = rag.run()
    # What comes back for q2 is not judged, so no metric of rankings fails with it.
    result.assert_outcomes(passed=5, failed=2)
    text = str(result.stdout)
    assert text.count(": in <lambda>") == 1
    assert failure(result, "exact_match")[0] == (
        "exact_match has no value: 1 of 2 cases raised, first year: KeyError: 'q2'"
    )


def test_an_answerer_is_enough_where_only_answers_are_judged(only: Project) -> None:
    result = only.run("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["only.eval.yaml::case:capital PASSED*", "only.eval.yaml  answerer  2 cases"])
    answered(only, "Lyon")
    failed = only.run()
    assert failure(failed, "case:capital") == [
        "case capital: exact_match 0.000, needs 1.000 (only.eval.yaml:2)",
        "  missed  capital  expected 'Paris'  got 'Lyon'",
    ]


def test_with_neither_the_first_failure_shows_what_to_write(only: Project) -> None:
    only.write("conftest.py", "")
    result = only.run()
    result.assert_outcomes(failed=3)
    assert failure(result, "case:capital")[0] == (
        "no answerer for only.eval.yaml: "
        "write this fixture in conftest.py; it is called as answer(query) and returns text:"
    )
    assert failure(result, "token_f1") == ["no answerer for only.eval.yaml: see the first failure of this suite"]


@pytest.mark.parametrize("suite", ["rag", "only"])
def test_what_is_no_answerer_is_told_by_its_fixture(
    suite: str, request: pytest.FixtureRequest, project: Project
) -> None:
    request.getfixturevalue(suite)
    project.write(
        "conftest.py",
        (project.path / "conftest.py").read_text(encoding="utf-8").replace("return answers.__getitem__", "return 3"),
    )
    result = project.run()
    assert failure(result, "token_f1") == [
        f"{suite}.eval.yaml: fixture 'answerer': an answerer is a callable or an object with answer or invoke, not int"
    ]


def test_parameters_of_the_answerer_are_systems(only: Project) -> None:
    only.write(
        "conftest.py",
        """\
import pytest

@pytest.fixture(scope="module", params=["small", "large"])
def answerer(request):
    return {"small": lambda query: "Lyon", "large": {"q1": "Paris", "q2": "1789"}.get}[request.param]
""",
    )
    result = only.run(*UPDATE)
    result.assert_outcomes(passed=5, failed=1)
    systems = json.loads(only.baseline())["suites"]["only.eval.yaml"]["systems"]
    assert {name: entry["metrics"]["exact_match"]["value"] for name, entry in systems.items()} == {
        "answerer[large]": 1,
        "answerer[small]": 0,
    }


@pytest.mark.parametrize("marks", ["", "import pytest_asyncio\n"])
def test_an_asynchronous_answerer_shares_the_loop(rag: Project, marks: str) -> None:
    pytest.importorskip("pytest_asyncio")
    rag.write("rag.eval.yaml", f"async: true\nconcurrency: 2\n{RAG}")
    rag.write(
        "conftest.py",
        (rag.path / "conftest.py")
        .read_text(encoding="utf-8")
        .replace(
            "    return answers.__getitem__",
            "    async def answer(query):\n        return answers[query]\n    return answer",
        )
        + marks,
    )
    rag.run(own_process=True).assert_outcomes(passed=7)


def test_workers_give_the_same_bytes(rag: Project, require: Require) -> None:
    require.library("xdist")
    rag.run(*UPDATE)
    serial = rag.baseline()
    (rag.path / "baseline.json").unlink()
    rag.run(*UPDATE, "-n2", own_process=True).assert_outcomes(passed=7)
    assert rag.baseline() == serial
    answered(rag, "Lyon")
    rag.run(BASELINE, "-n2", own_process=True).assert_outcomes(passed=5, failed=2)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "yaml", "toml", "md", "html"])
def test_every_report_holds_what_was_expected_and_what_was_answered(rag: Project, suffix: str) -> None:
    answered(rag, "Lyon <b>")
    rag.run(f"--eval-report=now.{suffix}", BASELINE, "--eval-update")
    text = (rag.path / f"now.{suffix}").read_text(encoding="utf-8")
    if suffix != "md":
        assert "City of Paris" in text
    assert "exact_match" in text
    assert "<b>" not in text or suffix != "html"


def test_a_summary_for_a_pull_request_shows_the_answer_that_was_lost(rag: Project) -> None:
    rag.run(*UPDATE)
    answered(rag, "Lyon")
    rag.run(BASELINE, "--eval-report=now.md")
    text = (rag.path / "now.md").read_text(encoding="utf-8")
    assert "lost    capital  expected 'Paris' or 'City of Paris'  got 'Lyon'" in text


def test_a_mark_evaluates_a_suite_with_its_answerer(rag: Project) -> None:
    rag.write(
        "test_rag.py",
        """\
import pytest

@pytest.mark.recall("rag.eval.yaml", min_exact_match=0.9, min_anls=0.9)
def test_suite(recall):
    assert recall.evaluation["mrr"] == 1.0

def test_python(recall, retriever, answerer):
    assert recall.evaluate("rag.eval.yaml", retriever, answerer=answerer)["exact_match"] == 1.0
""",
    )
    rag.run("test_rag.py").assert_outcomes(passed=2)
    answered(rag, "Lyon")
    result = rag.run("test_rag.py")
    assert "exact_match 0.500, needs 0.900" in failure(result, "test_suite")[0]


def test_a_mark_needs_no_retriever_where_only_answers_are_judged(only: Project) -> None:
    only.write(
        "test_rag.py",
        """\
import pytest

@pytest.mark.recall("only.eval.yaml", min_exact_match=1)
def test_suite(recall):
    assert [case.answer for case in recall.evaluation.cases] == ["Paris.", "1789"]
    assert "judged@10" not in recall.evaluation.metrics
""",
    )
    only.run("test_rag.py").assert_outcomes(passed=1)


RECORDED = """\
import pytest

@pytest.mark.recall(min_exact_match=0.5)
def test_answers(recall):
    recall({call})
"""


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("'q', None, [], answers=['Paris']", "'q': no answer came back; give it with answer="),
        ("'q', None, [], answers='Paris', answer='Paris'", "answers must be a list of texts, got 'Paris'"),
        ("'q', None, [], answers=['Paris'], answer=3", "an answer must be text, got 3"),
        (
            "'q', None, [], answer='Paris'",
            "relevant must be a list of ids, and may be None only where answers= are given",
        ),
        (
            "'q', None, [], answers=['Paris'], answer='Paris', stale=['old']",
            "'q': stale needs relevant ids beside it, or an empty list of them",
        ),
    ],
)
def test_what_a_test_can_t_record(project: Project, call: str, error: str) -> None:
    project.write("test_rag.py", RECORDED.replace("{call}", call))
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*RecallError: {error}".replace("[", "[[]")])


@pytest.mark.parametrize(
    "call",
    [
        "'q', None, [], answers=['Lyon', 'Paris'], answer='paris!'",
        "'q', ['a'], {'results': ['a'], 'answer': 'Paris'}, answers=['Paris']",
        "'q', ['a'], {'results': ['a'], 'answer': 'Lyon'}, answers=['Paris'], answer='Paris'",
    ],
)
def test_a_test_records_answers(project: Project, call: str) -> None:
    project.write("test_rag.py", RECORDED.replace("{call}", call))
    project.run().assert_outcomes(passed=1)
