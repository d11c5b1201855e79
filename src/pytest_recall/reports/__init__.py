"""What people see: the text of a failing gate, the summary of a run, and reports as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.reports.failure import failure_text
from pytest_recall.reports.summary import Line, SuiteReport, one_line, summary_lines

if TYPE_CHECKING:
    import os

    from pytest_recall.evaluation import Evaluation

__all__ = ["Line", "SuiteReport", "failure_text", "one_line", "read_report", "summary_lines"]


def read_report(path: str | os.PathLike[str]) -> tuple[Evaluation, ...]:
    """The evaluations in a report file, equal to those that were written, in their order.

    Args:
        path: a ``.json``, ``.yaml``, ``.yml`` or ``.toml`` report.

    Raises:
        ReportError: there is no such file, its kind can't be read back, or something in it is wrong.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> report.write("now.json")
    >>> read_report("now.json") == (report,)
    True
    """
    from pytest_recall.reports import files  # noqa: PLC0415  # a run that writes no report needs no YAML from here

    return tuple(report.evaluation for report in files.read(path))
