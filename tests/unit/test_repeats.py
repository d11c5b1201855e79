from __future__ import annotations

import pytest

from pytest_recall.evaluation import CaseResult
from pytest_recall.repeats import over_repeats, unsteady


def result(
    *ranking: str, latency_ms: float | None = None, error: str | None = None, **scores: float | None
) -> CaseResult:
    return CaseResult(id="q", ranking=ranking, scores=scores, latency_ms=latency_ms, error=error)


def test_case_that_was_asked_once_is_as_it_came() -> None:
    once = result("a", mrr=1.0)
    assert over_repeats([once]) is once
    assert (once.steady, once.repeats) == (True, ())


def test_scores_and_latency_are_means_over_the_repeats() -> None:
    repeats = [
        result("a", "b", latency_ms=3.0, mrr=1.0, map=None),
        result("b", "a", latency_ms=6.0, mrr=0.5, map=None),
        result("a", "b", latency_ms=3.0, mrr=1.0, map=None),
    ]
    case = over_repeats(repeats)
    # Thirds of 1, 0.5 and 1.
    assert case.scores == {"mrr": pytest.approx(2.5 / 3), "map": None}
    assert case.latency_ms == 4.0
    assert case.ranking == ("a", "b")
    assert (case.rankings, case.steady) == (2, False)
    assert case.repeats == tuple(repeat.scores for repeat in repeats)


def test_mean_of_equal_scores_is_that_score_to_the_last_bit() -> None:
    # A third of 0.003 + 0.003 + 0.003 is 0.0030000000000000005.
    for score in (0.003, 0.006, 0.011, 1 / 3):
        assert over_repeats([result("a", mrr=score)] * 3).scores == {"mrr": score}


def test_score_that_one_repeat_leaves_undefined_is_undefined() -> None:
    assert over_repeats([result("a", mrr=1.0), result(mrr=None)]).scores == {"mrr": None}


def test_case_raised_where_a_repeat_did() -> None:
    broken = result(error="closed", mrr=None)
    assert over_repeats([result("a", mrr=1.0), broken, result("a", mrr=1.0)]) is broken


def test_unsteady_cases_are_counted_and_listed() -> None:
    cases = [over_repeats([result(first), result(second)]) for first, second in ("ab", "aa", "ba")]
    assert list(unsteady(cases)) == [
        "the ranking of 2 of 3 cases changed from repeat to repeat: q (2 rankings), q (2 rankings)"
    ]
    assert list(unsteady([result("a")])) == []
