"""``pytest-recall compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.cli.output import note, say, standard_input
from pytest_recall.errors import RecallError
from pytest_recall.reports.compared import compare_sides, title
from pytest_recall.reports.compared_lines import MOST_CASES, compared_lines
from pytest_recall.reports.sides import alike, paired_with_a_copy, read_side

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from pytest_recall.reports.compared import Compared
    from pytest_recall.reports.sides import Side

__all__ = ["configure"]

_STANDARD_INPUT = "-"
_GATE_FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Set two reports beside each other, or two baselines, or one of each: for each metric of each suite and system "
        "how it changed, how far that can be trusted, and which cases moved."
    )
    what = "a report (JSON, YAML or TOML) or a baseline; - for standard input, as JSON"
    parser.add_argument("before", metavar="BEFORE", help=what)
    parser.add_argument("now", metavar="NOW", help="likewise")
    parser.add_argument(
        "--fail-on-regression", action="store_true", help="exit with 1 when anything got worse, or is gone"
    )
    parser.add_argument(
        "--all", dest="every_case", action="store_true", help=f"list every case that moved, not {MOST_CASES} a suite"
    )
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    if [given.before, given.now].count(_STANDARD_INPUT) > 1:
        raise RecallError("only one of the files can be standard input")
    before, now = alike(_read(given.before), _read(given.now))
    compared = compare_sides(now, before)
    if compared:
        for line in compared_lines(compared, every_case=given.every_case):
            say(line)
    for side, other in ((before, now), (now, before)):
        for key in _alone(side, other):
            say(f"only in {side.name}: {title(key)}")
    reasons = [*_reasons(before, now, compared)] if given.fail_on_regression else []
    for reason in reasons:
        note(reason)
    return _GATE_FAILED if reasons else 0


def _read(path: str) -> Side:
    return read_side("<stdin>", standard_input().read()) if path == _STANDARD_INPUT else read_side(path)


def _alone(side: Side, other: Side) -> list[tuple[str, str]]:
    return [key for key in side.entries if key not in other.entries]


def _reasons(before: Side, now: Side, compared: Sequence[Compared]) -> Iterator[str]:
    """What got worse, and what is no evidence that nothing did."""
    for each in compared:
        yield from (f"{title(each.key)}: {reason}" for reason in each.reasons)
    yield from (f"{title(key)}: not in {now.name} any more" for key in _alone(before, now))
    for key, (copy, _) in paired_with_a_copy(before, now).items():
        yield f"{title(key)}: not compared, for {before.name} is that of its copy {copy}; run pytest without the copy"
    if not compared and not before.entries:
        yield f"{before.name} holds nothing to compare with"
