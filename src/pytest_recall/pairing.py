"""An evaluation beside its recorded entry, paired case by case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.baseline import Entry, entry_of
from pytest_recall.errors import RecallError
from pytest_recall.evaluation import Evaluation
from pytest_recall.stats import mean, sign_flip_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.baseline import RecordedCase
    from pytest_recall.evaluation import CaseId, CaseResult

__all__ = ["Change", "Pairing"]

NO_DIFFERENCE = 1e-12
"""Scores closer than this are the same score that took another route."""

Pair = tuple["CaseResult", "RecordedCase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How one metric moved over the cases that both sides scored.

    Attributes:
        value, baseline: the two means over these cases, or the two aggregates of another kind.
        pairs: the cases, now and recorded, in file order; where it is no mean also those that only one side scored.
        differing: the pairs whose scores differ.
        is_mean: whether the two are means; of other aggregates there is no p.
    """

    metric: str
    value: float
    baseline: float
    pairs: tuple[Pair, ...]
    differing: tuple[Pair, ...]
    is_mean: bool = True

    @property
    def p(self) -> float | None:
        """Two-sided p of the paired sign-flip test."""
        return sign_flip_p([_difference(self.metric, pair) for pair in self.differing]) if self.is_mean else None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which cases an evaluation shares with an entry. Only the same question under the same id is comparable.

    An earlier evaluation can stand in for the entry that would be recorded of it.

    Attributes:
        common: in both, with the same fingerprint.
        changed: in both, but another question now.
        added, removed: on one side only.
        renamed: (id in the baseline, id now) of a question that only changed its id; listed as added and removed too,
            and each id in one pair at most.

    Raises:
        RecallError: one side is something else.

    >>> from pytest_recall import evaluate_retrieval
    >>> queries, qrels = ["when does the lease end?"], [["lease-2"]]
    >>> before = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], queries, qrels, metrics=["mrr"])
    >>> now = evaluate_retrieval(lambda query: ["lease-2", "rent-1"], queries, qrels, metrics=["mrr"])
    >>> pairing = Pairing(now, before)
    >>> pairing.complete, [(case.id, recorded.scores) for case, recorded in pairing.common]
    (True, [(0, {'mrr': 0.5})])
    """

    evaluation: Evaluation
    entry: Entry
    common: tuple[Pair, ...] = field(init=False)
    changed: tuple[CaseId, ...] = field(init=False)
    added: tuple[CaseId, ...] = field(init=False)
    removed: tuple[CaseId, ...] = field(init=False)
    renamed: tuple[tuple[CaseId, CaseId], ...] = field(init=False)

    def __init__(self, evaluation: Evaluation, entry: Entry | Evaluation) -> None:
        for side, kinds in ((evaluation, (Evaluation,)), (entry, (Entry, Evaluation))):
            if not isinstance(side, kinds):
                named = " or an ".join(kind.__name__ for kind in reversed(kinds))
                raise RecallError(f"a pairing needs an {named}, not {type(side).__name__}")
        entry = entry if isinstance(entry, Entry) else entry_of(entry)
        recorded = entry.cases
        now = {case.id: case for case in evaluation.cases}
        both = [(case, recorded[id]) for id, case in now.items() if id in recorded]
        added = {id: case.fingerprint for id, case in now.items() if id not in recorded}
        removed: dict[str, list[CaseId]] = {}
        for id, case in recorded.items():
            if id not in now:
                removed.setdefault(case.fingerprint, []).append(id)
        for name, value in {
            "evaluation": evaluation,
            "entry": entry,
            "common": tuple(pair for pair in both if pair[0].fingerprint == pair[1].fingerprint),
            "changed": tuple(case.id for case, before in both if case.fingerprint != before.fingerprint),
            "added": tuple(added),
            "removed": tuple(id for id in recorded if id not in now),
            "renamed": tuple((removed[question].pop(0), id) for id, question in added.items() if removed.get(question)),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def complete(self) -> bool:
        """Both sides hold exactly the same questions."""
        return not (self.changed or self.added or self.removed)

    def compares(self, metric: str, group: str | None = None) -> bool:
        """Whether a metric means the same on both sides: a mean can be over the common cases, others need all."""
        return self._is_mean(metric) or (self.complete and group is None)

    def _is_mean(self, metric: str) -> bool:
        return self.evaluation.metrics[metric].aggregate == "mean"

    def change(self, metric: str, group: str | None = None) -> Change | None:
        """How a metric moved, over the common cases of a group that both sides scored; None when there are none."""
        if not self.compares(metric, group):
            return None
        pairs = tuple(
            pair
            for pair in self.common
            if (group is None or group in pair[0].groups) and _is_scored(metric, pair, on_both=self._is_mean(metric))
        )
        value, baseline = self._values(metric, pairs)
        if value is None or baseline is None:
            return None
        return Change(
            metric=metric,
            value=value,
            baseline=baseline,
            pairs=pairs,
            differing=tuple(pair for pair in pairs if _differs(metric, pair)),
            is_mean=self._is_mean(metric),
        )

    def one_sided(self, metric: str, group: str | None = None) -> tuple[CaseId, ...]:
        """The common cases of a group that have a value of a metric on one side only, and are not compared."""
        return tuple(
            case.id
            for case, before in self.common
            if (group is None or group in case.groups)
            and (case.scores.get(metric) is None) != (before.scores.get(metric) is None)
        )

    def _values(self, metric: str, pairs: Sequence[Pair]) -> tuple[float | None, float | None]:
        """A metric now and then: the means over some pairs, or the aggregates over all cases."""
        if not pairs:
            return None, None
        if self._is_mean(metric):
            now = [_value(case.scores[metric]) for case, _ in pairs]
            before = [_value(case.scores[metric]) for _, case in pairs]
            return mean(now), mean(before)
        recorded = self.entry.metrics.get(metric)
        return self.evaluation.metrics[metric].value, None if recorded is None else recorded.value


def _is_scored(metric: str, pair: Pair, *, on_both: bool) -> bool:
    scored = [side.scores.get(metric) is not None for side in pair]
    return all(scored) if on_both else any(scored)


def _differs(metric: str, pair: Pair) -> bool:
    if _is_scored(metric, pair, on_both=True):
        return abs(_difference(metric, pair)) > NO_DIFFERENCE
    return True


def _difference(metric: str, pair: Pair) -> float:
    return _value(pair[0].scores[metric]) - _value(pair[1].scores[metric])


def _value(score: float | None) -> float:
    assert score is not None, "only scored pairs get here"
    return score
