"""Values on their scales."""

from __future__ import annotations

import pytest

from pytest_recall.bounds import Bounds
from pytest_recall.reports.page.bars import Mark, bar_of, nice_top, top_of


@pytest.mark.parametrize(
    ("metric", "values", "top"),
    [
        ("mrr", [0.2, None], 1),
        ("mrr", [None], 1),
        ("my_own", [0.2], 1),
        ("my_own", [3.5], 5),
        ("mean_noise", [0.0], 1),
        ("mean_noise", [1.2, 3.0], 5),
        ("latency_p95_ms", [180.0, 200.0], 200),
        ("latency_p95_ms", [0.35], 0.5),
    ],
)
def test_where_a_scale_ends(metric: str, values: list[float | None], top: float) -> None:
    assert top_of(metric, values) == pytest.approx(top)


def test_the_next_round_number() -> None:
    assert [nice_top(most) for most in (0, 1, 1.01, 5, 51, 999)] == [1, 1, 2, 5, 100, 1000]


def test_a_bar_has_a_mark_for_each_number_and_says_it_in_words() -> None:
    bar = bar_of("noise", 1.0, 1.5, Bounds(min=0.5, max=4), 2.0)
    assert bar is not None
    assert (bar.share, bar.baseline) == (0.5, 0.75)
    # A bound beyond the scale stands at its end.
    assert bar.bounds == (Mark(label="at least", share=0.25), Mark(label="at most", share=1.0))
    assert bar.text == "noise 1.000 on a scale from 0 to 2, baseline 1.500, at least 0.5, at most 4"


def test_what_is_undefined_has_no_bar() -> None:
    assert bar_of("mrr", None, 0.5, Bounds(min=0.5), 1.0) is None
