"""How the scores of single cases are spread."""

from __future__ import annotations

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.metrics import parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.reports.page.distribution import distributions_of


def scored(metric: str, *scores: float | None) -> Evaluation:
    cases = [CaseResult(id=str(place), scores={metric: score}) for place, score in enumerate(scores)]
    return Evaluation.of("notes.eval.yaml", "retriever", Settings(k=3), [parse_metric(metric)], cases)


@pytest.mark.parametrize(
    ("metric", "scores", "counts"),
    [
        ("hit_rate@3", (0.0, 1.0, 1.0, None), {"0": 1, "1": 2}),
        # An end belongs to the part below it.
        (
            "mrr",
            (0.0, 0.25, 1 / 3, 0.5, 0.75, 0.999, 1.0),
            {"0": 1, "≤ 0.25": 1, "≤ 0.5": 2, "≤ 0.75": 1, "< 1": 1, "1": 1},
        ),
        ("mrr", (1 - 1e-12, 0.5), {"0": 0, "≤ 0.25": 0, "≤ 0.5": 1, "≤ 0.75": 0, "< 1": 0, "1": 1}),
        ("mrr", (0.0, 0.0), {"0": 2, "1": 0}),
        ("mean_noise", (0.0, 3.0, 3.0), {"0": 1, "1": 0, "2": 0, "3": 2}),
        ("latency_p95_ms", (1.5, 4.0, 9.5), {"≤ 2": 1, "≤ 4": 1, "≤ 6": 0, "≤ 8": 0, "≤ 10": 1}),
    ],
)
def test_scores_are_counted_in_parts(metric: str, scores: tuple[float | None, ...], counts: dict[str, int]) -> None:
    (distribution,) = distributions_of(scored(metric, *scores), None)
    assert {each.label: each.now for each in distribution.bins} == counts
    assert distribution.most == max(counts.values())
    assert {each.before for each in distribution.bins} == {None}


def test_the_common_cases_are_counted_as_recorded() -> None:
    now, before = scored("hit_rate@3", 0.0, 1.0, 1.0), scored("hit_rate@3", 1.0, 1.0)
    (distribution,) = distributions_of(now, Pairing(now, entry_of(before)))
    assert [(each.now, each.before) for each in distribution.bins] == [(1, 0), (2, 2)]
    assert distribution.cases == (3, 2)


def test_what_no_case_scores_is_left_out() -> None:
    assert distributions_of(scored("mrr", None, None), None) == ()


def test_latencies_are_shown_once() -> None:
    metrics = [parse_metric(f"latency_{word}_ms") for word in ("p50", "p95")]
    case = CaseResult(id="a", scores={str(metric): 20.0 for metric in metrics})
    now = Evaluation.of("notes.eval.yaml", "retriever", Settings(k=3), metrics, [case])
    assert [each.metric for each in distributions_of(now, None)] == ["latency in ms"]
