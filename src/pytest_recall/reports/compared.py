"""One suite and system of two files beside each other: what changed, and what of it is for the worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import count, listing
from pytest_recall.baseline import is_recorded
from pytest_recall.bounds import Gate, Threshold
from pytest_recall.comparison import Comparison, paired
from pytest_recall.evaluation import Evaluation
from pytest_recall.gates import Reference, judge
from pytest_recall.reports.summary import pairing_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.baseline import Key
    from pytest_recall.pairing import Pairing
    from pytest_recall.reports.sides import Side

__all__ = ["Compared", "compare_sides", "title"]

MOST_NAMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One suite and system of two files beside each other.

    Attributes:
        key: the suite and the system.
        pairing: the cases of both.
        refusal: why no number can be compared; empty when they can.
        comparison: None where they can't.
        notes: what a reader should know beside the numbers.
        reasons: what got worse, or can't be told to be as good, by the rules of gates that tolerate nothing.
    """

    key: Key
    pairing: Pairing
    refusal: str = ""
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def title(key: Key) -> str:
    """A suite and its system in a sentence."""
    suite, system = key
    return f"{suite} ({system})"


def compare_sides(now: Side, before: Side) -> tuple[Compared, ...]:
    """What is in both files, in the order of the later one."""
    common = [key for key in now.entries if key in before.entries]
    return tuple(_compare(key, now, before) for key in common)


def _compare(key: Key, now: Side, before: Side) -> Compared:
    pairing = paired(now.entries[key], before.entries[key])
    reference = Reference(name=before.name, pairing=pairing)
    refusal = _untrusted(key, now) or _untrusted(key, before) or reference.mismatch
    if refusal:
        notes = pairing_notes(pairing, before.name, ())
        return Compared(key=key, pairing=pairing, refusal=refusal, notes=tuple(notes), reasons=(refusal,))
    comparison = Comparison.of(now.entries[key], before.entries[key])
    return Compared(
        key=key,
        pairing=pairing,
        comparison=comparison,
        notes=tuple(_notes(key, now, before, comparison, reference)),
        reasons=tuple(_reasons(key, now, before, comparison, reference)),
    )


def _untrusted(key: Key, side: Side) -> str:
    entry = side.entries[key]
    problem = entry.problem if isinstance(entry, Evaluation) else None
    return "" if problem is None else f"the numbers of {side.name} can't be trusted: {problem}"


def _notes(key: Key, now: Side, before: Side, comparison: Comparison, reference: Reference) -> Iterator[str]:
    pairing = comparison.pairing
    if not pairing.complete:
        yield f"the numbers are over the {count(len(pairing.common), 'case')} that both sides ask"
    compared = [change.metric for change in comparison.metrics]
    others = [metric for metric in compared if not pairing.compares(metric)]
    yield from pairing_notes(pairing, before.name, others)
    for metric in compared:
        if refusal := reference.refusal(metric):
            yield f"{metric}: {refusal}"
    if undirected := _undirected(key, now, comparison):
        yield undirected
    for side, other in ((before, now), (now, before)):
        if alone := _alone(key, side, other):
            yield f"only in {side.name}: {listing(alone, most=MOST_NAMES)}"


def _reasons(key: Key, now: Side, before: Side, comparison: Comparison, reference: Reference) -> Iterator[str]:
    raised = comparison.raised
    if raised:
        raise_now = count(len(raised), "case raises", "cases raise")
        yield f"{raise_now} that did not before: {listing(map(str, raised))}"
    for change in comparison.metrics:
        # What has a value for the first time is no worse than before.
        if change.baseline is not None or change.candidate is None:
            gate = Gate(name=change.metric, thresholds=(Threshold(metric=change.metric),))
            verdicts = judge(gate, comparison.pairing.evaluation, reference)
            yield from (verdict.reason for verdict in verdicts if verdict.failed)
    if undirected := _undirected(key, now, comparison):
        yield undirected
    if gone := _alone(key, before, now):
        yield f"not computed any more: {listing(gone, most=MOST_NAMES)}"


def _undirected(key: Key, now: Side, comparison: Comparison) -> str:
    """The sentence for metrics that both sides hold, and neither says which way they are better."""
    known = comparison.pairing.evaluation.metrics
    both = [metric for metric in comparison.pairing.entry.metrics if metric in now.entries[key].metrics]
    unknown = [metric for metric in both if metric not in known]
    if not unknown:
        return ""
    return f"not compared, for a baseline does not say which way is better: {listing(unknown, most=MOST_NAMES)}"


def _alone(key: Key, side: Side, other: Side) -> list[str]:
    """The metrics that only one side has, of those that are compared at all."""
    theirs = other.entries[key].metrics
    return [metric for metric in side.entries[key].metrics if metric not in theirs and is_recorded(metric)]
