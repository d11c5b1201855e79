"""A report as Markdown for a pull request: the verdict, the metrics, what was lost and gained."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_recall._text import count, number, printable, shorten
from pytest_recall.reports.moves import move_lines
from pytest_recall.reports.replayed import divergence_lines, steps_of
from pytest_recall.reports.summary import moves_behind, notes_of, numbers_of, one_line, reasons_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.gates import Verdict
    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "render"]

BEGINS = re.compile(
    rb"## eval(?:: nothing was evaluated\s*$| (?:passed|failed)\s+[\d,]+ suites?,|\s+### [`<])", re.MULTILINE
)

MOST_LINES = 20
"""Of each kind in a block: GitHub refuses a summary above a mebibyte, and a reader one far below."""

_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_NAME_WIDTH = 80
_LINE_WIDTH = 500
_HEAD = "| metric | value | baseline | change | bound | verdict |\n|:--|--:|--:|--:|:--|:--|"


def render(reports: Sequence[SuiteReport]) -> bytes:
    """A summary, the verdict first; texts of others stand in code, where nothing of them is Markdown or HTML."""
    blocks = [*_verdict(reports), *(block for report in reports for block in _blocks(report))]
    return ("\n\n".join(blocks) + "\n").encode()


def _verdict(reports: Sequence[SuiteReport]) -> list[str]:
    if not reports:
        return ["## eval: nothing was evaluated"]
    if not any(report.verdicts or report.failed for report in reports):
        return ["## eval"]
    word = "failed" if any(report.failed for report in reports) else "passed"
    return [f"## eval {word}", one_line(reports).text.removeprefix("eval: ")]


def _blocks(report: SuiteReport) -> Iterator[str]:
    evaluation = report.evaluation
    yield f"### {_code(evaluation.suite)} {_code(evaluation.system)}, {count(len(evaluation.cases), 'case')}"
    rows = [_row(verdict) for verdict in report.over_cases()] if report.verdicts else _values(report)
    if rows:
        yield "\n".join([_HEAD, *rows])
    pairs = steps_of(evaluation)
    behind = [*divergence_lines(pairs)] if pairs else move_lines(moves_behind(report))
    some = (reasons_of(report), behind, notes_of(report))
    parts = [_some(lines) for lines in some if lines]
    if parts:
        yield _fence("\n\n".join(parts))


def _row(verdict: Verdict) -> str:
    value, baseline, change, bound = numbers_of(verdict)
    outcome = "**failed**" if verdict.failed else verdict.outcome
    return f"| {_code(verdict.name)} | {value} | {baseline} | {change} | {bound} | {outcome} |"


def _values(report: SuiteReport) -> list[str]:
    """The rows of an evaluation that nothing judged."""
    metrics = report.evaluation.metrics.items()
    return [f"| {_code(name)} | {number(summary.value)} | | | | |" for name, summary in metrics]


def _some(lines: Sequence[str]) -> str:
    shown = [shorten(line, _LINE_WIDTH) for line in lines[:MOST_LINES]]
    return "\n".join([*shown, f"… {len(lines) - len(shown):,} more"] if len(lines) > len(shown) else shown)


def _fence(text: str) -> str:
    """A block of code whose fence is longer than any in it."""
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{ticks}text\n{text}\n{ticks}"


def _code(text: str) -> str:
    """The text as code in a line or in a cell, where a ``|`` would end the cell even inside of backticks."""
    shown = shorten(printable(text), _NAME_WIDTH)
    if shown.strip() == shown != "" and not re.search(r"[`|\\]", shown):
        return f"`{shown}`"
    # As entities characters mean nothing but themselves.
    return f"<code>{_PUNCTUATION.sub(_entity, shown)}</code>"


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
