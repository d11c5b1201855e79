from __future__ import annotations

import math
from collections import Counter

import pytest

from pytest_recall.stats import DRAWS, bootstrap_interval, mean, percentile, sign_flip_p


def test_mean_is_of_an_exact_sum() -> None:
    # Added up one by one, ten times 0.1 is 0.9999999999999999.
    assert mean([0.1] * 10) == 0.1


@pytest.mark.parametrize(
    ("percent", "expected"),
    # ceil(percent / 100 · 5): 0 (the smallest is taken), 1, 2, 2, 3, 5
    [(0, 15), (5, 15), (30, 20), (40, 20), (50, 35), (100, 50)],
)
def test_percentile_is_the_nearest_rank(percent: float, expected: float) -> None:
    assert percentile([35, 20, 15, 50, 40], percent) == expected


def test_percentile_rank_is_not_pushed_up_by_rounding() -> None:
    # 7 / 100 · 100 is 7.000000000000001 in floats; the seventh of 1 … 100 is 7.
    assert percentile(range(1, 101), 7) == 7


def test_nothing_has_no_mean_percentile_or_interval() -> None:
    with pytest.raises(ValueError, match=r"^the mean of nothing is undefined$"):
        mean([])
    with pytest.raises(ValueError, match=r"^a percentile of nothing is undefined$"):
        percentile([], 50)
    with pytest.raises(ValueError, match=r"^an interval of nothing is undefined$"):
        bootstrap_interval([])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0, 0], 1.0),
        ([1], 1.0),
        # ++ and -- of four
        ([1, 1], 2 / 4),
        # ±3 ±1 ±1: |5| twice of eight
        ([3, 1, 1], 2 / 8),
        # ±3 ±1 ±1: |5| twice, |3| four times
        ([3, 1, -1], 6 / 8),
        # zeros change nothing
        ([0, 3, 0, 1, 1, 0], 2 / 8),
        # six of a kind: the first that pass 0.05
        ([-0.5] * 6, 2 / 64),
        ([1] * 16, 2 / 2**16),
    ],
)
def test_few_differences_are_enumerated(differences: list[float], expected: float) -> None:
    assert sign_flip_p(differences) == expected


def test_sums_that_only_rounding_tells_apart_are_as_extreme() -> None:
    # Three thirds, one of them negative: no sum is nearer to zero than a third. As floats the first is larger than the
    # others, so that the two sums in which it stands alone would be smaller than the observed one.
    assert 1 - 2 / 3 > 1 / 3
    assert sign_flip_p([1 - 2 / 3, 1 / 3, -1 / 3]) == 1.0


def test_rounding_noise_is_no_difference() -> None:
    assert sign_flip_p([0.1 + 0.2 - 0.3] * 20) == 1.0
    assert sign_flip_p([1, 1, 1e-16, -1e-16]) == 2 / 4


def test_p_is_never_zero_however_clear() -> None:
    # No draw of forty signs comes out all alike.
    assert sign_flip_p([1] * 40) == 1 / (DRAWS + 1)


@pytest.mark.parametrize(
    "differences",
    [
        pytest.param([1] * 14 + [-1] * 6, id="few equal"),
        pytest.param([1] * 60 + [-1] * 40, id="many equal"),
        pytest.param([*range(-8, 0), *range(1, 17)], id="all different"),
        pytest.param([2] * 30 + [-2] * 20 + [*range(-7, 8)], id="mixed"),
    ],
)
def test_many_differences_are_drawn(differences: list[int]) -> None:
    # The exact p by counting the ways to each sum of whole numbers.
    ways = Counter({0: 1})
    for difference in differences:
        ways = Counter(
            {total: ways[total - difference] + ways[total + difference] for total in _around(ways, difference)}
        )
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(sum(differences)))
    exact = extreme / 2 ** len(differences)
    standard_error = math.sqrt(exact * (1 - exact) / DRAWS)
    assert sign_flip_p(differences) == pytest.approx(exact, abs=4 * standard_error)


def _around(ways: Counter[int], difference: int) -> set[int]:
    return {total + sign * difference for total in ways for sign in (1, -1)}


def test_draws_are_the_same_on_every_python() -> None:
    # Pinned: no other Python, platform or order of cases may change it. Sixty of a kind are counted, the others added.
    differences = [(-1) ** number * number / 7 for number in range(40)] + [1.0] * 60
    assert sign_flip_p(differences) == sign_flip_p(differences[::-1]) == 87 / 10_001


def test_draws_of_more_differences_than_are_added_at_once() -> None:
    # They sum up to -0.5, and the sums of signs have a standard deviation of √Σ(1 + n/1000)² = 48.3: that is 0.0104 of
    # them from zero, two-sided p = 0.9917.
    differences = [(-1) ** number * (1 + number / 1000) for number in range(1000)]
    assert sign_flip_p(differences) == 9918 / 10_001


@pytest.mark.parametrize("difference", [0.25, 0.1, -1.0, 0.0, 1e-300])
def test_interval_of_equal_differences_is_a_point(difference: float) -> None:
    assert bootstrap_interval([difference] * 7) == pytest.approx((difference, difference), abs=1e-15)


def test_interval_of_one_difference_is_a_point() -> None:
    assert bootstrap_interval([0.5]) == (0.5, 0.5)


def test_interval_is_as_wide_as_the_standard_error_says() -> None:
    # 200 differences, half 1 and half 0: standard error 0.5 / √200 = 0.035; 1.96 and 2.58 of them at each side of 0.5.
    differences = [0.0, 1.0] * 100
    assert bootstrap_interval(differences) == pytest.approx((0.431, 0.569), abs=0.01)
    assert bootstrap_interval(differences, confidence=0.99) == pytest.approx((0.409, 0.591), abs=0.01)


def test_interval_is_the_same_on_every_python() -> None:
    assert bootstrap_interval([number % 7 / 7 for number in range(50)]) == (0.33714285714285763, 0.5028571428571437)


@pytest.mark.parametrize("size", [2, 5, 59])
@pytest.mark.parametrize("difference", [1.0, 1 / 2 - 1 / 3, -0.1])
def test_interval_of_equal_differences_is_that_difference(size: int, difference: float) -> None:
    assert bootstrap_interval([difference] * size) == (mean([difference] * size),) * 2


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_differences_are_finite(wrong: float) -> None:
    for function in (sign_flip_p, bootstrap_interval):
        with pytest.raises(ValueError, match=f"a difference must be a finite number, got {wrong}"):
            function([1.0, wrong])


@pytest.mark.parametrize("percent", [-1, 101, math.nan])
def test_percent_is_from_0_to_100(percent: float) -> None:
    with pytest.raises(ValueError, match=f"a percent is a number from 0 to 100, got {percent}"):
        percentile([1.0, 2.0], percent)
