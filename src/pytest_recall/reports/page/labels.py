"""How a classifier did label by label, and which labels it takes for which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import number
from pytest_recall.evaluation import report_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import Evaluation

__all__ = ["LabelPanel", "LabelRow", "label_panel"]

MOST_LABELS = 50
MOST_CONFUSED = 12
"""A table of more labels fits no screen."""

NO_LABEL = "no label"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """One label, as texts and counts.

    Attributes:
        expected, got, correct: cases that expect it, that got it, and both; each repeat is one.
    """

    label: str
    expected: int
    got: int
    correct: int
    precision: str
    recall: str
    f1: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPanel:
    """What the page shows of a classifier.

    Attributes:
        left_out: labels beyond those shown.
        columns: the labels that came, and perhaps none, in the order of `confusion`; empty where there are too many.
        confusion: expected label → how often each of the columns came.
    """

    rows: tuple[LabelRow, ...]
    left_out: int
    columns: tuple[str, ...]
    confusion: Mapping[str, Sequence[int]]


def label_panel(evaluation: Evaluation) -> LabelPanel | None:
    """The panel over all cases that did not raise; None where there are none, or they are no classifier's."""
    cases = [case for case in evaluation.cases if case.classified and case.error is None]
    if not cases:
        return None
    report = report_of(cases)
    stats = sorted(report.per_label.items(), key=lambda item: -item[1].support)
    rows = [
        LabelRow(
            label=label,
            expected=stat.support,
            got=stat.predicted,
            correct=stat.correct,
            precision=number(stat.precision),
            recall=number(stat.recall),
            f1=number(stat.f1),
        )
        for label, stat in stats[:MOST_LABELS]
    ]
    names = [label for label, _ in stats] if len(stats) <= MOST_CONFUSED else []
    table = report.confusion
    came: list[str | None] = [*names]
    if names and any(None in row for row in table.values()):
        came.append(None)
    return LabelPanel(
        rows=tuple(rows),
        left_out=len(stats) - len(rows),
        columns=tuple(NO_LABEL if label is None else label for label in came),
        confusion={label: [table[label].get(each, 0) for each in came] for label in names if label in table},
    )
