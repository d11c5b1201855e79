"""The page: a report to look at, one HTML file that needs nothing else."""

from __future__ import annotations

from pytest_recall.reports.page.rendering import BEGINS, WRITER, render

__all__ = ["BEGINS", "WRITER", "render"]
