"""A replayed run as lines of text."""

from __future__ import annotations

from pytest_recall.reports import markdown
from pytest_recall.reports.failure import failure_text
from pytest_recall.reports.replayed import divergence_lines, step_lines, steps_of
from pytest_recall.steps import StepPair
from tests.replays import ADDED, ASKED, CHANGED, FINAL, LEFT_OUT, OTHER_FINAL, replayed, run_of
from tests.searches import searched


def test_a_run_that_is_the_same_has_no_divergence() -> None:
    assert [*divergence_lines((ASKED, FINAL))] == []
    assert [*step_lines((ASKED, FINAL))] == ["  llm request aa", "  final text 68.00"]


def test_the_first_divergence_comes_with_both_sides_and_what_is_left() -> None:
    assert [*divergence_lines((ASKED, CHANGED, LEFT_OUT, ADDED, OTHER_FINAL))] == [
        "first divergence: step 2",
        '  recorded  tool find({"id":"a17"})',
        '  now       tool find({"id":"A17"})',
        "1 of 3 recorded steps made again, 3 steps now",
        "the final text differs",
    ]
    assert [*divergence_lines((ASKED, OTHER_FINAL))] == [
        "first divergence: the final text",
        "  recorded  '68.00'",
        "  now       nothing",
        "1 of 1 recorded step made again, 1 step now",
    ]


def test_steps_are_listed_as_in_a_diff() -> None:
    long = StepPair(kind="tool", recorded="x" * 200 + "a", now="x" * 200 + "b")
    hostile = StepPair(kind="tool", recorded="a\n\x1b[31m", now=None)
    assert [*step_lines((CHANGED, LEFT_OUT, ADDED, long, hostile, OTHER_FINAL))] == [
        '- tool find({"id":"a17"})',
        '+ tool find({"id":"A17"})',
        "- tool refund({})",
        "+ llm request bb",
        "- …" + "x" * 33 + "a",
        "+ …" + "x" * 33 + "b",
        r"- a\n\x1b[31m",
        "- final text 68.00",
    ]


def test_a_suite_has_no_steps() -> None:
    assert steps_of(searched(3)) == ()
    assert steps_of(run_of(ASKED, FINAL)) == (ASKED, FINAL)


def test_a_failure_ends_with_the_command_that_shows_all_steps() -> None:
    report = replayed(ASKED, CHANGED, FINAL)
    (failed,) = [verdict for verdict in report.verdicts if verdict.failed]
    text = failure_text([failed], report.evaluation, None, see_all="pytest x -vv", whole=False)
    assert text.splitlines() == [
        "reproduced 0.000, needs 1.000",
        "  first divergence: step 2",
        '    recorded  tool find({"id":"a17"})',
        '    now       tool find({"id":"A17"})',
        "  1 of 2 recorded steps made again, 2 steps now",
        "  the final text is the same",
        "  all steps: pytest x -vv",
    ]


def test_markdown_shows_the_divergence_in_a_fence() -> None:
    text = markdown.render([replayed(ASKED, CHANGED, FINAL, compared=True)]).decode()
    assert "first divergence: step 2\n" in text
    assert text.count("```") == 2
    same = markdown.render([replayed(ASKED, FINAL, compared=True)]).decode()
    assert "```" not in same
