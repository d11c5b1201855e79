"""``pytest-recall show``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall._text import count, shorten
from pytest_recall.cli.output import note, say, standard_input
from pytest_recall.errors import RecallError
from pytest_recall.reports import files, summary_lines
from pytest_recall.reports.compared import title
from pytest_recall.reports.record import from_record
from pytest_recall.reports.summary import reasons_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_recall.reports import SuiteReport

__all__ = ["configure"]

_STANDARD_INPUT = "-"
_GATE_FAILED = 1
_MOST_RAISED = 5
_LONGEST = 320


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Show a report as the terminal showed it at the end of the run, or as a page. Exits with 1 when one of its "
        "gates failed, or when its numbers can't be trusted, and says why."
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
    for report in reports:
        for reason in _reasons(report):
            note(shorten(f"{title((report.evaluation.suite, report.evaluation.system))}: {reason}", _LONGEST))
    if not reports:
        note("nothing was evaluated")
    return _GATE_FAILED if any(map(_is_bad, reports)) else 0


def _is_bad(report: SuiteReport) -> bool:
    return report.failed or report.evaluation.problem is not None


def _reasons(report: SuiteReport) -> Iterator[str]:
    """Why gates failed, and which cases have no scores."""
    yield from reasons_of(report)
    raised = report.evaluation.errors
    for case in raised[:_MOST_RAISED]:
        yield f"{case.id} raised: {case.error}"
    if more := len(raised[_MOST_RAISED:]):
        yield f"… {count(more, 'more case')} raised"


def _check_page(path: str) -> None:
    if Path(path).suffix.lower() != ".html":
        raise RecallError(f"{path}: a page is named .html")
    files.check_path(path)


def _read(path: str) -> tuple[SuiteReport, ...]:
    if path != _STANDARD_INPUT:
        return files.read(path)
    return files.parse("<stdin>", files.JSON, from_record, standard_input().read())
