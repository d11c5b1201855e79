"""``@pytest.mark.recall`` on written tests."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

CASES = """\
import pytest

CASES = [("q1", ["a"]), ("q2", ["b"])]
"""

RECORDING = (
    CASES
    + """
@pytest.mark.recall(min_mrr=0.8, min_recall_at_5=0.9, max_drop=0.02)
def test_notes(recall, retriever):
    for query, relevant in CASES:
        recall(query, relevant, retriever(query, 10))
"""
)

OF_A_FILE = """\
import pytest

@pytest.mark.recall("notes.eval.yaml", min_mrr=0.8)
def test_suite(recall):
    assert recall.evaluation["mrr"] >= recall.evaluation["precision@1"]
    assert recall.suite.k == 3
"""


def test_rankings_that_a_test_records_are_judged_when_it_ends(notes: Project) -> None:
    notes.write("test_notes.py", RECORDING)
    notes.run("test_notes.py").assert_outcomes(passed=1)
    notes.rankings({"q1": ["b", "a"], "q2": ["c"]})
    result = notes.run("test_notes.py")
    result.assert_outcomes(failed=1)
    # mrr: (1/2 + 0) / 2; recall@5: (1 + 0) / 2.
    assert failure(result, "test_notes") == [
        "mrr 0.250, needs 0.800",
        "  2 cases",
        "  missed  q2  b: not in 10  got c",
        "  missed  q1  a: rank 2",
        "recall@5 0.500, needs 0.900 (moves in steps of 0.500)",
        "  2 cases",
        "  missed  q2  b: not in 10  got c",
    ]


def test_a_marked_suite_is_evaluated_with_the_retriever(notes: Project) -> None:
    notes.write("notes.eval.yaml", NOTES.replace("[recall@3, mrr]", "[precision@1]"))
    notes.write("test_suite.py", OF_A_FILE)
    notes.run("test_suite.py").assert_outcomes(passed=1)
    notes.rankings({"q1": ["b", "a"], "q2": ["b"]})
    result = notes.run("test_suite.py")
    assert failure(result, "test_suite")[0] == "mrr 0.750, needs 0.800"


def test_a_marked_suite_is_held_to_its_own_thresholds_too(notes: Project) -> None:
    suite = NOTES + "thresholds: {mrr: 0.9, recall@3: 0.5}\neach: {hit_rate@3: 1}\n"
    notes.write("notes.eval.yaml", suite)
    notes.write(
        "test_suite.py",
        "import pytest\n@pytest.mark.recall('notes.eval.yaml', min_recall_at_3=0.8)\ndef test_x(recall): pass\n",
    )
    notes.rankings({"q1": ["b", "a"], "q2": ["c"]})
    # mrr: (1/2 + 0) / 2; recall@3: (1 + 0) / 2, where the mark's bound goes before the suite's.
    text = failure(notes.run("test_suite.py"), "test_x")
    assert [line for line in text if not line.startswith(" ")] == [
        "recall@3 0.500, needs 0.800 (moves in steps of 0.500)",
        "mrr 0.250, needs 0.900",
        "case two: hit_rate@3 0.000, needs 1.000",
    ]


def test_a_k_below_a_cutoff_of_the_suite_is_an_error(notes: Project) -> None:
    notes.write("test_x.py", "import pytest\n@pytest.mark.recall('notes.eval.yaml', k=2)\ndef test_x(recall): pass\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(errors=1)
    assert "@pytest.mark.recall: k=2 is below the cutoff of recall@3, which notes.eval.yaml asks for" in result.outlines


@pytest.mark.parametrize("k", [3, 4])
def test_a_k_from_the_cutoffs_of_the_suite_on_is_asked_for(notes: Project, k: int) -> None:
    body = f"assert recall.evaluation.settings.k == {k}"
    notes.write(
        "test_x.py",
        f"import pytest\n@pytest.mark.recall('notes.eval.yaml', k={k})\ndef test_x(recall): {body}\n",
    )
    notes.run("test_x.py").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "use", "sentence"),
    [
        (
            "'notes.eval.yaml'",
            "recall('q', ['a'], ['a'])",
            "the mark evaluates 'notes.eval.yaml': a test records rankings or names a suite, not both",
        ),
        ("", "recall.suite", "the mark names no suite; write @pytest.mark.recall('FILE.eval.yaml')"),
    ],
)
def test_a_test_records_or_names_a_suite(notes: Project, mark: str, use: str, sentence: str) -> None:
    notes.write("test_x.py", f"import pytest\n@pytest.mark.recall({mark})\ndef test_x(recall): {use}\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E *Error: {sentence}"])


def test_recording_without_a_mark_is_an_error(notes: Project) -> None:
    notes.write("test_x.py", "def test_x(recall):\n    recall('q', ['a'], ['b'])\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *nothing judges what is recorded here: put @pytest.mark.recall on the test"])


def test_a_parametrised_retriever_has_to_be_an_argument_too(notes: Project) -> None:
    notes.write(
        "conftest.py",
        "import pytest\n@pytest.fixture(params=[1, -1], ids=['up', 'down'])\n"
        "def retriever(request): return lambda query: ['a', 'b'][::request.param]\n",
    )
    test = "import pytest\n@pytest.mark.recall('notes.eval.yaml', min_mrr=0.5)\ndef test_x(recall): pass\n"
    notes.write("test_x.py", test)
    result = notes.run("test_x.py")
    result.assert_outcomes(errors=1)
    assert (
        "fixture 'retriever' is parametrised: take it as an argument of the test too, beside recall" in result.outlines
    )
    notes.write("test_x.py", test.replace("(recall)", "(recall, retriever)"))
    notes.run("test_x.py").assert_outcomes(passed=2)


def test_a_retriever_that_fails_in_its_fixture_says_why(notes: Project) -> None:
    notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pytest.fail('no index')\n")
    notes.write("test_x.py", "import pytest\n@pytest.mark.recall('notes.eval.yaml')\ndef test_x(recall): pass\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *Failed: no index"])


def test_a_tag_that_no_case_has_is_told(notes: Project) -> None:
    notes.write(
        "test_x.py",
        "import pytest\n@pytest.mark.recall(thresholds={'mrr:legl': 0.5})\ndef test_x(recall):\n"
        "    recall('q', ['a'], ['a'], tags=['legal'])\n",
    )
    text = failure(notes.run("test_x.py"), "test_x")
    assert text == ["mrr:legl: no case has the tag 'legl' (did you mean 'legal'?)"]


def test_evaluate_needs_no_mark_and_judges_nothing(notes: Project) -> None:
    notes.write(
        "tests/test_x.py",
        "def test_x(recall, retriever):\n"
        "    evaluation = recall.evaluate('../notes.eval.yaml', retriever)\n"
        "    assert (evaluation.suite, evaluation['mrr']) == ('notes.eval.yaml', 1.0)\n",
    )
    result = notes.run("tests")
    result.assert_outcomes(passed=1)
    assert "eval" not in result.outlines


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ("min_mmr=0.8", "unknown keyword 'min_mmr' (did you mean 'min_mrr'?)"),
        ("min_recal_at_5=0.8", "unknown keyword 'min_recal_at_5' (did you mean 'min_recall_at_5'?)"),
        ("min_recal=0.8", "unknown keyword 'min_recal' (did you mean 'min_recall'?)"),
        ("minmrr=0.8", "unknown keyword 'minmrr' (did you mean 'min_mrr'?)"),
        ("undefind='zero'", "unknown keyword 'undefind' (did you mean 'undefined'?)"),
        ("min_mrr=True", "min_mrr=True: a bound is a number"),
        ("min_mrr='0.8'", "min_mrr='0.8': a bound is a number"),
        ("min_mrr=85", "min_mrr: min 85 is outside the range of mrr (0 to 1)"),
        ("min_mrr=float('nan')", "min_mrr: min nan is outside the range of mrr (0 to 1)"),
        ("min_mrr=0.8, max_mrr=0.7", "mrr: min 0.8 is above max 0.7"),
        (
            "min_recall_at_0=0.8",
            "min_recall_at_0: metric 'recall@0': the cutoff must be a whole number from 1 to 1,000,000",
        ),
        ("min_recall_at_20=0.8, k=10", "recall@20: the cutoff is above k = 10"),
        ("max_latency_p95_ms=50", "latency_p95_ms: the test passes its rankings in, so there is no time to measure"),
        ("max_drop=True", "max_drop=True: a tolerance is a number from 0 such as 0.02, or a share such as '5%'"),
        ("max_drop=-1", "max_drop: '-1' is no tolerance: write a number from 0 such as 0.02, or a share such as 5%"),
        ("max_drop='100%'", "max_drop: '100%' is no tolerance: a share is below 100%, such as 5%"),
        ("alpha=2", "alpha: '2.0' is no alpha: write a number above 0 and below 1, such as 0.05"),
        ("alpha='5%'", "alpha='5%': an alpha is a number above 0 and below 1"),
        ("k=0", "k=0: k is a whole number from 1"),
        ("undefined='zeros'", "undefined='zeros': must be exclude or zero or one or error (did you mean 'zero'?)"),
        ("duplicates='last'", "duplicates='last': must be error or first"),
        ("retriever='my search'", "retriever='my search': the name of a fixture is needed"),
        ("thresholds=0.8", "thresholds: a mapping from metric to bound is needed, not 0.8"),
        ("thresholds={'recal@5': 0.8}", "thresholds['recal@5']: unknown metric 'recal@5' (did you mean 'recall@5'?)"),
        ("thresholds={'mrr': {'mn': 0.8}}", "thresholds['mrr']: unknown key 'mn' (did you mean 'min'?)"),
        ("min_mrr=0.5, thresholds={'mrr': 0.8}", "thresholds['mrr']: the min of mrr is given twice"),
        ("'gone.eval.yaml'", "gone.eval.yaml: can't be read: No such file or directory"),
        ("'a.yaml', 'b.yaml'", "the mark takes one suite file, not 2"),
        ("7", "the mark takes the path of a suite as text, not 7"),
    ],
)
def test_a_mark_that_means_nothing_is_an_error(notes: Project, keywords: str, sentence: str) -> None:
    notes.write(
        "test_x.py",
        f"import pytest\n@pytest.mark.recall({keywords})\ndef test_x(recall): recall('q', ['a'], ['a'])\n",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(errors=1)
    assert f"@pytest.mark.recall: {sentence}" in result.outlines


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("recall): pass", "nothing was recorded: call recall(query, relevant, ranking) in the test"),
        ("): pass", "a test marked `recall` needs the fixture `recall` among its arguments"),
        (
            "recall): recall('q', ['a'], ['b#1'])",
            "mrr: no expected id ever came back: returned 'b#1', expected ids look like 'a'",
        ),
        ("recall): recall('q', [], [])", "mrr is undefined: none of 1 case defines it"),
    ],
)
def test_no_evidence_is_never_a_pass(notes: Project, body: str, sentence: str) -> None:
    notes.write("test_x.py", f"import pytest\n@pytest.mark.recall(min_mrr=0.1)\ndef test_x({body}\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    assert sentence in result.outlines


def test_a_method_of_unittest_takes_no_fixture_so_its_mark_fails(notes: Project) -> None:
    notes.write(
        "test_x.py",
        "import pytest, unittest\n@pytest.mark.recall(min_mrr=0.1)\nclass TestX(unittest.TestCase):\n"
        "    def test_x(self): pass\n",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    assert failure(result, "TestX.test_x") == ["a test marked `recall` needs the fixture `recall` among its arguments"]


def test_a_retriever_of_a_marked_suite_that_can_not_be_called_is_told(notes: Project) -> None:
    notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pass\n")
    notes.write("test_x.py", "import pytest\n@pytest.mark.recall('notes.eval.yaml')\ndef test_x(recall): pass\n")
    assert failure(notes.run("test_x.py"), "test_x") == [
        (
            "fixture 'retriever': a retriever is a callable or an object with search, invoke or retrieve, "
            "not NoneType (missing return?)"
        )
    ]


def test_what_is_wrong_with_all_numbers_is_told_once(notes: Project) -> None:
    notes.write(
        "test_x.py",
        "import pytest\n@pytest.mark.recall(min_mrr=0.1, min_recall=0.1)\ndef test_x(recall):\n"
        "    recall('q', ['a'], ['b#1'])\n",
    )
    assert failure(notes.run("test_x.py"), "test_x") == [
        "mrr: no expected id ever came back: returned 'b#1', expected ids look like 'a'"
    ]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("'q', [10**5000], ['a']", "each of relevant must be text or a whole number, got one of thousands of digits"),
        ("'q', 'a', ['a']", "relevant must be a list of ids, got 'a'"),
        ("'q', None, ['a']", "relevant must be a list of ids, and may be None only where answers= are given"),
        ("'q', {'a': -1}, ['a']", "the grade of 'a' must be a number from 0, got -1"),
        ("'q', {'a': True}, ['a']", "the grade of 'a' must be a number from 0, got True"),
        ("' ', ['a'], ['a']", "query must be text that is not blank, got ' '"),
        ("None, ['a'], ['a']", "query must be text that is not blank, got None"),
        ("'q', ['a'], ['a'], id=' '", "id must be text that is not blank, got ' '"),
        ("'q', ['a'], ['a'], stale=['a']", "'q': 'a' is relevant and stale"),
        ("'q', ['a'], ['x', 'x']", "'x' came back twice, at ranks 1 and 2; *"),
        ("'q', ['a'], None", "the ranking is None (missing return?); *"),
        ("'q', ['a'], 5", "the ranking is an object of type int; *"),
        ("'q0', ['a'], ['a']", "'q0' is recorded already; give each case an id of its own with id="),
    ],
)
def test_what_can_not_be_recorded_fails_the_test_at_that_line(notes: Project, call: str, sentence: str) -> None:
    notes.write(
        "test_x.py",
        f"import pytest\n@pytest.mark.recall(min_mrr=0.1)\ndef test_x(recall):\n"
        f"    recall('q0', ['a'], ['a'])\n    recall({call})\n",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E *Error: {sentence.replace('[', '[[]')}"])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            "    with ThreadPoolExecutor() as pool: pool.submit(recall, 'bad', ['a'], None)\n",
            "recall('bad', …) was refused, and a gate needs every case: the ranking is None (missing return?); *",
        ),
        (
            "    for query in (7, 8):\n        with suppress(Exception): recall(query, ['a'], ['a'])\n",
            "recall(…, …) was refused, and a gate needs every case: query must be text that is not blank, got 7",
        ),
        (
            "    with pytest.raises(Exception): recall('good', ['a'], ['b'])\n",
            "recall('good', …) was refused, and a gate needs every case: 'good' is recorded already; *",
        ),
        (
            "    with suppress(pytest.skip.Exception): recall('bad', ['a'], (pytest.skip(id) for id in ['offline']))\n",
            "recall('bad', …) was refused, and a gate needs every case: Skipped: offline",
        ),
    ],
    ids=["thread", "no text", "twice", "skip"],
)
def test_a_refused_call_fails_the_test_that_goes_on(notes: Project, body: str, sentence: str) -> None:
    notes.write(
        "test_x.py",
        "import pytest\nfrom concurrent.futures import ThreadPoolExecutor\nfrom contextlib import suppress\n"
        f"@pytest.mark.recall(min_mrr=0.9)\ndef test_x(recall):\n    recall('good', ['a'], ['a'])\n{body}",
    )
    result = notes.run("test_x.py", BASELINE, "--eval-update")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([sentence, f"not recorded: test_x.py::test_x (default): Failed: {sentence}"])


def test_what_is_recorded_after_the_body_is_an_error(notes: Project) -> None:
    notes.write(
        "test_x.py",
        "import pytest\n@pytest.mark.recall(min_mrr=0.9)\ndef test_x(recall, request):\n"
        "    recall('q', ['a'], ['a'])\n    request.addfinalizer(lambda: recall('late', ['a'], []))\n",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(passed=1, errors=1)
    sentence = "the test was judged when its body ended: call recall(query, relevant, ranking) in the body"
    result.stdout.fnmatch_lines([f"E *RecallError: {sentence}"])


def test_the_closest_mark_wins_keyword_by_keyword(notes: Project) -> None:
    notes.write(
        "test_x.py",
        """\
import pytest

pytestmark = pytest.mark.recall(min_mrr=1, min_recall_at_5=1)

@pytest.mark.recall(min_mrr=0.4)
class TestX:
    def test_of_class(self, recall):
        recall("q", ["a"], ["b", "a"])

    @pytest.mark.recall(min_mrr=0.6)
    def test_own(self, recall):
        recall("q", ["a"], ["b", "a"])

    @pytest.mark.recall(min_recall_at_5=0.5)
    def test_other_keyword(self, recall):
        recall("q", ["a", "c"], ["b", "a"])

def test_of_module(recall):
    recall("q", ["a"], ["b", "a"])
""",
    )
    result = notes.run("test_x.py", "--strict-markers")
    result.assert_outcomes(passed=2, failed=2)
    assert failure(result, "TestX.test_own")[0] == "mrr 0.500, needs 0.600"
    assert failure(result, "test_of_module")[0] == "mrr 0.500, needs 1.000"


def test_tags_stale_ids_and_grades_can_be_bounded(notes: Project) -> None:
    notes.write(
        "test_x.py",
        """\
import pytest

@pytest.mark.recall(thresholds={"recall@5:legal": 0.9, "mrr": {"min": 0.5}}, max_stale_hit_rate_at_5=0, min_ndcg=0.7)
def test_x(recall):
    recall("q1", {"a": 2, "b": 1}, ["b", "a"], tags=["legal"])
    recall("q2", [7], [7, "old"], id="two", stale=["old"])
""",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(failed=1)
    assert failure(result, "test_x") == [
        "stale_hit_rate@5 1.000, may be at most 0.000",
        "  1 case",
        "  missed  two  old (stale): rank 2",
    ]


def test_parametrised_and_class_tests_have_an_entry_each(notes: Project) -> None:
    notes.write(
        "tests/test_x.py",
        """\
import pytest

@pytest.mark.recall(min_mrr=0.1)
class TestX:
    @pytest.mark.parametrize("system", ["up", "down"])
    def test_x(self, recall, system):
        recall("q", ["a"], ["a", "b"] if system == "up" else ["b", "a"])

@pytest.mark.recall("../notes.eval.yaml")
def test_suite(recall): pass
""",
    )
    notes.run(BASELINE, "--eval-update").assert_outcomes(passed=5)
    suites = json.loads(notes.baseline())["suites"]
    found = {key: {name: e["metrics"]["mrr"]["value"] for name, e in s["systems"].items()} for key, s in suites.items()}
    assert found == {
        "notes.eval.yaml": {"retriever": 1},
        "tests/test_x.py::TestX::test_x": {"down": 0.5, "up": 1},
        "tests/test_x.py::test_suite": {"default": 1},
    }
    notes.run(BASELINE).assert_outcomes(passed=5)
    notes.run(BASELINE, "-n2", own_process=True).assert_outcomes(passed=5)


def test_a_marked_test_is_compared_with_its_entry(notes: Project) -> None:
    notes.write("test_notes.py", RECORDING.replace("min_mrr=0.8, min_recall_at_5=0.9, ", ""))
    notes.run(BASELINE, "--eval-update")
    notes.rankings({"q1": ["b", "a"], "q2": ["b", "a"]})
    result = notes.run(BASELINE, "test_notes.py")
    assert failure(result, "test_notes")[:3] == [
        "mrr 0.750, baseline 1.000, dropped 0.250, may drop 0.020 (1 of 2 cases differs, too few to decide)",
        "  2 cases",
        "  lost    q1  a: rank 1 -> 2",
    ]


def test_a_second_attempt_records_anew(notes: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    notes.write(
        "test_x.py",
        """\
import pytest

RANKINGS = iter([["b", "a"], ["a"]])

@pytest.mark.recall(min_mrr=0.8)
def test_x(recall):
    recall("q", ["a"], next(RANKINGS))
""",
    )
    result = notes.run("test_x.py", "--reruns=1", "-k", "test_x", BASELINE, "--eval-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
    assert '"mrr": 1,' in notes.baseline()


def test_a_renamed_test_has_no_entry(notes: Project) -> None:
    notes.write("test_notes.py", RECORDING)
    notes.run(BASELINE, "--eval-update")
    notes.write("test_notes.py", RECORDING.replace("test_notes", "test_renamed"))
    result = notes.run(BASELINE, "test_notes.py")
    assert failure(result, "test_renamed")[0] == (
        "mrr 1.000, no entry in baseline.json; "
        "add it: pytest test_notes.py::test_renamed --eval-baseline=baseline.json --eval-update-new"
    )


def test_one_test_for_each_case_of_a_suite(notes: Project) -> None:
    notes.write(
        "test_x.py",
        """\
import pytest

@pytest.mark.recall("notes.eval.yaml")
def test_case(eval_case, retriever):
    assert retriever(eval_case.query, 3)[0] in eval_case.relevant
""",
    )
    notes.rankings({"q1": ["a"], "q2": ["a"]})
    result = notes.run("test_x.py", "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["test_x.py::test_case[[]one[]] PASSED*", "test_x.py::test_case[[]two[]] FAILED*"])


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        (
            "@pytest.mark.recall('notes.eval.yaml', min_mrr=1)",
            "@pytest.mark.recall: a test with an `eval_case` argument asserts for itself, so its mark takes no bounds",
        ),
        (
            "@pytest.mark.recall",
            "@pytest.mark.recall: the mark names no suite: write @pytest.mark.recall('FILE.eval.yaml')",
        ),
        (
            "@pytest.mark.recall('gone.eval.yaml')",
            "@pytest.mark.recall: gone.eval.yaml: *",
        ),
        ("", "eval_case needs a suite: write @pytest.mark.recall('FILE.eval.yaml') on the test"),
    ],
)
def test_a_test_of_cases_needs_a_suite_and_no_bounds(notes: Project, mark: str, sentence: str) -> None:
    notes.write("test_x.py", f"import pytest\n{mark}\ndef test_x(eval_case): pass\n")
    result = notes.run("test_x.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{sentence}"])


def test_the_suite_of_a_module_is_there_for_its_fixtures(notes: Project) -> None:
    notes.write(
        "test_x.py",
        """\
import pytest

pytestmark = pytest.mark.recall("notes.eval.yaml")

@pytest.fixture(scope="module")
def retriever(eval_memories, eval_suite):
    assert [memory.id for memory in eval_memories] == ["a", "b", "c", "d"]
    assert eval_suite.name == "notes.eval.yaml"
    return {"q1": ["a"], "q2": ["c", "b"]}.get

def test_x(recall, eval_suite):
    assert recall.suite is eval_suite
    assert recall.evaluation["mrr"] == 0.75

@pytest.mark.recall(min_mrr=0.8)
def test_y(recall): pass
""",
    )
    result = notes.run("test_x.py")
    result.assert_outcomes(passed=1, failed=1)


def test_an_error_of_a_marked_suite_keeps_the_users_traceback(notes: Project) -> None:
    notes.write("test_suite.py", OF_A_FILE.replace("    assert", "    # "))
    notes.write("test_suite.py", "import pytest\n@pytest.mark.recall('notes.eval.yaml')\ndef test_x(recall): pass\n")
    notes.rankings({"q1": ["a"]})
    text = failure(notes.run("test_suite.py"), "test_x")
    assert text[0] == "recall@3 has no value: 1 of 2 cases raised, first two: KeyError: 'q2'"
    assert text[-1] == "E   KeyError: 'q2'"


def test_a_test_that_fails_by_itself_is_not_judged(notes: Project) -> None:
    notes.write(
        "test_x.py",
        "import pytest\n@pytest.mark.recall(min_mrr=1)\ndef test_x(recall):\n"
        "    recall('q', ['a'], ['b', 'a'])\n    assert 0\n",
    )
    result = notes.run("test_x.py", BASELINE, "--eval-update")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*mrr 0.500*")
    assert not (notes.path / "baseline.json").exists()


@pytest.mark.parametrize("plugin", ["pytest_asyncio", "anyio"])
def test_asynchronous_tests_are_judged_too(notes: Project, require: Require, plugin: str) -> None:
    require.library(plugin)
    mark = "asyncio" if plugin == "pytest_asyncio" else "anyio"
    notes.write(
        "test_x.py",
        f"""\
import pytest

@pytest.fixture
def anyio_backend(): return "asyncio"

@pytest.mark.{mark}
@pytest.mark.recall(min_mrr=0.6)
async def test_x(recall):
    recall("q", ["a"], ["b", "a"])
""",
    )
    result = notes.run("test_x.py", own_process=True)
    result.assert_outcomes(failed=1)
    assert failure(result, "test_x")[0] == "mrr 0.500, needs 0.600"


def test_the_loop_that_anyio_chose_is_no_part_of_the_system(notes: Project, require: Require) -> None:
    require.library("anyio")
    notes.write(
        "test_x.py",
        """\
import pytest

@pytest.fixture(params=["asyncio"])
def anyio_backend(request): return request.param

@pytest.mark.anyio
@pytest.mark.recall(min_mrr=0.5)
@pytest.mark.parametrize("system", ["up-to", "down"])
async def test_x(recall, system): recall("q", ["a"], ["a"])

@pytest.mark.anyio
@pytest.mark.recall(min_mrr=0.5)
async def test_y(recall): recall("q", ["a"], ["a"])
""",
    )
    notes.run("test_x.py", BASELINE, "--eval-update", own_process=True).assert_outcomes(passed=3)
    suites = json.loads(notes.baseline())["suites"]
    assert {key: list(suite["systems"]) for key, suite in suites.items()} == {
        "test_x.py::test_x": ["down", "up-to"],
        "test_x.py::test_y": ["default"],
    }


def test_a_name_of_the_users_own_for_a_loop_is_part_of_the_system(notes: Project, require: Require) -> None:
    require.library("anyio")
    notes.write(
        "test_x.py",
        """\
import pytest

@pytest.fixture(params=["asyncio"], ids=["mine"])
def anyio_backend(request): return request.param

@pytest.mark.anyio
@pytest.mark.recall(min_mrr=0.5)
async def test_x(recall): recall("q", ["a"], ["a"])
""",
    )
    notes.run("test_x.py", BASELINE, "--eval-update", own_process=True).assert_outcomes(passed=1)
    assert list(json.loads(notes.baseline())["suites"]["test_x.py::test_x"]["systems"]) == ["mine"]


def test_junit_carries_the_scores_of_marked_tests(notes: Project) -> None:
    notes.write("test_notes.py", RECORDING)
    notes.run("test_notes.py", "--junitxml=junit.xml")
    text = (notes.path / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="eval.mrr" value="1.0"' in text


TYPED = """\
from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from pytest_recall import Case, Evaluation, Memory, Recall, Suite


@pytest.fixture(scope="module")
def retriever(eval_memories: Sequence[Memory], eval_suite: Suite) -> Callable[[str, int], list[str]]:
    def search(query: str, k: int) -> list[str]:
        return [memory.id for memory in eval_memories if query in memory.text][: min(k, eval_suite.k)]

    return search


@pytest.mark.recall("notes.eval.yaml", min_mrr=0.8)
def test_suite(recall: Recall, retriever: Callable[[str, int], list[str]]) -> None:
    evaluation: Evaluation = recall.evaluate("notes.eval.yaml", retriever)
    value: float | None = evaluation["mrr"]
    assert value == recall.evaluation["mrr"]


@pytest.mark.recall("notes.eval.yaml")
def test_case(eval_case: Case) -> None:
    recorded: list[str] = list(eval_case.relevant or ())
    assert recorded


@pytest.mark.recall(min_mrr=0.8)
def test_rankings(recall: Recall) -> None:
    recall("q", {"a": 2.0}, [("a", 0.5)], id="one", stale=["old"], tags=["legal"])
"""


def test_a_typed_test_file_passes_mypy_strict(project: Project, require: Require) -> None:
    require.library("mypy")
    project.write("test_typed.py", TYPED)
    result = project.pytester.run(sys.executable, "-m", "mypy", "--strict", "--cache-dir=.cache", "test_typed.py")
    result.stdout.fnmatch_lines(["Success: no issues found in 1 source file"])


def test_grades_whose_gains_have_no_sum(notes: Project) -> None:
    notes.write(
        "test_notes.py",
        """\
import pytest

@pytest.mark.recall(min_ndcg=0.8)
def test_notes(recall):
    recall("q1", {"a": 1.7e308, "b": 1.7e308, "c": 1.7e308}, ["a", "b", "c"])
    assert recall.evaluation["ndcg"] > 0.9
""",
    )
    result = notes.run("test_notes.py")
    result.assert_outcomes(failed=1)
    # The user's line is the last that is shown.
    result.stdout.fnmatch_lines(
        [
            "E       pytest_recall.errors.RecallError: the grades are too large: a sum of their gains is no number",
            "",
            "test_notes.py:6: RecallError",
        ],
        consecutive=True,
    )


def test_grades_whose_gains_have_no_sum_are_told_where_the_test_is_judged(notes: Project) -> None:
    notes.write(
        "test_notes.py",
        """\
import pytest

@pytest.mark.recall(min_ndcg=0.8)
def test_notes(recall):
    recall("q1", {"a": 1.7e308, "b": 1.7e308, "c": 1.7e308}, ["a", "b", "c"])
""",
    )
    result = notes.run("test_notes.py")
    result.assert_outcomes(failed=1)
    assert failure(result, "test_notes") == ["the grades are too large: a sum of their gains is no number"]


REFUSED_UNHEARD = """\
from concurrent.futures import ThreadPoolExecutor
import pytest

def test_mark_forgotten(recall):
    with ThreadPoolExecutor() as pool:
        pool.submit(recall, "q1", ["a"], ["x"])

@pytest.mark.recall(min_mrr=0.9)
def test_wrong_keyword(recall):
    with ThreadPoolExecutor() as pool:
        pool.submit(recall, "q1", ["a"], ["a"])
        pool.submit(recall, "q2", ["b"], ["x"], tag=["hr"])

@pytest.mark.recall(min_mrr=0.9)
def test_missing_argument(recall):
    recall("q1", ["a"], ["a"])
    try:
        recall(query="q2", relevant=["b"])
    except TypeError:
        pass
"""


def test_calls_that_are_refused_unheard_fail_their_test(notes: Project) -> None:
    notes.write("test_notes.py", REFUSED_UNHEARD)
    result = notes.run("test_notes.py")
    result.assert_outcomes(failed=3)
    tail = "was refused, and a gate needs every case"
    assert failure(result, "test_mark_forgotten") == [
        f"recall('q1', …) {tail}: nothing judges what is recorded here: put @pytest.mark.recall on the test"
    ]
    (wrong,) = failure(result, "test_wrong_keyword")
    assert wrong.startswith(f"recall('q2', …) {tail}: TypeError: ")
    # Python 3.13 adds what may have been meant.
    assert "got an unexpected keyword argument 'tag'" in wrong
    (missing,) = failure(result, "test_missing_argument")
    assert missing.endswith("missing 1 required positional argument: 'ranking'")


def test_a_test_without_the_mark_that_fails_itself_is_told_once(notes: Project) -> None:
    notes.write("test_notes.py", "def test_notes(recall): recall('q1', ['a'], ['x'])\n")
    notes.run("test_notes.py").assert_outcomes(failed=1)
