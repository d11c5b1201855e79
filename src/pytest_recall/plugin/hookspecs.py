"""The hooks that a conftest or a plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from pytest_recall.metrics import Metric


def pytest_recall_metrics(config: pytest.Config) -> Iterable[Metric]:  # type: ignore[empty-body]
    """Further metrics, which suites and marks may then name.

    Each is a `pytest_recall.Metric` with a name of its own and a function `per_case(judged, cutoff)`, which gives a
    value in its range, or None where it is undefined. Asked once, before the first suite is read.
    """
