"""An evaluation beside its recorded entry, paired case by case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.stats import mean, sign_flip_p

if TYPE_CHECKING:
    from pytest_recall.baseline import Entry, RecordedCase
    from pytest_recall.evaluation import CaseResult, Evaluation

__all__ = ["Change", "Pairing"]

NO_DIFFERENCE = 1e-12
"""Scores closer than this are the same score that took another route."""

Pair = tuple["CaseResult", "RecordedCase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How one metric moved over the cases that both sides scored.

    Attributes:
        value, baseline: the two means over these cases.
        pairs: the cases, now and recorded, in file order.
        differing: the pairs whose scores differ.
    """

    metric: str
    value: float
    baseline: float
    pairs: tuple[Pair, ...]
    differing: tuple[Pair, ...]

    @property
    def p(self) -> float:
        """Two-sided p of the paired sign-flip test."""
        return sign_flip_p([_difference(self.metric, pair) for pair in self.differing])


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which cases an evaluation shares with an entry. Only the same question under the same id is comparable.

    Attributes:
        common: in both, with the same fingerprint.
        changed: in both, but another question now.
        added, removed: on one side only.
        renamed: (id in the baseline, id now) of a question that only changed its id; listed as added and removed too.
    """

    evaluation: Evaluation
    entry: Entry
    common: tuple[Pair, ...] = field(init=False)
    changed: tuple[str, ...] = field(init=False)
    added: tuple[str, ...] = field(init=False)
    removed: tuple[str, ...] = field(init=False)
    renamed: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        recorded = self.entry.cases
        now = {case.id: case for case in self.evaluation.cases}
        both = [(case, recorded[id]) for id, case in now.items() if id in recorded]
        added = {id: case.fingerprint for id, case in now.items() if id not in recorded}
        removed = {case.fingerprint: id for id, case in recorded.items() if id not in now}
        for name, value in {
            "common": tuple(pair for pair in both if pair[0].fingerprint == pair[1].fingerprint),
            "changed": tuple(case.id for case, before in both if case.fingerprint != before.fingerprint),
            "added": tuple(added),
            "removed": tuple(id for id in recorded if id not in now),
            "renamed": tuple((removed[question], id) for id, question in added.items() if question in removed),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def complete(self) -> bool:
        """Both sides hold exactly the same questions."""
        return not (self.changed or self.added or self.removed)

    def change(self, metric: str, group: str | None = None) -> Change | None:
        """How a metric moved, over the common cases of a group that both sides scored; None when there are none."""
        pairs = tuple(
            pair
            for pair in self.common
            if (group is None or group in pair[0].groups)
            and pair[0].scores.get(metric) is not None
            and pair[1].scores.get(metric) is not None
        )
        if not pairs:
            return None
        return Change(
            metric=metric,
            value=mean([_value(now.scores[metric]) for now, _ in pairs]),
            baseline=mean([_value(before.scores[metric]) for _, before in pairs]),
            pairs=pairs,
            differing=tuple(pair for pair in pairs if abs(_difference(metric, pair)) > NO_DIFFERENCE),
        )


def _difference(metric: str, pair: Pair) -> float:
    return _value(pair[0].scores[metric]) - _value(pair[1].scores[metric])


def _value(score: float | None) -> float:
    assert score is not None, "only scored pairs get here"
    return score
