"""The baseline as one evaluation meets it, and whether the two can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import count, decimals_to_tell, number
from pytest_recall.errors import RecallError
from pytest_recall.gates.tolerances import EPSILON
from pytest_recall.pairing import Pairing
from pytest_recall.settings import POLICY_FIELDS
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from pytest_recall.baseline import Entry, RecordedMetric
    from pytest_recall.pairing import Change

__all__ = ["Reference", "differences"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What an evaluation is compared with.

    Attributes:
        name: the baseline file, as the user named it.
        pairing: the evaluation beside its entry, None when there is no entry.
        problem: why the file can't be used at all, None when it can.
        add, record: the commands that add a missing entry, and that record this suite again; empty where nothing is
            to be recorded.

    Raises:
        RecallError: `pairing` is something else.

    >>> Reference(name="baseline.json", pairing=None, add="pytest --eval-update-new").refusal("mrr")
    'no entry in baseline.json; add it: pytest --eval-update-new'
    """

    name: str
    pairing: Pairing | None
    problem: str | None = None
    add: str = ""
    record: str = ""

    def __post_init__(self) -> None:
        if not (self.pairing is None or isinstance(self.pairing, Pairing)):
            kind = type(self.pairing).__name__
            raise RecallError(f"pairing must be a Pairing or None, not {kind}; Pairing(now, before) makes one")

    def refusal(self, metric: str) -> str:
        """Why a metric can't be compared, with the command that mends it; empty when it can."""
        if self.problem is not None:
            return self.problem
        if self.pairing is None:
            return f"no entry in {self.name}{_hint('add it', self.add)}"
        if self.mismatch:
            return self.mismatch + self.again
        recorded = self.pairing.entry.metrics.get(metric)
        if recorded is None or recorded.value is None:
            return f"no value in {self.name}{_hint('record it', self.record)}"
        reason = _other_kind(self.pairing, metric) or _edited(self.pairing.entry, metric, recorded)
        return f"not comparable with {self.name}: {reason}{self.again}" if reason else ""

    def too_few(self, change: Change, group: str | None) -> str:
        """Why a change says too little of its group, half of whose values have no other to be compared with."""
        pairing, metric = self.pairing, change.metric
        if pairing is None or not change.is_mean:
            return ""
        now = {case.id: case for case in pairing.evaluation.of_group(group)}
        before = {id: case for id, case in pairing.entry.cases.items() if group is None or id in now}
        scored = max(
            sum(case.scores.get(metric) is not None for id, case in now.items() if id in before),
            sum(case.scores.get(metric) is not None for case in before.values()),
        )
        if 2 * len(change.pairs) >= scored:
            return ""
        reason = f"only {len(change.pairs):,} of {count(scored, 'case')} with a value can be compared"
        return f"not comparable with {self.name}: {reason}{self.again}"

    @property
    def mismatch(self) -> str:
        """Why no metric of the two can be compared; empty when they can, or when there is no entry."""
        reason = self.pairing and (differences(self.pairing) or _too_few(self.pairing))
        return f"not comparable with {self.name}: {reason}" if reason else ""

    @property
    def again(self) -> str:
        """What ends a sentence that recording again would mend."""
        return _hint("record it again", self.record)


def _hint(what: str, command: str) -> str:
    return f"; {what}: {command}" if command else ""


def differences(pairing: Pairing) -> str:
    """How the settings differ, such as ``k is 5, recorded with 10``."""
    now, before = pairing.evaluation.settings, pairing.entry
    values: dict[str, tuple[object, object]] = {"k": (now.k, before.k)}
    values |= {name: (getattr(now.policy, name), getattr(before.policy, name)) for name in POLICY_FIELDS}
    differ = {name: pair for name, pair in values.items() if pair[0] != pair[1]}
    return ", ".join(f"{name} is {_plain(new)}, recorded with {_plain(old)}" for name, (new, old) in differ.items())


def _too_few(pairing: Pairing) -> str:
    common, recorded = len(pairing.common), len(pairing.entry.cases)
    if 2 * common >= recorded:
        return ""
    return f"only {common:,} of its {count(recorded, 'case')} still {'asks' if common == 1 else 'ask'} the same"


def _other_kind(pairing: Pairing, metric: str) -> str:
    now, before = pairing.evaluation.metrics[metric].aggregate, pairing.entry.metrics[metric].aggregate
    return "" if now == before else f"it is a {now}, recorded as a {before}"


def _edited(entry: Entry, metric: str, recorded: RecordedMetric) -> str:
    """How a recorded mean differs from the scores it is said to be of, as after an edit or a merge by hand."""
    if recorded.aggregate != "mean" or recorded.value is None:
        return ""
    scores = [score for case in entry.cases.values() if (score := case.scores.get(metric)) is not None]
    if not scores:
        return f"its value there is {number(recorded.value)}, and no case has one"
    if len(scores) != recorded.scored:
        have = "has" if len(scores) == 1 else "have"
        return f"its value there is of {count(recorded.scored, 'case')}, and {len(scores):,} {have} one"
    value = mean(scores)
    if abs(value - recorded.value) <= EPSILON * max(1.0, abs(value)):
        return ""
    decimals = decimals_to_tell(value, recorded.value)
    return f"its value there is {number(recorded.value, decimals)}, the mean of its cases {number(value, decimals)}"


def _plain(value: object) -> str:
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
