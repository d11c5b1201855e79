from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from pytest_recall.bounds import Bounds, Threshold, Tolerance, check_bound, parse_alpha, parse_tolerance
from pytest_recall.errors import MetricError
from pytest_recall.metrics import parse_metric

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        ("0", Tolerance(0.0)),
        ("0.02", Tolerance(0.02)),
        (".5", Tolerance(0.5)),
        ("+1", Tolerance(1.0)),
        ("2.", Tolerance(2.0)),
        ("1e-3", Tolerance(0.001)),
        (" 0.02 ", Tolerance(0.02)),
        ("5%", Tolerance(0.05, relative=True)),
        ("0.5 %", Tolerance(0.005, relative=True)),
        ("99.5%", Tolerance(0.995, relative=True)),
    ],
)
def test_tolerance_is_a_number_or_a_share(text: str, tolerance: Tolerance) -> None:
    assert parse_tolerance(text) == tolerance


NO_NUMBER = "write a number from 0 such as 0.02, or a share such as 5%"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NO_NUMBER),
        ("-0.1", NO_NUMBER),
        ("five", NO_NUMBER),
        ("nan", NO_NUMBER),
        ("inf", NO_NUMBER),
        ("1_0", NO_NUMBER),
        ("\u0665", NO_NUMBER),  # a digit elsewhere
        ("5%%", NO_NUMBER),
        ("%", NO_NUMBER),
        ("1e999", NO_NUMBER),
        ("1e999%", NO_NUMBER),
    ],
)
def test_what_is_no_tolerance(text: str, why: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_tolerance(text)
    assert str(caught.value) == f"{text!r} is no tolerance: {why}"


@pytest.mark.parametrize("text", ["100%", "101%", "1e2 %"])
def test_a_share_leaves_something(text: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_tolerance(text)
    assert str(caught.value) == f"{text!r} is no tolerance: a share is below 100%, such as 5%"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1", "'1' tolerates any loss of a metric from 0 to 1 (did you mean '1%'?)"),
        ("5.0", "'5' tolerates any loss of a metric from 0 to 1 (did you mean '5%'?)"),
        ("100", "'100' tolerates any loss of a metric from 0 to 1"),
    ],
)
def test_a_tolerance_of_all_metrics_leaves_something(text: str, why: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_tolerance(text, for_all=True)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("tolerance", "text", "allowed"),
    [(Tolerance(0.02), "0.02", 0.02), (Tolerance(0.05, relative=True), "5%", 0.04), (Tolerance(0), "0", 0.0)],
)
def test_tolerance_against_a_baseline_of_0_8(tolerance: Tolerance, text: str, allowed: float) -> None:
    assert str(tolerance) == text
    assert tolerance.against(0.8) == pytest.approx(allowed)


@pytest.mark.parametrize(("text", "alpha"), [("0.05", 0.05), (".5", 0.5), ("1e-3", 0.001)])
def test_alpha_is_between_0_and_1(text: str, alpha: float) -> None:
    assert parse_alpha(text) == alpha


@pytest.mark.parametrize("text", ["", "0", "1", "-0.05", "5%", "nan", "inf", "a"])
def test_what_is_no_alpha(text: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_alpha(text)
    assert str(caught.value) == f"{text!r} is no alpha: write a number above 0 and below 1, such as 0.05"


@pytest.mark.parametrize(
    ("metric", "key", "value", "wrong"),
    [
        ("recall@5", "min", 0.0, None),
        ("recall@5", "min", 1.0, None),
        ("recall@5", "max", 0.5, None),
        ("recall@5", "min", 85.0, "min 85 is outside the range of recall@5 (0 to 1)"),
        ("recall@5", "min", -0.1, "min -0.1 is outside the range of recall@5 (0 to 1)"),
        ("recall@5", "min", math.nan, "min nan is outside the range of recall@5 (0 to 1)"),
        ("latency_p95_ms", "max", 5000.0, None),
        ("latency_p95_ms", "max", -1.0, "max -1 is outside the range of latency_p95_ms (0 or more)"),
        ("mean_noise", "max", math.inf, "max inf is outside the range of mean_noise (0 or more)"),
        ("mrr", "alpha", 0.05, None),
        ("mrr", "max_drop", Tolerance(0.02), None),
        ("mrr", "max_rise", Tolerance(0.02), "mrr is better higher: use max_drop, not max_rise"),
        ("mrr", "max_drop", Tolerance(0.999), None),
        (
            "mrr",
            "max_drop",
            Tolerance(1),
            "max_drop 1 tolerates any loss of mrr, which is from 0 to 1 (did you mean '1%'?)",
        ),
        ("mrr", "max_drop", Tolerance(100), "max_drop 100 tolerates any loss of mrr, which is from 0 to 1"),
        ("mrr", "min", 1.0000000001, "min 1.0000000001 is outside the range of mrr (0 to 1)"),
        ("mrr", "max_drop", Tolerance(0.05, relative=True), None),
        ("mean_noise", "max_rise", Tolerance(2.0), None),
        ("mean_noise", "max_drop", Tolerance(2.0), "mean_noise is better lower: use max_rise, not max_drop"),
        (
            "latency_p95_ms",
            "max_rise",
            Tolerance(2.0),
            "latency_p95_ms is never compared with a baseline, so it takes no max_rise",
        ),
        ("judged@5", "max_drop", Tolerance(0.1), "judged@5 is never compared with a baseline, so it takes no max_drop"),
    ],
)
def test_bound_fits_its_metric(metric: str, key: str, value: float | Tolerance, wrong: str | None) -> None:
    assert check_bound(parse_metric(metric), key, value) == wrong


def test_tolerance_of_bounds_is_the_one_that_was_given() -> None:
    assert Bounds().tolerance is None
    assert Bounds(max_drop=Tolerance(0)).tolerance == Tolerance(0)
    assert Bounds(max_rise=Tolerance(0.1)).tolerance == Tolerance(0.1)


@pytest.mark.parametrize(
    ("bounds", "given"),
    [(Bounds(), False), (Bounds(min=0.0), True), (Bounds(max_drop=Tolerance(0)), True), (Bounds(alpha=0.05), True)],
)
def test_bounds_of_zero_ask_for_something(bounds: Bounds, given: bool) -> None:  # noqa: FBT001 - a column of the table
    assert bounds.given == given


def test_threshold_reads_as_it_is_written() -> None:
    assert str(Threshold(metric="recall@5")) == "recall@5"
    assert str(Threshold(metric="recall@5", tag="legal")) == "recall@5:legal"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bounds(min=math.nan), "min must be a finite number, got nan"),
        (lambda: Bounds(min="0.4"), "min must be a finite number, got '0.4'"),  # type: ignore[arg-type]
        (lambda: Bounds(max=math.inf), "max must be a finite number, got inf"),
        (lambda: Bounds(alpha=True), "alpha must be a finite number, got True"),
        (lambda: Bounds(max_drop=0.1), "max_drop must be a Tolerance, got 0.1"),  # type: ignore[arg-type]
        (lambda: Tolerance(math.nan), "a tolerance is a finite number from 0, got nan"),
        (lambda: Tolerance(-0.1), "a tolerance is a finite number from 0, got -0.1"),
        (lambda: Tolerance(1, relative=True), "a relative tolerance is a share below 1, such as 0.05 for 5%, got 1"),
    ],
)
def test_what_is_no_bound_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MetricError) as raised:
        make()
    assert str(raised.value) == message
