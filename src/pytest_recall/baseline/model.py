"""What a baseline remembers of an evaluation."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.evaluation import CaseResult, Evaluation, Settings, Summary
from pytest_recall.metrics import known_metric

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_recall.evaluation import CaseId, MemoriesDigest, Policy
    from pytest_recall.metrics import Aggregate, Better

__all__ = [
    "Baseline",
    "Entry",
    "Key",
    "RecordedCase",
    "RecordedMetric",
    "entry_of",
    "evaluation_of",
    "is_recorded",
    "recorded_case",
    "suite_key",
]

Key = tuple[str, str]
"""A suite (see `suite_key`) and a system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMetric:
    """A metric over all cases of a suite, as it was recorded.

    Attributes:
        value: the aggregate; None when it was undefined.
        scored: how many cases counted.
        undefined: how many cases were asked and had no value.
    """

    value: float | None
    aggregate: Aggregate
    scored: int
    undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCase:
    """A case as it was recorded.

    Attributes:
        fingerprint: digest of the question.
        ranks: rank of each relevant and stale id, None where it did not come back; None altogether when the repeats of
            the query gave different rankings, or it raised.
        scores: metric → value, None where undefined. A metric that is not about this case is absent.
    """

    fingerprint: str
    ranks: Mapping[str, int | None] | None
    scores: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one system scored on one suite, and with which settings.

    >>> from pytest_recall.evaluation import Policy
    >>> Entry(k=5, policy=Policy(undefined="zero"), memories=None, metrics={}, cases={}).policy.undefined
    'zero'
    """

    k: int
    policy: Policy
    memories: MemoriesDigest | None
    metrics: Mapping[str, RecordedMetric]
    cases: Mapping[CaseId, RecordedCase]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Every entry of one file.

    >>> from pytest_recall import Entry
    >>> from pytest_recall.evaluation import Policy
    >>> entry = Entry(k=5, policy=Policy(), memories=None, metrics={}, cases={})
    >>> Baseline(entries={("notes.eval.yaml", "retriever"): entry}).entries["notes.eval.yaml", "retriever"].k
    5
    """

    entries: Mapping[Key, Entry] = field(default_factory=dict)


def entry_of(evaluation: Evaluation) -> Entry:
    """What is recorded of an evaluation: neither latencies nor `judged@n`."""
    settings = evaluation.settings
    return Entry(
        k=settings.k,
        policy=settings.policy,
        memories=settings.memories,
        metrics={
            name: RecordedMetric(
                value=summary.value, aggregate=summary.aggregate, scored=summary.scored, undefined=summary.undefined
            )
            for name, summary in evaluation.metrics.items()
            if is_recorded(name)
        },
        cases={case.id: recorded_case(case) for case in evaluation.cases},
    )


def evaluation_of(entry: Entry, key: Key = ("", ""), better: Mapping[str, Better] | None = None) -> Evaluation:
    """What an entry still knows of its evaluation: scores, and neither texts nor tags nor rankings.

    Args:
        entry: as it was recorded.
        key: the suite and the system that it is of.
        better: which way metrics win that a user added; without it they are left out, for an entry does not hold it.
    """
    suite, system = key
    metrics = {}
    for name, recorded in entry.metrics.items():
        known = known_metric(name)
        direction = (better or {}).get(name) if known is None else known.better
        if direction is not None:
            metrics[name] = Summary(
                value=recorded.value,
                scored=recorded.scored,
                undefined=recorded.undefined,
                errors=0,
                better=direction,
                aggregate=recorded.aggregate,
            )
    return Evaluation(
        suite=suite,
        system=system,
        settings=Settings(k=entry.k, policy=entry.policy, memories=entry.memories),
        metrics=metrics,
        cases=tuple(
            CaseResult(id=id, fingerprint=case.fingerprint, scores=case.scores) for id, case in entry.cases.items()
        ),
    )


def recorded_case(case: CaseResult) -> RecordedCase:
    """What is recorded of a case."""
    scores = {name: score for name, score in case.scores.items() if is_recorded(name)}
    ranks = case.ranks if case.steady and case.error is None else None
    return RecordedCase(fingerprint=case.fingerprint, ranks=ranks, scores=scores)


def is_recorded(metric: str) -> bool:
    """Whether a baseline holds a metric; one that is none of ours, added by a user, is held."""
    known = known_metric(metric)
    return known is None or known.recorded


def suite_key(name: str, root: Path, folder: Path) -> str:
    """The name of a suite as a baseline has it, so that the file means the same from wherever pytest is called.

    Args:
        name: POSIX path of the suite relative to `root`, or the node id of a test, which continues with ``::``.
        root: what `name` is relative to.
        folder: where the baseline is.

    Returns:
        `name` with its path relative to `folder`; an absolute path where none leads there, from drive to drive.
    """
    path, separator, test = name.partition("::")
    suite = root.resolve() / path
    try:
        relative = os.path.relpath(suite, folder.resolve())
    except ValueError:
        relative = str(suite)
    return relative.replace(os.sep, "/") + separator + test
