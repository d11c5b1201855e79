"""The rows of the page's steps."""

from __future__ import annotations

from pytest_recall.reports.page.steps import MOST_STEPS, step_facts, step_rows
from pytest_recall.reports.page.view import page_of
from tests.replays import ADDED, ASKED, CHANGED, FINAL, LEFT_OUT, OTHER_FINAL, replayed

PAIRS = (ASKED, CHANGED, LEFT_OUT, ADDED, ASKED, OTHER_FINAL)


def test_each_side_counts_its_own_steps() -> None:
    rows = step_rows(PAIRS)
    assert [row.recorded and row.recorded.number for row in rows] == [1, 2, 3, None, 4, None]
    assert [row.now and row.now.number for row in rows] == [1, 2, None, 3, 4, None]
    assert [row.kind for row in rows] == ["model", "tool", "tool", "model", "model", "final text"]
    assert step_facts(PAIRS) == ("4 steps recorded", "4 now")


def test_a_word_says_how_now_is_and_the_first_that_differs_is_marked() -> None:
    rows = step_rows(PAIRS)
    assert [row.word for row in rows] == ["same", "differs", "left out", "added", "same", "differs"]
    assert [row.first for row in rows] == [False, True, False, False, False, False]
    assert not any(row.first for row in step_rows((ASKED, FINAL)))


def test_a_run_has_steps_in_the_place_of_cases_and_charts() -> None:
    (view,) = page_of([replayed(*PAIRS)]).systems
    assert (len(view.steps), view.steps_left_out, view.distributions, view.recall) == (6, 0, (), None)
    assert view.facts == ("4 steps recorded", "4 now")


def test_the_longest_runs_are_cut() -> None:
    (view,) = page_of([replayed(*[ASKED] * MOST_STEPS, FINAL)]).systems
    assert (len(view.steps), view.steps_left_out) == (MOST_STEPS, 1)
