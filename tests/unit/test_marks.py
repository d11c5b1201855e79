"""What keywords of a mark come to. Those that mean nothing are told by tests/plugin/test_mark.py."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_recall.bounds import Bounds, Threshold, Tolerance
from pytest_recall.marks import read_marks
from pytest_recall.metrics import parse_metric


def test_settings_are_what_the_keywords_say() -> None:
    asked = read_marks(
        [((), {"k": 5, "alpha": 0.1, "undefined": "zero", "duplicates": "first", "retriever": "my_search"})]
    )
    assert (asked.k, asked.alpha, asked.undefined, asked.duplicates, asked.retriever) == (
        5,
        0.1,
        "zero",
        "first",
        "my_search",
    )


@pytest.mark.parametrize(
    ("keywords", "metric", "bounds"),
    [
        ({"max_drop": 0.1}, "mrr", Bounds(max_drop=Tolerance(0.1))),
        ({"max_drop": 0.1}, "stale_hit_rate@5", Bounds(max_rise=Tolerance(0.1))),
        ({"max_rise": 0.2}, "mrr", Bounds()),
        ({"max_rise": 0.2}, "stale_hit_rate@5", Bounds(max_rise=Tolerance(0.2))),
        ({"max_drop": 0.1, "max_rise": 0.2}, "stale_hit_rate@5", Bounds(max_rise=Tolerance(0.2))),
        ({"max_drop": 0.1}, "latency_p95_ms", Bounds()),
    ],
)
def test_a_tolerance_is_for_the_metrics_that_get_worse_its_way(
    keywords: dict[str, Any], metric: str, bounds: Bounds
) -> None:
    asked = read_marks([((), keywords)])
    assert asked.tolerant(Threshold(metric=metric), parse_metric(metric)).bounds == bounds
