"""The text of a failing gate: the sentence first, then the cases behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.gates import Missed
from pytest_recall.reports.moves import move_lines, moves_of
from pytest_recall.reports.replayed import divergence_lines, step_lines, steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.gates import Verdict
    from pytest_recall.pairing import Pairing

__all__ = ["failure_text"]

MOST_MOVES = 8


def failure_text(
    verdicts: Sequence[Verdict], evaluation: Evaluation, pairing: Pairing | None, *, see_all: str, whole: bool
) -> str:
    """Why a gate failed, readable on its own.

    Args:
        verdicts: of one gate; those that passed say nothing.
        evaluation: what they judged.
        pairing: the evaluation beside its baseline entry, None without one.
        see_all: the command that shows every case.
        whole: show every case now.
    """
    lines = []
    failed = [verdict for verdict in verdicts if verdict.failed]
    # What is wrong with all the numbers is said once.
    for verdict in failed if evaluation.problem is None else failed[:1]:
        lines.append(verdict.reason)
        lines += [f"  {line}" for line in _context(verdict, evaluation, pairing, see_all, whole=whole)]
    lines += [f"  {note}" for note in evaluation.notes]
    return "\n".join(lines)


def _context(
    verdict: Verdict, evaluation: Evaluation, pairing: Pairing | None, see_all: str, *, whole: bool
) -> Iterator[str]:
    if verdict.value is None or evaluation.problem is not None:
        return
    pairs = steps_of(evaluation)
    if pairs:
        yield from divergence_lines(pairs)
        yield from step_lines(pairs) if whole else [f"all steps: {see_all}"]
        return
    if verdict.case is None:
        yield _counted(verdict, evaluation)
    if verdict.note:
        yield verdict.note
    if verdict.baseline is None and not Missed(verdict.value, verdict.bounds):
        # Nothing was compared, and that alone is the reason.
        return
    moves = moves_of(verdict, evaluation, pairing)
    shown = moves if whole else moves[:MOST_MOVES]
    yield from move_lines(shown)
    if len(moves) > len(shown):
        yield f"… {len(moves) - len(shown):,} more: {see_all}"


def _counted(verdict: Verdict, evaluation: Evaluation) -> str:
    """``60 cases, 2 negatives left out``."""
    cases = evaluation.of_group(verdict.tag)
    left_out = [case for case in cases if verdict.metric in case.scores and case.scores[verdict.metric] is None]
    scored = sum(verdict.metric in case.scores for case in cases) - len(left_out)
    text = count(scored, "case")
    negatives = sum(case.relevant is not None and not case.relevant for case in left_out)
    if negatives:
        text += f", {count(negatives, 'negative')} left out"
    if len(left_out) > negatives:
        text += f", {len(left_out) - negatives} undefined left out"
    return text
