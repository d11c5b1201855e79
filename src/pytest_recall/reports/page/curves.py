"""Recall at every cutoff from 1 to k."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_recall.evaluation import CaseResult, Evaluation, Policy
    from pytest_recall.pairing import Pairing

__all__ = ["Chart", "Curve", "chart_of", "recall_of", "recorded_recall_of"]

# Units of the drawing.
LEFT, RIGHT, TOP, BOTTOM = 30, 276, 10, 150
LABEL_HEIGHT = 12
MOST_LINEAR = 20
MOST_DOTS = 20

_STEPS = (1, 2, 5)

Ranks = tuple["Mapping[str, float]", "Mapping[str, int | None]"]
"""Of a case its grades, and the rank of each graded id, None where it did not come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One line of a chart.

    Attributes:
        key: a short label at the end of the line.
        cases: how many cases it is the mean of.
        values: recall at 1, 2, … k.
        points: of each value its place in the drawing.
        label_y: where the key stands.
    """

    name: str
    key: str
    cases: int
    values: tuple[float, ...]
    points: tuple[tuple[float, float], ...]
    label_y: float

    @property
    def path(self) -> str:
        # A level stretch has two ends, however many cutoffs it is long.
        ys = [None, *(y for _, y in self.points), None]
        bends = (point for point, *around in zip(self.points, ys, ys[2:], strict=False) if {*around} != {point[1]})
        return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in bends)

    @property
    def dots(self) -> tuple[tuple[float, float], ...]:
        return self.points if len(self.points) <= MOST_DOTS else self.points[-1:]

    @property
    def text(self) -> str:
        first, last = self.values[0], self.values[-1]
        return f"{self.name}: recall@1 {number(first)}, recall@{len(self.values)} {number(last)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Curves on common axes.

    Attributes:
        ticks: the cutoffs that are written out, with their places.
    """

    curves: tuple[Curve, ...]
    ticks: tuple[tuple[int, float], ...]

    @property
    def text(self) -> str:
        return "; ".join(curve.text for curve in self.curves)


Values = tuple[int, tuple[float, ...]]
"""Over how many cases, and recall at 1, 2, … k."""


def chart_of(lines: Mapping[str, Values | None], keys: Iterable[str]) -> Chart | None:
    """The lines that have values, by name, each with its key; None where there are none."""
    drawn = [(name, key, values) for (name, values), key in zip(lines.items(), keys, strict=False) if values]
    if not drawn:
        return None
    k = max(len(values) for _, _, (_, values) in drawn)
    xs = [_x(cutoff, k) for cutoff in range(1, k + 1)]
    label_ys = _spread([_y(values[-1]) for _, _, (_, values) in drawn])
    curves = (
        Curve(
            name=name,
            key=key,
            cases=cases,
            values=values,
            points=tuple((x, _y(value)) for x, value in zip(xs, values, strict=False)),
            label_y=label_y,
        )
        for (name, key, (cases, values)), label_y in zip(drawn, label_ys, strict=True)
    )
    return Chart(curves=tuple(curves), ticks=tuple((cutoff, xs[cutoff - 1]) for cutoff in _cutoffs(k)))


def recall_of(evaluation: Evaluation) -> Values | None:
    """Over the cases that came back, as recall@n is defined; None where no case has a relevant id."""
    answered = [case for case in evaluation.cases if case.error is None]
    settings = evaluation.settings
    return _recall(
        [(case.relevant, case.ranks) for case in answered if case.relevant is not None], settings.policy, settings.k
    )


def recorded_recall_of(pairing: Pairing) -> Values | None:
    """The same of the baseline, over the common cases whose ranks it holds."""
    settings = pairing.evaluation.settings
    pairs = [(now.relevant, before.ranks) for now, before in pairing.common if _was_scored(now, before.scores)]
    known = [(grades, ranks) for grades, ranks in pairs if grades is not None and ranks is not None]
    return _recall(known, settings.policy, settings.k)


def _was_scored(now: CaseResult, before: Mapping[str, float | None]) -> bool:
    """A case that raised when it was recorded has no score at all."""
    return not now.relevant or any(score is not None for score in before.values())


def _recall(cases: Sequence[Ranks], policy: Policy, k: int) -> Values | None:
    gains = [0.0] * (k + 1)
    scored = 0
    for grades, ranks in cases:
        relevant = [id for id, grade in grades.items() if grade >= policy.relevance_threshold]
        if not relevant:
            if policy.undefined in {"zero", "one"}:
                scored += 1
                gains[0] += policy.undefined == "one"
            continue
        scored += 1
        for id in relevant:
            rank = ranks.get(id)
            if rank is not None and rank <= k:
                gains[rank] += 1 / len(relevant)
    if not any(grades for grades, _ in cases) or not scored:
        return None
    total, values = gains[0], []
    for gain in gains[1:]:
        total += gain
        values.append(min(total / scored, 1.0))
    return scored, tuple(values)


def _cutoffs(k: int) -> list[int]:
    """1, 2, 3, … up to ten; 1, 2, 5, 10, 20, … and k beyond."""
    if k <= 10:
        return list(range(1, k + 1))
    steps = (step * 10**power for power in range(len(str(k))) for step in _STEPS)
    return sorted({k, *(cutoff for cutoff in steps if cutoff <= k / 1.2)})


def _x(cutoff: int, k: int) -> float:
    if k == 1:
        return (LEFT + RIGHT) / 2
    share = (cutoff - 1) / (k - 1) if k <= MOST_LINEAR else math.log(cutoff) / math.log(k)
    return LEFT + share * (RIGHT - LEFT)


def _y(value: float) -> float:
    return BOTTOM - value * (BOTTOM - TOP)


def _spread(ys: Sequence[float]) -> list[float]:
    """The places of labels beside lines: moved down where they would overlap, all up where the last then falls out."""
    placed: dict[int, float] = {}
    above = -math.inf
    for place in sorted(range(len(ys)), key=lambda place: ys[place]):
        above = placed[place] = max(ys[place], above + LABEL_HEIGHT)
    excess = max(0.0, above - BOTTOM)
    return [placed[place] - excess for place in range(len(ys))]
