"""Metrics of classifiers. The ranking of a case is the label it got, or empty: the whole answer or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_recall.metrics.judged import JudgedRanking, Judgments

__all__ = ["Expects", "accuracy", "label_precision", "label_recall", "macro_f1"]


@dataclass(frozen=True, slots=True)
class Expects:
    """Whether a case expects a label; a value, so that a metric that is parsed twice is the same metric."""

    label: str

    def __call__(self, judgments: Judgments) -> bool:
        return judgments.expected == self.label


def accuracy(judged: JudgedRanking, _: object = None) -> float:
    """1 if the case got the label that it expects, else 0, as where it got none.

    scikit-learn: ``accuracy_score``. Ranking refund with refund expected: accuracy = 1. Ranking shipping with refund
    expected: accuracy = 0.
    """
    return float([*judged.ranking] == [judged.judgments.expected])


def macro_f1(judged: JudgedRanking, _: object = None) -> float:
    """1 if the case got its label; over cases the mean of the labels' F1, 2 · correct / (expected + got).

    scikit-learn: ``f1_score(average="macro", zero_division=0)`` (Sokolova and Lapalme 2009). Ranking shipping with
    refund expected: macro_f1 = 0.
    """
    return accuracy(judged)


def label_recall(judged: JudgedRanking, _label: str) -> float:
    """1 if a case that expects the label got it, else 0.

    scikit-learn: ``recall_score`` of one label. Ranking shipping with refund expected: label_recall.refund = 0.
    """
    return accuracy(judged)


def label_precision(judged: JudgedRanking, label: str) -> float | None:
    """1 if a case that got the label expects it, else 0; over cases the share of correct ones. Undefined elsewhere.

    scikit-learn: ``precision_score`` of one label. Ranking shipping with refund expected: label_precision.shipping = 0.
    """
    return accuracy(judged) if label in judged.ranking else None
