"""A row per case, for dataframes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_recall import _json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "render"]

BEGINS = re.compile(rb'\{\s*"suite"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"system"\s*:')


def render(reports: Sequence[SuiteReport]) -> bytes:
    """A JSON object a line; what a case lacks is null."""
    rows = (row for report in reports for row in _rows(report.evaluation))
    return _json.with_hidden_escaped("".join(f"{_json.line(row)}\n" for row in rows)).encode()


def _rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Every row of an evaluation has the same columns; relevant ids and their grades are two lists of one length."""
    for case in evaluation.to_record()["cases"]:
        scores, grades = case.pop("scores"), case.pop("relevant")
        yield {
            "suite": evaluation.suite,
            "system": evaluation.system,
            **case,
            "relevant": None if grades is None else list(grades),
            "grades": None if grades is None else list(grades.values()),
            **{f"scores.{metric}": scores.get(metric) for metric in evaluation.metrics},
        }
