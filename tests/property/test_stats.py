from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pytest_recall.stats import bootstrap_interval, mean, percentile, sign_flip_p

# Scores of different routes, so that sums round; up to 24 puts enumeration and drawing side by side.
SCORES = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1.0]), st.integers(1, 10).map(lambda rank: 1 / rank), st.just(0.5)
)
PAIRS = st.lists(st.tuples(SCORES, SCORES), max_size=24)


def p_of(pairs: list[tuple[float, float]]) -> float:
    return sign_flip_p([now - before for now, before in pairs])


@given(PAIRS)
def test_p_is_the_same_when_the_two_sides_swap(pairs: list[tuple[float, float]]) -> None:
    assert p_of([(before, now) for now, before in pairs]) == p_of(pairs)


@given(PAIRS, st.randoms(use_true_random=False))
def test_p_does_not_depend_on_order_or_on_cases_that_tie(pairs: list[tuple[float, float]], random: object) -> None:
    shuffled = [*pairs, (0.5, 0.5)]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert p_of(shuffled) == p_of(pairs)


@given(PAIRS)
def test_p_is_above_zero_and_at_most_one(pairs: list[tuple[float, float]]) -> None:
    assert 0 < p_of(pairs) <= 1


@given(PAIRS.filter(bool), st.randoms(use_true_random=False))
def test_interval_mirrors_when_the_two_sides_swap_and_does_not_depend_on_order(
    pairs: list[tuple[float, float]], random: object
) -> None:
    differences = [now - before for now, before in pairs]
    low, high = bootstrap_interval(differences)
    assert min(differences) - 1e-12 <= low <= high <= max(differences) + 1e-12
    random.shuffle(differences)  # type: ignore[attr-defined]
    assert bootstrap_interval(differences) == (low, high)
    assert bootstrap_interval([-difference for difference in differences]) == (-high, -low)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_mean_is_off_by_two_roundings_at_most(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction()) / len(values)
    assert abs(Fraction(mean(values)) - exact) <= Fraction(2, 2**53)


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 100))
def test_percentile_is_a_value_with_enough_at_or_below(values: list[float], percent: float) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) >= Fraction(percent) * len(values) / 100 - Fraction(1, 2**40)
