from __future__ import annotations

import pytest

from pytest_recall.asking import Plan


def test_what_is_said_first_holds() -> None:
    option, suite, ini = Plan(timeout=1), Plan(timeout=2, repeat=3), Plan(repeat=5, concurrency=8)
    assert option.over(suite).over(ini) == Plan(timeout=1, repeat=3, concurrency=8)


@pytest.mark.parametrize(
    ("plan", "threaded"),
    [
        (Plan(), False),
        (Plan(repeat=3, warmup=1, batch=64), False),
        (Plan(concurrency=1), False),
        (Plan(concurrency=2), True),
        (Plan(timeout=0.5), True),
    ],
)
def test_threads_are_only_used_where_they_are_asked_for(plan: Plan, threaded: bool) -> None:  # noqa: FBT001 - a column
    assert plan.threaded is threaded
