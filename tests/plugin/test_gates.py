"""How a gate fails: exit code, designed text, location."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project


def failure(result: pytest.RunResult, name: str) -> list[str]:
    """The text of one failing item."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if line.startswith("___") and f" {name} " in line) + 1
    stop = next(i for i in range(start, len(lines)) if lines[i].startswith(("___", "===")))
    return lines[start:stop]


BOUNDED = """\
k: 3
thresholds:
  recall@3: 0.85
  "mrr:hard": 0.5
cases:
  - {id: one, query: q1, relevant: [a]}
  - {id: two, query: q2, relevant: [b, c], tags: [hard]}
  - {id: none, query: q3, relevant: []}
metrics: [recall@3]
memories: [{id: a}, {id: b}, {id: c}, {id: d}, {id: e}]
"""


@pytest.fixture
def bounded(project: Project) -> Project:
    project.write("notes.eval.yaml", BOUNDED)
    project.rankings({"q1": ["d", "a"], "q2": ["d", "e", "b"], "q3": []})
    return project


def test_a_missed_bound_is_told_with_the_cases_and_no_traceback(bounded: Project) -> None:
    result = bounded.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=2)
    # recall@3: 1 and 1/2, so 0.75. mrr of "two": b is at rank 3.
    assert failure(result, "recall-at-3") == [
        "recall@3 0.750, needs 0.850 (notes.eval.yaml:3)",
        "  2 cases, 1 negative left out",
        "  missed  two  c: not in 3, b: rank 3  got d, e, b",
    ]
    assert failure(result, "mrr:hard") == [
        "mrr:hard 0.333, needs 0.500 (notes.eval.yaml:4)",
        "  1 case",
        "  missed  two  c: not in 3, b: rank 3  got d, e, b",
    ]


def test_a_failing_case_is_told_alone(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        """\
k: 3
metrics: [mrr]
each: {hit_rate@3: 1}
memories: [{id: a}, {id: b}]
cases:
  - {id: one, query: q1, relevant: [a], expect: {mrr: 1, hit_rate@3: 1}}
  - {id: two, query: q2, relevant: [b]}
""",
    )
    project.rankings({"q1": ["b", "a"], "q2": ["b"]})
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    assert failure(result, "case:one") == [
        "case one: mrr 0.500, needs 1.000 (notes.eval.yaml:6)",
        "  missed  one  a: rank 2",
    ]


def test_junit_points_at_the_line_of_the_suite_and_carries_the_scores(bounded: Project) -> None:
    bounded.run("--junitxml=junit.xml", "-o", "junit_family=xunit1")
    cases = ET.parse(bounded.path / "junit.xml").iter("testcase")  # noqa: S314  # pytest's own file
    told = {
        case.attrib["name"]: (
            case.attrib["file"],
            case.attrib["line"],
            [p.attrib["value"] for p in case.iter("property")],
        )
        for case in cases
    }
    # JUnit counts lines from 0, as pytest hands them over.
    assert told == {
        "recall-at-3": ("notes.eval.yaml", "2", ["0.75"]),
        "mrr": ("notes.eval.yaml", "0", [str((1 / 2 + 1 / 3) / 2)]),
        "mrr:hard": ("notes.eval.yaml", "3", [str(1 / 3)]),
    }


def test_the_place_of_a_failure_is_the_line_of_the_suite(bounded: Project) -> None:
    result = bounded.run("--tb=line")
    result.stdout.fnmatch_lines(["*/notes.eval.yaml:3: Failed: recall@3 0.750, needs 0.850 (notes.eval.yaml:3)"])


def test_hostile_and_long_tags_and_ids_are_shown_escaped_and_cut(project: Project) -> None:
    long = "x" * 300
    project.write(
        "notes.eval.yaml",
        f"""\
k: 1
metrics: [mrr]
thresholds: {{"mrr:red\\e[31m\\n": 1, "mrr:{long}": 1}}
each: {{mrr: 1}}
cases:
  - {{id: "{long}", query: q, relevant: [a], tags: ["red\\e[31m\\n"]}}
  - {{id: two, query: q, relevant: [b], tags: ["{long}"]}}
""",
    )
    project.rankings({"q": ["b"]})
    result = project.run("--junitxml=junit.xml", "--color=yes")
    assert failure(project.run(), "mrr:red--31m-")[0] == ("mrr:red\\x1b[31m\\n 0.000, needs 1.000 (notes.eval.yaml:3)")
    assert f"case {'x' * 79}…: mrr 0.000, needs 1.000 (notes.eval.yaml:4)" in result.outlines
    properties = ET.parse(project.path / "junit.xml").iter("property")  # noqa: S314  # pytest's own file
    assert [each.attrib["name"] for each in properties] == [
        "eval.mrr",
        "eval.mrr",
        "eval.mrr",
        "eval.mrr:red\\x1b[31m\\n",
        f"eval.mrr:{long}",
    ]


def test_a_value_exactly_on_the_bound_passes_whatever_the_floats_say(project: Project) -> None:
    # fsum([0.7, 0.8, 0.9]) / 3 is 0.7999999999999999.
    ids = [f"r{n}" for n in range(10)]
    memories = ", ".join(f"{{id: {id}}}" for id in [*ids, "x0", "x1", "x2"])
    cases = "".join(f"  - {{id: c{n}, query: q{n}, relevant: [{', '.join(ids)}]}}\n" for n in (7, 8, 9))
    project.write("eq.eval.yaml", f"thresholds: {{recall@10: 0.8}}\nmemories: [{memories}]\ncases:\n{cases}")
    project.rankings({f"q{n}": ids[:n] + ["x0", "x1", "x2"][: 10 - n] for n in (7, 8, 9)})
    project.run("-k", "recall-at-10").assert_outcomes(passed=1)
    project.write("eq.eval.yaml", f"thresholds: {{recall@10: 0.80001}}\nmemories: [{memories}]\ncases:\n{cases}")
    result = project.run("-k", "recall-at-10")
    assert failure(result, "recall-at-10")[0] == "recall@10 0.80000, needs 0.80001 (eq.eval.yaml:1)"


def test_a_bound_that_no_score_can_meet_exactly_says_the_step(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        "thresholds: {hit_rate@1: 0.67}\nk: 1\nmetrics: [hit_rate@1]\ncases:\n"
        + "".join(f"  - {{query: q{n}, relevant: [a]}}\n" for n in (1, 2, 3)),
    )
    project.rankings({"q1": ["a"], "q2": ["a"], "q3": ["b"]})
    assert failure(project.run(), "hit_rate-at-1")[0] == (
        "hit_rate@1 0.667, needs 0.670 (notes.eval.yaml:1; moves in steps of 0.333)"
    )


RAISING = """\
import pytest

@pytest.fixture(scope="module")
def retriever():
    def search(query, k):
        if query in ("q3", "q4"):
            raise ConnectionError(f"no answer to {query}")
        return {"q1": ["a"], "q2": ["b"]}[query]
    return search
"""


def test_a_case_that_raises_fails_every_gate_it_would_count_for(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        """\
k: 1
thresholds: {recall@1: 0, "recall@1:safe": 1}
metrics: [recall@1, negative_accuracy]
memories: [{id: a}, {id: b}, {id: c}]
cases:
  - {id: c1, query: q1, relevant: [a], tags: [safe]}
  - {id: c2, query: q2, relevant: [b], tags: [safe]}
  - {id: c3, query: q3, relevant: [c]}
  - {id: c4, query: q4, relevant: []}
""",
    )
    project.write("conftest.py", RAISING)
    result = project.run()
    result.assert_outcomes(passed=1, failed=2)
    text = failure(result, "recall-at-1")
    assert text[0] == ("recall@1 has no value: 1 of 3 cases raised, first c3: ConnectionError: no answer to q3")
    assert "conftest.py:7: in search" in text
    assert "E   ConnectionError: no answer to q3" in text
    assert not any("pytest_recall" in line for line in text)
    text = failure(result, "negative_accuracy")
    assert text[0] == "negative_accuracy has no value: 1 of 1 case raised, first c4: ConnectionError: no answer to q4"
    assert text[-1] == "E   ConnectionError: no answer to q4"
    result.stdout.fnmatch_lines(["  recall@1                             –  *  >= 0  failed"])


def test_a_traceback_is_shown_once_and_referred_to_afterwards(notes: Project) -> None:
    notes.write("conftest.py", RAISING.replace('("q3", "q4")', '("q2",)'))
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "recall-at-3")[-1] == "E   ConnectionError: no answer to q2"
    assert failure(result, "mrr") == [
        "mrr has no value: 1 of 2 cases raised, first two: ConnectionError: no answer to q2",
        "  traceback: see the first failure for case two",
    ]
    # Alone it is the first.
    assert failure(notes.run("-k", "mrr"), "mrr")[-1] == "E   ConnectionError: no answer to q2"


def test_the_last_attempt_of_a_test_that_is_run_again_shows_its_traceback(notes: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    notes.write("conftest.py", RAISING.replace('("q3", "q4")', '("q2",)'))
    result = notes.run("--reruns=1", "-k", "mrr")
    assert failure(result, "mrr")[-1] == "E   ConnectionError: no answer to q2"


def test_a_suite_in_which_everything_raises_is_red_under_a_threshold_of_zero(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        "k: 1\nthresholds: {recall@1: 0}\nmetrics: [recall@1]\nmemories: [{id: a}]\n"
        "cases: [{id: c1, query: q3, relevant: [a]}, {id: c2, query: q4, relevant: []}]\n",
    )
    project.write("conftest.py", RAISING)
    result = project.run()
    result.assert_outcomes(failed=1)


def test_a_metric_that_no_case_defines_fails_without_a_bound(project: Project) -> None:
    project.write("notes.eval.yaml", "metrics: [negative_accuracy]\ncases: [{query: q, relevant: [a]}]\n")
    project.rankings({"q": ["a"]})
    assert failure(project.run(), "negative_accuracy") == ["negative_accuracy is undefined: none of 1 case defines it"]


def test_undefined_error_names_the_cases(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        "metrics: [mrr]\nundefined: error\ncases: [{query: q, relevant: [a]}, {id: none, query: r, relevant: []}]\n",
    )
    project.rankings({"q": ["a"], "r": []})
    assert failure(project.run(), "mrr")[0] == "mrr is undefined for 1 case: none"


def test_ids_that_never_match_fail_the_suite_with_both_sides(notes: Project) -> None:
    notes.rankings({"q1": ["a#1", "b#1"], "q2": ["c#4"]})
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        "mrr: no returned id is a memory of this suite: returned 'a#1', memories look like 'a'"
    ]


def test_near_misses_of_ids_are_told(project: Project) -> None:
    project.write(
        "notes.eval.yaml",
        "thresholds: {mrr: 1}\nmetrics: [mrr]\nmemories: [{id: Lease}, {id: rent}]\n"
        "cases: [{query: q1, relevant: [Lease]}, {query: q2, relevant: [rent]}]\n",
    )
    project.rankings({"q1": ["lease"], "q2": ["rent"]})
    assert failure(project.run(), "mrr")[-1] == "  returned 'lease', which is 'Lease' but for letter case"


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("None", "the retriever returned None (missing return?); accepted are"),
        ("'ab'", "the retriever returned a bare str, not a list of ids; accepted are"),
        ("3", "the retriever returned an object of type int; accepted are"),
        ("{'a', 'b'}", "the retriever returned a set, which has no order; accepted are"),
        ("[None]", "an id is text or a whole number, not None"),
        ("['a', 'a']", "'a' came back twice, at ranks 1 and 2; where several results are parts of one document"),
    ],
)
def test_what_is_no_ranking_is_an_error_of_its_case(notes: Project, returned: str, sentence: str) -> None:
    notes.write(
        "conftest.py",
        f"import pytest\n@pytest.fixture\ndef retriever():\n"
        f"    return lambda query, k: {returned} if query == 'q1' else ['b']\n",
    )
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr")[0].startswith(f"mrr has no value: 1 of 2 cases raised, first one: {sentence}")
