from __future__ import annotations

import pytest

from pytest_recall.overlap import rank_biased_overlap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # 0.1 · (0/1 + 0.9 · 2/2) + 0.81 · 2/2
        ("ab", "ba", 0.9),
        # X = 1, 1, 2: 0.1 · (1 + 0.9 · 1/2 + 0.81 · 2/3) + 0.729 · 2/3
        ("abc", "acd", 0.685),
        # s = 1, l = 2, X = 0, 1: 0.1 · (0 + 0.9 · 1/2 + 0.9 · 0) + 0.81 · ((1 - 0)/2 + 0/1)
        ("a", "ba", 0.45),
        # s = 1, l = 2, X = 1, 1: 0.1 · (1 + 0.9 · 1/2 + 0.9 · 1 · 1/2) + 0.81 · (0/2 + 1/1)
        ("a", "ab", 1.0),
        # s = 2, l = 4, X = 0, 1, 1, 1: 0.1 · (0 + 0.9/2 + 0.81/3 + 0.729/4 + 0.81 · 1/6 + 0.729 · 2/8) + 0.6561 · 1/2
        ("abcd", "bx", 0.45),
        ("abc", "abc", 1.0),
        ("abc", "xyz", 0.0),
        ("", "", 1.0),
        ("", "a", 0.0),
    ],
)
def test_overlap_is_as_worked_by_hand(one: str, other: str, expected: float) -> None:
    assert rank_biased_overlap(one, other) == pytest.approx(expected, abs=1e-12)
    assert rank_biased_overlap(other, one) == pytest.approx(expected, abs=1e-12)


def test_a_smaller_p_weighs_the_first_rank_more() -> None:
    # Half of it: 0.5 · (0 + 0.5 · 1) + 0.25 · 1
    assert rank_biased_overlap("ab", "ba", p=0.5) == pytest.approx(0.5)
