"""A replayed agent run in lines of text: where it diverged, and all its steps."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pytest_recall._text import count, shorten
from pytest_recall.steps import beside, first_divergence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.steps import StepPair

__all__ = ["divergence_lines", "step_lines", "steps_of"]

_WIDTH = 100


def steps_of(evaluation: Evaluation) -> tuple[StepPair, ...]:
    """The steps of a replayed run; none of anything else."""
    return tuple(chain.from_iterable(case.steps for case in evaluation.cases))


def divergence_lines(pairs: Sequence[StepPair]) -> Iterator[str]:
    """The first divergence with its two sides, how much else is the same, and the final texts where they differ."""
    first = first_divergence(pairs)
    if first is None:
        return
    *steps, final = pairs
    yield f"first divergence: {first.place}"
    yield from (f"  {word:<8}  {side}" for word, side in zip(("recorded", "now"), first.sides, strict=True))
    recorded = [pair for pair in steps if pair.recorded is not None]
    made = sum(pair.same for pair in recorded)
    now = sum(pair.now is not None for pair in steps)
    yield f"{made} of {count(len(recorded), 'recorded step')} made again, {count(now, 'step')} now"
    if first.kind != "final":
        yield "the final text is the same" if final.same else "the final text differs"


def step_lines(pairs: Sequence[StepPair]) -> Iterator[str]:
    """Each step once where it is the same, else as recorded (``-``) and as made now (``+``), as in a diff."""
    for pair in pairs:
        recorded, now = beside(pair.recorded, pair.now, _WIDTH)
        sides = [(" ", now)] if pair.same else [("-", recorded), ("+", now)]
        for sign, text in sides:
            if text is not None:
                label = "final text " if pair.kind == "final" else ""
                yield f"{sign} {label}{shorten(text, _WIDTH + 2)}"
