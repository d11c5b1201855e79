"""The steps of two runs beside each other, those that ask the same in one line."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from pytest_recall import _json
from pytest_recall.steps import StepPair, beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.replay.capture import Capture, Step

__all__ = ["common_places", "pairs_of"]

TEXT_WIDTH = 2000
"""How much of a step, an answer or a final text is kept."""


def pairs_of(capture: Capture, now: Sequence[Step], final_text: str | None) -> tuple[StepPair, ...]:
    """Each recorded step beside the one made now, and the final texts.

    Between two steps that ask the same, steps of one kind stand beside each other, and the others alone.
    """
    pairs: list[StepPair] = []
    places = common_places([step.asked for step in capture.steps], [step.asked for step in now])
    left = right = 0
    for recorded_place, now_place in [*places, (len(capture.steps), len(now))]:
        pairs += _different(capture.steps[left:recorded_place], now[right:now_place])
        left, right = recorded_place + 1, now_place + 1
        if recorded_place < len(capture.steps):
            pairs.append(_pair(capture.steps[recorded_place], now[now_place], same=True))
    recorded, answered = beside(capture.final_text, final_text, TEXT_WIDTH)
    final = StepPair(kind="final", recorded=recorded, now=answered, same=final_text == capture.final_text)
    return (*pairs, final)


def _different(recorded: Sequence[Step], now: Sequence[Step]) -> Iterator[StepPair]:
    rest = list(now)
    for step in recorded:
        other = rest.pop(0) if rest and rest[0].kind == step.kind else None
        yield _pair(step, other)
    yield from (_pair(None, other) for other in rest)


def _pair(recorded: Step | None, now: Step | None, *, same: bool = False) -> StepPair:
    step = recorded or now
    assert step is not None, "a pair has a side"
    then, today = beside(None if recorded is None else str(recorded), None if now is None else str(now), TEXT_WIDTH)
    answer, _ = beside(None if recorded is None else _answer(recorded), None, TEXT_WIDTH)
    return StepPair(kind=step.kind, recorded=then, now=today, answer=answer, same=same)


def _answer(step: Step) -> str:
    return f"raised {step.error}" if step.error is not None else _json.line(step.answer)


def common_places(left: Sequence[object], right: Sequence[object]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence; what both begin and end with is always in it."""
    begin = len([*takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))])
    end = len([*takewhile(lambda pair: pair[0] == pair[1], zip(left[begin:][::-1], right[begin:][::-1], strict=False))])
    one, other = left[begin : len(left) - end], right[begin : len(right) - end]
    # Of each pair of places the length that is still to come.
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in reversed(range(len(one))):
        for column in reversed(range(len(other))):
            skipped = max(lengths[row + 1][column], lengths[row][column + 1])
            lengths[row][column] = lengths[row + 1][column + 1] + 1 if one[row] == other[column] else skipped
    places = [(place, place) for place in range(begin)]
    row = column = 0
    while row < len(one) and column < len(other):
        if one[row] == other[column]:
            places.append((begin + row, begin + column))
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
    return places + [(len(left) - place, len(right) - place) for place in range(end, 0, -1)]
