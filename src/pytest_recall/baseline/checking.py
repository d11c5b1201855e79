"""The values of a baseline file, checked and made frozen."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from pytest_recall._files.values import (
    Invalid,
    Reader,
    check_format,
    choice,
    count,
    field,
    items,
    number,
    object_of,
    optional,
    shown,
    text,
    whole,
)
from pytest_recall.baseline.model import Baseline, Entry, RecordedCase, RecordedMetric
from pytest_recall.baseline.rendering import FORMAT
from pytest_recall.case_scores import Undefined
from pytest_recall.errors import MetricError
from pytest_recall.metrics import ALIASES, Aggregate, Gain, Metric, known_metric, parse_metric
from pytest_recall.metrics.catalogue import MAX_CUTOFF
from pytest_recall.settings import Duplicates, MemoriesDigest, Policy

if TYPE_CHECKING:
    from pytest_recall.baseline.model import Key
    from pytest_recall.evaluation import CaseId

__all__ = ["POLICY", "check", "in_range", "memories"]

# A mean of ones may be a last bit above 1.
_ROUNDING = 1e-9


def check(value: Any) -> Baseline:
    """The baseline in the plain values of a file.

    Raises:
        Invalid: the first value that is wrong.
    """
    record = object_of(value)
    check_format(record, FORMAT, noun="baseline", again="record again")
    if "evaluations" in record:
        raise Invalid("this is a report, and no baseline; name another file, and --eval-update records one")
    suites = field(object_of(record, "format", "suites"), "suites", lambda suites: items(suites, _suite))
    entries: dict[Key, Entry] = {}
    for suite, systems in suites.items():
        entries |= {(suite, system): entry for system, entry in systems.items()}
    return Baseline(entries=entries)


_rank = optional(whole(1))
POLICY: dict[str, Reader[Any]] = {
    "definitions": whole(1),
    "undefined": choice(*get_args(Undefined)),
    "duplicates": choice(*get_args(Duplicates)),
    "gain": choice(*get_args(Gain)),
    "relevance_threshold": number,
    "id_from": optional(text),
    "min_score": optional(number),
    "repeat": whole(1),
}


def _suite(_: str, value: Any) -> dict[str, Entry]:
    return field(object_of(value, "systems"), "systems", lambda systems: items(systems, _entry))


def _entry(_: str, value: Any) -> Entry:
    record = object_of(value, "cases", "k", "memories", "metrics", "policy")
    return Entry(
        k=field(record, "k", whole(1, MAX_CUTOFF)),
        policy=field(record, "policy", _policy),
        memories=field(record, "memories", optional(memories)),
        metrics=field(record, "metrics", lambda metrics: items(metrics, _metric)),
        cases=field(record, "cases", _cases),
    )


def _policy(value: Any) -> Policy:
    record = object_of(value, *POLICY)
    return Policy(**{name: field(record, name, read) for name, read in POLICY.items()})


def memories(value: Any) -> MemoriesDigest:
    """Which memories were searched."""
    record = object_of(value, "count", "sha256")
    return MemoriesDigest(count=field(record, "count", count), sha256=field(record, "sha256", text))


def _metric(name: str, value: Any) -> RecordedMetric:
    record = object_of(value, "aggregate", "scored", "undefined", "value")
    return RecordedMetric(
        value=field(record, "value", lambda value: _score(name, value)),
        aggregate=field(record, "aggregate", choice(*get_args(Aggregate))),
        scored=field(record, "scored", count),
        undefined=field(record, "undefined", count),
    )


def _cases(value: Any) -> dict[CaseId, RecordedCase]:
    return dict(items(value, _case).items())


def _case(_: str, value: Any) -> RecordedCase:
    record = object_of(value, "fingerprint", "ranks", "scores")
    return RecordedCase(
        fingerprint=field(record, "fingerprint", text),
        ranks=field(record, "ranks", optional(lambda ranks: items(ranks, lambda _, rank: _rank(rank)))),
        scores=field(record, "scores", lambda scores: items(scores, _score)),
    )


def _score(metric: str, value: Any) -> float | None:
    known = _known(metric)
    if value is None:
        return None
    return in_range(known, value)


def in_range(metric: Metric | None, value: Any) -> float:
    """A number that the metric can have; of a user's own metric nothing is known, and it is None."""
    score = number(value)
    if metric is not None and not -_ROUNDING <= score <= metric.maximum + _ROUNDING:
        raise Invalid(f"must be {metric.range_text}, not {shown(value)}")
    return score


@lru_cache(maxsize=1024)
def _known(text: str) -> Metric | None:
    """The metric under its recorded name, None when it is a user's own, which may have any value."""
    if known_metric(text) is None and text.partition("@")[0] not in ALIASES:
        return None
    try:
        metric = parse_metric(text)
    except MetricError as error:
        raise Invalid(str(error)) from None
    if not metric.recorded:
        raise Invalid(f"{text} is never recorded")
    if str(metric) != text:
        raise Invalid(f"must be written {str(metric)!r}")
    return metric
