"""The hooks that a conftest or a plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.gates import Verdict
    from pytest_recall.metrics import Metric


def pytest_recall_metrics(config: pytest.Config) -> Iterable[Metric]:  # type: ignore[empty-body]
    """Further metrics, which suites and marks may then name.

    Each is a `pytest_recall.Metric` with a name of its own and a function `per_case(judged, cutoff)`, which gives a
    value in its range, or None where it is undefined. Asked once, before the first suite is read.
    """


@pytest.hookspec(firstresult=True)
def pytest_recall_adapt(returned: object, query: str, config: pytest.Config) -> object:
    """What a retriever returned for a query, as something that a retriever may return; None leaves it as it is.

    Asked before anything else is made of `returned`, which is a list where the retriever gave an iterator. The first
    implementation that returns something decides; what it raises is an error of the case.
    """


def pytest_recall_evaluated(evaluation: Evaluation, verdicts: Sequence[Verdict], config: pytest.Config) -> None:
    """Take what a system scored on a suite to where you keep such things: a tracker, a database.

    Called at the end of the run, once for each suite and system, under pytest-xdist by the controller alone; after the
    baseline and the reports are written. `verdicts` are those of the gates that ran. What it raises fails the run.
    """
