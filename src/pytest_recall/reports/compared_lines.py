"""Two files beside each other as text: a row for each metric, then the cases that moved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_recall._text import count, decimals_to_tell, number, printable, shorten
from pytest_recall.gates.regression import SMALLEST_P
from pytest_recall.reports.moves import ID_WIDTH, Move, move_lines, rank_changes
from pytest_recall.reports.summary import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_recall.comparison import CaseChange, Comparison, MetricChange
    from pytest_recall.reports.compared import Compared

__all__ = ["compared_lines"]

MOST_CASES = 20
MOST_SCORES = 2
# More would not fit.
MOST_DECIMALS = 6
LEAST_NAME_WIDTH = 12

_HEAD = ("before", "now", "change", "95 % interval", "p", "wins", "ties", "losses")
_WIDTHS = (6, 6, 7, 13, 6, 4, 4, 6)
_KINDS = ("raised", "lost", "moved", "gained")


def compared_lines(compared: Sequence[Compared], *, every_case: bool) -> Iterator[str]:
    """One table with a part for each suite and system, 80 columns wide, and wider only for the names of metrics.

    Args:
        compared: at least one.
        every_case: whether all cases that moved are listed, or those that moved most.
    """
    rows = {each.key: [_cells(change) for change in _metrics(each)] for each in compared}
    columns = zip(*(cells for some in rows.values() for _, cells in some), strict=True)
    widths = [max(width, *map(len, column)) for width, column in zip(_WIDTHS, columns, strict=False)] or _WIDTHS
    names = [len(printable(name)) for some in rows.values() for name, _ in some]
    # Two that are cut could be the same.
    name_width = max(LEAST_NAME_WIDTH, WIDTH - 2 - sum(widths) - len(widths), *names)
    yield _row("", _HEAD, widths, name_width)
    for each in compared:
        suite, system = each.key
        tail = f"  {shorten(system, 30)}  {count(len(each.pairing.evaluation.cases), 'case')}"
        yield f"{shorten(suite, WIDTH - len(tail))}{tail}"
        yield from (_row(name, cells, widths, name_width) for name, cells in rows[each.key])
        if each.refusal:
            yield shorten(f"  {each.refusal}", 4 * WIDTH)
        if each.comparison is not None:
            yield from _likeness(each.comparison)
            yield from _case_lines(each.comparison, every_case=every_case)
        yield from (shorten(f"  note: {note}", 4 * WIDTH) for note in each.notes)


def _metrics(compared: Compared) -> tuple[MetricChange, ...]:
    return () if compared.comparison is None else compared.comparison.metrics


def _row(name: str, cells: Iterable[str], widths: Sequence[int], name_width: int) -> str:
    texts = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
    return " ".join([f"  {printable(name):<{name_width}}", *texts]).rstrip()


def _cells(change: MetricChange) -> tuple[str, tuple[str, ...]]:
    """A metric, and what its row says."""
    now, before, delta = change.candidate, change.baseline, change.delta
    decimals = 3 if now is None or before is None else min(decimals_to_tell(now, before), MOST_DECIMALS)
    # Of what did not move there is nothing to test.
    still = not (change.wins or change.losses)
    moved = "" if delta is None else "=" if still and not delta else f"{delta:+.{decimals}f}"
    interval = "" if still or change.interval is None else " ".join(f"{end:+.3f}" for end in change.interval)
    p = None if still else change.p_value
    return change.metric, (
        number(before, decimals),
        number(now, decimals),
        moved,
        interval,
        "" if p is None else f"<{SMALLEST_P}" if p < SMALLEST_P else number(p),
        str(change.wins),
        str(change.ties),
        str(change.losses),
    )


def _likeness(comparison: Comparison) -> Iterator[str]:
    # Of a replay it is a metric, and there are no rankings.
    if comparison.reproduced is not None and "reproduced" not in comparison.pairing.evaluation.metrics:
        yield f"  reproduced {number(comparison.reproduced)}, rank-biased overlap {number(comparison.overlap)}"


def _case_lines(comparison: Comparison, *, every_case: bool) -> Iterator[str]:
    evaluation, raised = comparison.pairing.evaluation, set(comparison.raised)
    moves = [
        Move(kind="raised", case=str(id), detail=evaluation.case(id).error or "", got="", weight=0.0)
        for id in comparison.raised
    ]
    moves += [_move(change, comparison) for change in comparison.moved if change.id not in raised]
    moves.sort(key=lambda move: (_KINDS.index(move.kind), -move.weight))
    shown = moves if every_case else moves[:MOST_CASES]
    yield from (shorten(f"    {line}", WIDTH) for line in move_lines(shown))
    if more := len(moves) - len(shown):
        yield f"    … {count(more, 'more case')}"


def _move(change: CaseChange, comparison: Comparison) -> Move:
    evaluation = comparison.pairing.evaluation
    ranks = rank_changes(change.ranks, evaluation.case(change.id), evaluation.settings.k)
    return Move(
        kind=change.kind,
        case=str(change.id),
        detail=ranks or _score_changes(change),
        got="",
        weight=max((_weight(*pair) for pair in change.scores.values()), default=0.0),
    )


def _score_changes(change: CaseChange) -> str:
    """``mrr: 1.000 -> 0.500``, where no rank tells it."""
    texts = [
        f"{shorten(metric, ID_WIDTH)}: {number(before)} -> {number(now)}"
        for metric, (before, now) in change.scores.items()
    ]
    return ", ".join(texts[:MOST_SCORES]) + (", …" if len(texts) > MOST_SCORES else "")


def _weight(before: float | None, now: float | None) -> float:
    return math.inf if before is None or now is None else abs(now - before)
