"""``pytest-recall show``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall.cli.output import note, say
from pytest_recall.errors import RecallError
from pytest_recall.reports import files, summary_lines
from pytest_recall.reports.record import from_record

if TYPE_CHECKING:
    import argparse

    from pytest_recall.reports import SuiteReport

__all__ = ["configure"]

_STANDARD_INPUT = "-"
_GATE_FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Show a report as the terminal showed it at the end of the run, or as a page. Exits with 1 when one of its "
        "gates failed."
    )
    parser.add_argument("report", metavar="REPORT", help="a report (JSON, YAML or TOML); - for standard input, as JSON")
    parser.add_argument("--html", metavar="OUT", help="write the page here instead; it needs the extra 'html'")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    if given.html is not None:
        _check_page(given.html)
    reports = _read(given.report)
    if given.html is not None:
        files.write(given.html, reports)
    elif reports:
        for line in summary_lines(reports, verbose=False):
            say(line.text)
    if not reports:
        note("nothing was evaluated")
    return _GATE_FAILED if any(report.failed for report in reports) else 0


def _check_page(path: str) -> None:
    if Path(path).suffix.lower() != ".html":
        raise RecallError(f"{path}: a page is named .html")
    files.check_path(path)


def _read(path: str) -> tuple[SuiteReport, ...]:
    if path != _STANDARD_INPUT:
        return files.read(path)
    return files.parse("<stdin>", files.JSON, from_record, sys.stdin.buffer.read())
