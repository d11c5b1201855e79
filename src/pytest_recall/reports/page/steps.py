"""The steps of a replayed run, recorded and now side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Literal

from pytest_recall import _text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.steps import StepPair

__all__ = ["MOST_STEPS", "StepRow", "StepSide", "step_facts", "step_rows"]

MOST_STEPS = 1000
"""Of those shown; the whole is in the other reports."""

Word = Literal["same", "differs", "left out", "added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSide:
    """One side of a row: which step of its run it is, and what it asks; of the final text there is no number."""

    number: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step on both sides.

    Attributes:
        kind: "model", "tool" or "final text".
        answer: what the recording answered.
        word: how now is beside recorded.
        first: nothing before it differs.
    """

    kind: str
    recorded: StepSide | None
    now: StepSide | None
    answer: str | None
    word: Word
    first: bool


_KINDS = {"llm": "model", "tool": "tool", "final": "final text"}


def step_rows(pairs: Sequence[StepPair]) -> list[StepRow]:
    """A row for each pair, in order."""
    recorded, now = count(1), count(1)
    first = next((place for place, pair in enumerate(pairs) if not pair.same), None)
    return [
        StepRow(
            kind=_KINDS[pair.kind],
            recorded=_side(pair, pair.recorded, recorded),
            now=_side(pair, pair.now, now),
            answer=pair.answer,
            word=_word(pair),
            first=place == first,
        )
        for place, pair in enumerate(pairs)
    ]


def step_facts(pairs: Sequence[StepPair]) -> tuple[str, ...]:
    """How many steps there were and are."""
    recorded, now = (
        sum(text is not None for pair, text in sides if pair.kind != "final")
        for sides in ([(pair, pair.recorded) for pair in pairs], [(pair, pair.now) for pair in pairs])
    )
    return (f"{_text.count(recorded, 'step')} recorded", f"{now:,} now")


def _side(pair: StepPair, text: str | None, numbers: count[int]) -> StepSide | None:
    return None if text is None else StepSide(number=None if pair.kind == "final" else next(numbers), text=text)


def _word(pair: StepPair) -> Word:
    if pair.same:
        return "same"
    if pair.kind == "final" or None not in (pair.recorded, pair.now):
        return "differs"
    return "added" if pair.recorded is None else "left out"
