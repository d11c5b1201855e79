"""When a replay got worse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_recall.errors import RecallError
from pytest_recall.replay import EvalMetrics, LiveEvalMetrics, Regression, check_regression

GOOD = EvalMetrics(
    reproduced=1.0,
    exact_match=1.0,
    mean_similarity=1.0,
    recorded_latency_ms=10.0,
    recorded_total_tokens=5,
    divergence=None,
    steps=(),
    final_text="!",
    error=None,
)

shares = st.floats(0, 1)
metrics = st.builds(
    replace,
    st.just(GOOD),
    reproduced=st.sampled_from([0.0, 1.0]),
    exact_match=st.sampled_from([0.0, 1.0]),
    mean_similarity=shares,
    recorded_latency_ms=st.floats(0, 1e9),
    recorded_total_tokens=st.integers(0, 10**9),
)


def test_a_drop_is_told() -> None:
    worse = replace(GOOD, reproduced=0.0, mean_similarity=0.75)

    assert check_regression(GOOD, worse) == [
        Regression(metric="reproduced", baseline=1.0, current=0.0, drop=1.0),
        Regression(metric="mean_similarity", baseline=1.0, current=0.75, drop=0.25),
    ]


@pytest.mark.parametrize(("tolerance", "told"), [(0.25, False), (0.25 - 1e-10, False), (0.2499, True)])
def test_a_drop_of_the_tolerance_is_none(tolerance: float, *, told: bool) -> None:
    assert bool(check_regression(GOOD, replace(GOOD, mean_similarity=0.75), tolerance)) == told


def test_latency_and_tokens_never_regress() -> None:
    assert not check_regression(GOOD, replace(GOOD, recorded_latency_ms=1e6, recorded_total_tokens=10**6))


@given(metrics, metrics, shares)
def test_laws(baseline: EvalMetrics, current: EvalMetrics, tolerance: float) -> None:
    found = check_regression(baseline, current, tolerance)

    assert check_regression(baseline, baseline, tolerance) == []
    assert all(regression.drop > tolerance for regression in found)
    assert not {r.metric for r in found} & {r.metric for r in check_regression(current, baseline, tolerance)}
    assert len(check_regression(baseline, current, 0.0)) >= len(found)


@pytest.mark.parametrize("tolerance", [-0.1, float("nan"), float("inf"), True, "5%", None])
def test_a_tolerance_is_a_number_from_0(tolerance: Any) -> None:
    with pytest.raises(RecallError, match=r"^tolerance must be a number from 0, got "):
        check_regression(GOOD, GOOD, tolerance)


LIVE = LiveEvalMetrics(
    final_match=True, similarity=1.0, steps_recorded=0, steps_now=0, exhausted=False, divergences=(), error=None
)


@pytest.mark.parametrize(
    ("baseline", "current", "message"),
    [
        (LIVE, GOOD, "baseline must be an EvalMetrics, such as eval_capture_determinism gives, not LiveEvalMetrics"),
        (GOOD, None, "current must be an EvalMetrics, such as eval_capture_determinism gives, not NoneType"),
        (3, GOOD, "baseline must be an EvalMetrics, such as eval_capture_determinism gives, not int"),
    ],
)
def test_other_metrics_are_not_compared(baseline: Any, current: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        check_regression(baseline, current)
    assert str(caught.value) == message
