"""How often the label was the expected one: accuracy, and precision, recall and F1 of each label."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from math import isnan
from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.errors import RecallError
from pytest_recall.labels.entries import entries_of
from pytest_recall.labels.extraction import checked_specs, extract_label
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.labels.extraction import LabelSpec

__all__ = [
    "ClassificationCase",
    "ClassificationReport",
    "LabelAverage",
    "LabelStat",
    "Miss",
    "score_classification",
]


@dataclass(frozen=True, slots=True)
class ClassificationCase:
    """What was asked, and the label that it should get.

    >>> score_classification([ClassificationCase("my money back, please", "refund")], ["refund"]).accuracy
    1.0
    """

    input: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A case that got another label, or none.

    Attributes:
        index: its position, counted from 0.
        parsed: the label it got; None when there was none, or no prediction.

    >>> cases = [ClassificationCase("money back", "refund"), ClassificationCase("where is it?", "delivery")]
    >>> report = score_classification(cases, ["refund", "refund"])
    >>> report.misses
    (Miss(index=1, expected='delivery', parsed='refund'),)
    """

    index: int
    expected: str
    parsed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelStat:
    """One label.

    Attributes:
        support: cases that expect it.
        predicted: cases that got it.
        correct: cases that expect and got it.

    >>> cases = [ClassificationCase("money back", "refund"), ClassificationCase("where is it?", "delivery")]
    >>> report = score_classification(cases, ["refund", "refund"])
    >>> stat = report.per_label["refund"]
    >>> stat.support, stat.precision, stat.recall, round(stat.f1, 3)
    (1, 0.5, 1.0, 0.667)
    """

    support: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float | None:
        """Correct / predicted, undefined where it was never predicted."""
        return self.correct / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Correct / support, undefined where no case expects it."""
        return self.correct / self.support if self.support else None

    @property
    def f1(self) -> float:
        """2 · correct / (predicted + support), the harmonic mean of precision and recall."""
        return 2 * self.correct / (self.predicted + self.support)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAverage:
    """Precision, recall and F1 over all labels, an undefined one counting 0, as scikit-learn's with zero_division=0.

    >>> cases = [ClassificationCase("money back", "refund"), ClassificationCase("where is it?", "delivery")]
    >>> report = score_classification(cases, ["refund", "refund"])
    >>> report.macro.recall, report.micro.precision
    (0.5, 0.5)
    """

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationReport:
    """What a classifier scored.

    Attributes:
        pairs: for each case the expected label and the one it got.

    >>> cases = [ClassificationCase("money back", "refund"), ClassificationCase("where is it?", "delivery")]
    >>> report = score_classification(cases, ["refund", "refund"])
    >>> report.correct, report.accuracy, report.confusion
    (1, 0.5, {'refund': Counter({'refund': 1}), 'delivery': Counter({'refund': 1})})
    """

    pairs: tuple[tuple[str, str | None], ...]

    @property
    def total(self) -> int:
        """How many cases there are."""
        return len(self.pairs)

    @property
    def correct(self) -> int:
        """How many got the expected label."""
        return sum(expected == parsed for expected, parsed in self.pairs)

    @property
    def accuracy(self) -> float:
        """Correct / total; 0.0 without cases."""
        return self.correct / self.total if self.pairs else 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that was expected or predicted, in the order in which they were first seen."""
        return tuple(dict.fromkeys(label for pair in self.pairs for label in pair if label is not None))

    @property
    def per_label(self) -> Mapping[str, LabelStat]:
        """Each label, in the order in which they were first seen."""
        support = Counter(expected for expected, _ in self.pairs)
        predicted = Counter(parsed for _, parsed in self.pairs)
        correct = Counter(expected for expected, parsed in self.pairs if expected == parsed)
        return {
            label: LabelStat(support=support[label], predicted=predicted[label], correct=correct[label])
            for label in self.labels
        }

    @property
    def macro(self) -> LabelAverage:
        """The mean over the labels, each counting the same; zeros without cases."""
        stats = self.per_label.values()
        if not stats:
            return LabelAverage(precision=0.0, recall=0.0, f1=0.0)
        return LabelAverage(
            precision=mean([stat.precision or 0.0 for stat in stats]),
            recall=mean([stat.recall or 0.0 for stat in stats]),
            f1=mean([stat.f1 for stat in stats]),
        )

    @property
    def micro(self) -> LabelAverage:
        """All labels as one: a case without a label lowers recall, not precision; zeros without cases."""
        predicted = sum(parsed is not None for _, parsed in self.pairs)
        return LabelAverage(
            precision=self.correct / predicted if predicted else 0.0,
            recall=self.accuracy,
            f1=2 * self.correct / (predicted + self.total) if self.pairs else 0.0,
        )

    @property
    def confusion(self) -> Mapping[str, Mapping[str | None, int]]:
        """Expected label → label it got, None for none → number of cases; what never happened is left out."""
        table: dict[str, Counter[str | None]] = {}
        for expected, parsed in self.pairs:
            table.setdefault(expected, Counter())[parsed] += 1
        return table

    @property
    def misses(self) -> tuple[Miss, ...]:
        """The cases that did not get their label, in order."""
        return tuple(
            Miss(index=index, expected=expected, parsed=parsed)
            for index, (expected, parsed) in enumerate(self.pairs)
            if expected != parsed
        )


def score_classification(
    cases: Sequence[ClassificationCase],
    predictions: Sequence[str | None],
    specs: Sequence[LabelSpec] | None = None,
    *,
    strict: bool = True,
) -> ClassificationReport:
    """Compare predictions with the expected labels, by position.

    Args:
        cases: what is expected.
        predictions: labels, None or NaN for no label; with `specs` raw outputs, of which `extract_label` takes the
            label. A case without a prediction is a miss.
        specs: the labels that outputs name.
        strict: more predictions than cases are an error; False ignores them.

    Raises:
        RecallError: more predictions than cases, a prediction that is neither text nor None, an expected label that is
            no text or that `specs` do not hold, or an argument that is no sequence of what it should hold.

    >>> cases = [ClassificationCase("money back?", "refund"), ClassificationCase("where is it?", "shipping")]
    >>> report = score_classification(cases, ["refund", None])
    >>> report.accuracy, report.misses
    (0.5, (Miss(index=1, expected='shipping', parsed=None),))
    """
    expected = _expected(cases)
    given = entries_of("predictions", "a sequence, one a case", predictions)
    if strict and len(given) > len(expected):
        raise RecallError(
            f"{count(len(given), 'prediction')} came for {count(len(expected), 'case')}; "
            f"strict=False ignores the surplus"
        )
    known = None if specs is None else checked_specs(specs)
    if known is not None:
        _check_expected(expected, known)
    return ClassificationReport(
        pairs=tuple(
            (label, _label(index, prediction, known))
            for index, (label, prediction) in enumerate(zip_longest(expected, given[: len(expected)]))
        )
    )


def _expected(cases: Sequence[ClassificationCase]) -> list[str]:
    """The label that each case expects."""
    entries = entries_of("cases", "a sequence of ClassificationCase", cases)
    for index, case in enumerate(entries):
        if not isinstance(case, ClassificationCase):
            raise RecallError(f"cases[{index}] must be a ClassificationCase, not {type(case).__name__} {case!r:.80}")
        if not isinstance(case.expected, str):
            raise RecallError(f"cases[{index}] must expect a label that is text, not {case.expected!r:.80}")
    return [case.expected for case in entries]


def _label(index: int, prediction: object, specs: Sequence[LabelSpec] | None) -> str | None:
    # A column of a table holds NaN where None was put in.
    if prediction is None or (isinstance(prediction, float) and isnan(prediction)):
        return None
    if not isinstance(prediction, str):
        raise RecallError(
            f"predictions[{index}] must be text or None, not {type(prediction).__name__} {prediction!r:.80}"
        )
    # Of an array it is numpy's own text.
    return str.__str__(prediction) if specs is None else extract_label(prediction, specs)


def _check_expected(expected: Sequence[str], specs: Sequence[LabelSpec]) -> None:
    known = {spec.canonical for spec in specs}
    for index, label in enumerate(expected):
        if label not in known:
            raise RecallError(f"cases[{index}] expects {label!r:.80}, which is no label of specs")
