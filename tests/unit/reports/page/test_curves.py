"""Recall at every cutoff."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.case_scores import CaseScores
from pytest_recall.evaluation import CaseResult, Evaluation, Policy, Settings
from pytest_recall.metrics import JudgedRanking, parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.reports.page.curves import Values, chart_of, recall_of, recorded_recall_of

METRICS = [parse_metric(f"recall@{cutoff}") for cutoff in (1, 2, 3)]


def case(relevant: dict[str, float] | None, *ranking: str, **more: Any) -> CaseResult:
    return CaseResult(
        **{"id": " ".join((*(relevant or ()), "in", *ranking)), "relevant": relevant, "ranking": ranking, **more}
    )


def evaluation(*cases: CaseResult, **policy: Any) -> Evaluation:
    settings = Settings(k=3, policy=Policy(**policy))
    judged = [JudgedRanking(settings.policy.judgments(each.relevant), each.ranking) for each in cases]
    scores = CaseScores(METRICS, judged, settings.policy.undefined)
    scored = [replace(each, scores=scores.of(place)) for place, each in enumerate(cases)]
    return Evaluation.of("notes.eval.yaml", "retriever", settings, METRICS, scored)


BOTH = case({"a": 1, "b": 1}, "x", "a", "b")
FIRST = case({"a": 1}, "a")
NOTHING = case({"a": 1})
NEGATIVE = case({}, "a")
OPEN = case(None, "a", "b")
WEAK = case({"a": 0.5}, "a")


@pytest.mark.parametrize(
    ("cases", "policy", "values"),
    [
        # At 1: (0 + 1 + 0) / 3; at 2 one of two, at 3 both.
        ((BOTH, FIRST, NOTHING), {}, (3, (1 / 3, 0.5, 2 / 3))),
        ((BOTH, NEGATIVE), {}, (1, (0, 0.5, 1))),
        ((BOTH, NEGATIVE), {"undefined": "zero"}, (2, (0, 0.25, 0.5))),
        ((BOTH, NEGATIVE), {"undefined": "one"}, (2, (0.5, 0.75, 1))),
        ((FIRST, WEAK), {}, (1, (1, 1, 1))),
        ((WEAK,), {"relevance_threshold": 0.5}, (1, (1, 1, 1))),
        ((NEGATIVE,), {}, None),
        ((BOTH, OPEN), {"undefined": "zero"}, (1, (0, 0.5, 1))),
        ((OPEN,), {"undefined": "one"}, None),
        ((), {}, None),
    ],
)
def test_recall_at_each_cutoff_is_what_the_metric_says(
    cases: tuple[CaseResult, ...], policy: dict[str, Any], values: Values | None
) -> None:
    now = evaluation(*cases, **policy)
    found = recall_of(now)
    if values is None or found is None:
        assert found is values
        return
    assert found[0] == values[0]
    assert found[1] == pytest.approx(values[1])
    assert found[1] == pytest.approx([now[str(metric)] for metric in METRICS])


def test_a_case_that_raised_is_left_out() -> None:
    assert recall_of(evaluation(FIRST, replace(NOTHING, error="gone"))) == (1, (1, 1, 1))


def test_the_baseline_has_recall_over_the_common_cases() -> None:
    now = evaluation(replace(BOTH, id="a"), replace(FIRST, id="b"), replace(FIRST, id="new"))
    before = evaluation(replace(FIRST, id="a", relevant={"a": 1, "b": 1}), replace(NOTHING, id="b"))
    # Of the first one of two came first, of the second nothing did.
    assert recorded_recall_of(Pairing(now, entry_of(before))) == (2, (0.25, 0.25, 0.25))


def test_what_had_no_ranking_when_it_was_recorded_is_left_out() -> None:
    now = evaluation(replace(FIRST, id="raised"), replace(FIRST, id="unsteady"), replace(FIRST, id="c"))
    before = evaluation(*(replace(FIRST, id=each.id) for each in now.cases))
    raised = replace(before.cases[0], ranking=(), scores=dict.fromkeys(before.cases[0].scores))
    unsteady = replace(before.cases[1], rankings=2)
    before = replace(before, cases=(raised, unsteady, before.cases[2]))
    assert recorded_recall_of(Pairing(now, entry_of(before))) == (1, (1, 1, 1))


def test_a_chart_holds_the_lines_that_have_values() -> None:
    chart = chart_of({"now": (3, (0.0, 1.0)), "baseline": None}, ["now", "baseline"])
    assert chart is not None
    (line,) = chart.curves
    assert line.points == ((30, 150), (276, 10))
    assert line.path == "M30.0 150.0 L276.0 10.0"
    assert chart.text == "now: recall@1 0.000, recall@2 1.000"
    assert chart_of({"now": None}, ["now"]) is None


def test_a_level_line_has_two_ends() -> None:
    chart = chart_of({"now": (1, (0.0, 1.0, *(1.0,) * 999_998))}, ["now"])
    assert chart is not None
    (line,) = chart.curves
    # ln 2 / ln 1,000,000 of the width, which is 246.
    assert line.path == "M30.0 150.0 L42.3 10.0 L276.0 10.0"
    assert line.text == "now: recall@1 0.000, recall@1000000 1.000"


def test_labels_at_the_ends_of_lines_do_not_overlap() -> None:
    chart = chart_of({name: (1, (0.0, value)) for name, value in {"a": 0.0, "b": 0.01, "c": 1.0}.items()}, "ABC")
    assert chart is not None
    # The upper of two near ones stays, the lower moves down; where that is below the axis all move up.
    a, b, c = (each.label_y for each in chart.curves)
    assert (a, b) == pytest.approx((150, 138))
    assert a - b == pytest.approx(12)
    assert c < b


@pytest.mark.parametrize(
    ("k", "cutoffs"),
    [
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (12, [1, 2, 5, 10, 12]),
        (50, [1, 2, 5, 10, 20, 50]),
        (100, [1, 2, 5, 10, 20, 50, 100]),
    ],
)
def test_some_cutoffs_are_written_out(k: int, cutoffs: list[int]) -> None:
    chart = chart_of({"now": (1, (1.0,) * k)}, ["now"])
    assert chart is not None
    assert [cutoff for cutoff, _ in chart.ticks] == cutoffs
