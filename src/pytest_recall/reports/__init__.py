"""What people see: the text of a failing gate, and the summary of a run."""

from __future__ import annotations

from pytest_recall.reports.failure import failure_text
from pytest_recall.reports.summary import Line, SuiteReport, one_line, summary_lines

__all__ = ["Line", "SuiteReport", "failure_text", "one_line", "summary_lines"]
