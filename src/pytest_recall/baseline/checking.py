"""The values of a baseline file, checked and made frozen. The place of a mistake grows as its error unwinds."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pytest_recall._text import shorten
from pytest_recall.baseline.model import Baseline, Entry, RecordedCase, RecordedMetric
from pytest_recall.baseline.rendering import FORMAT
from pytest_recall.case_scores import Undefined
from pytest_recall.errors import MetricError, did_you_mean
from pytest_recall.evaluation import Duplicates, MemoriesDigest, Policy
from pytest_recall.metrics import ALIASES, CATALOGUE, Aggregate, Gain, Metric, parse_metric

if TYPE_CHECKING:
    from pytest_recall.baseline.model import Key

__all__ = ["Invalid", "Repeated", "check"]

T = TypeVar("T")
Reader = Callable[[Any], T]

# A mean of ones may be a last bit above 1.
_ROUNDING = 1e-9


class Invalid(Exception):  # noqa: N818 - not an error yet: it lacks the file
    """A value that no baseline holds.

    Attributes:
        message: what is wrong.
        where: the place in the document, such as ``suites['a.eval.yaml'].systems``; empty for the whole.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        self.where = ""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Stands for an object that has a key twice, until its place is known."""

    key: str


def check(value: Any) -> Baseline:
    """The baseline in the plain values of a file.

    Raises:
        Invalid: the first value that is wrong.
    """
    record = _object(value)
    if "format" not in record:
        raise Invalid("no baseline of pytest-recall: 'format' is missing")
    _field(record, "format", _format)
    suites = _field(_object(record, "format", "suites"), "suites", lambda suites: _items(suites, _suite))
    entries: dict[Key, Entry] = {}
    for suite, systems in suites.items():
        entries |= {(suite, system): entry for system, entry in systems.items()}
    return Baseline(entries=entries)


def _field(record: dict[str, Any], name: str, read: Reader[T]) -> T:
    try:
        return read(record[name])
    except Invalid as error:
        error.where = f".{name}{error.where}"
        raise


def _items(value: Any, read: Callable[[str, Any], T]) -> dict[str, T]:
    items = {}
    for key, item in _object(value).items():
        try:
            items[key] = read(key, item)
        except Invalid as error:
            error.where = f"[{shorten(repr(key), 80)}]{error.where}"
            raise
    return items


def _object(value: Any, *names: str) -> dict[str, Any]:
    """The object, which has exactly the named keys when any are named."""
    if isinstance(value, Repeated):
        raise Invalid(f"key {value.key!r} is given twice")
    if not isinstance(value, dict):
        raise Invalid(f"must be an object, not {_shown(value)}")
    if names and value.keys() != set(names):
        for name in names:
            if name not in value:
                raise Invalid(f"{name!r} is missing")
        unknown = next(key for key in value if key not in names)
        raise Invalid(f"unknown key {unknown!r}{did_you_mean(unknown, names)}")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, (dict, Repeated)) else shorten(json.dumps(value, ensure_ascii=False), 40)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Invalid(f"must be a text, not {_shown(value)}")
    return value


def _choice(*choices: str) -> Reader[Any]:
    def read(value: Any) -> str:
        if value not in choices:
            raise Invalid(f"must be one of {', '.join(choices)}, not {_shown(value)}")
        return str(value)

    return read


def _whole(least: int) -> Reader[int]:
    def read(value: Any) -> int:
        if type(value) is not int or value < least:
            raise Invalid(f"must be a whole number from {least}, not {_shown(value)}")
        return value

    return read


def _number(value: Any) -> float:
    if type(value) in (int, float):
        with contextlib.suppress(OverflowError):
            number = float(value)
            if math.isfinite(number):
                return number
    raise Invalid(f"must be a number, not {_shown(value)}")


def _optional(read: Reader[T]) -> Reader[T | None]:
    return lambda value: None if value is None else read(value)


_count = _whole(0)
_rank = _optional(_whole(1))
_POLICY: dict[str, Reader[Any]] = {
    "definitions": _whole(1),
    "undefined": _choice(*get_args(Undefined)),
    "duplicates": _choice(*get_args(Duplicates)),
    "gain": _choice(*get_args(Gain)),
    "relevance_threshold": _number,
    "id_from": _optional(_text),
    "min_score": _optional(_number),
    "repeat": _whole(1),
}


def _format(value: Any) -> None:
    if _whole(1)(value) > FORMAT:
        later = f"{_shown(value)} is of a later pytest-recall, this one reads {FORMAT}"
        raise Invalid(f"{later}; upgrade it, or record again")


def _suite(_: str, value: Any) -> dict[str, Entry]:
    return _field(_object(value, "systems"), "systems", lambda systems: _items(systems, _entry))


def _entry(_: str, value: Any) -> Entry:
    record = _object(value, "cases", "k", "memories", "metrics", "policy")
    return Entry(
        k=_field(record, "k", _whole(1)),
        policy=_field(record, "policy", _policy),
        memories=_field(record, "memories", _optional(_memories)),
        metrics=_field(record, "metrics", lambda metrics: _items(metrics, _metric)),
        cases=_field(record, "cases", lambda cases: _items(cases, _case)),
    )


def _policy(value: Any) -> Policy:
    record = _object(value, *_POLICY)
    return Policy(**{name: _field(record, name, read) for name, read in _POLICY.items()})


def _memories(value: Any) -> MemoriesDigest:
    record = _object(value, "count", "sha256")
    return MemoriesDigest(count=_field(record, "count", _count), sha256=_field(record, "sha256", _text))


def _metric(name: str, value: Any) -> RecordedMetric:
    record = _object(value, "aggregate", "scored", "undefined", "value")
    return RecordedMetric(
        value=_field(record, "value", lambda value: _score(name, value)),
        aggregate=_field(record, "aggregate", _choice(*get_args(Aggregate))),
        scored=_field(record, "scored", _count),
        undefined=_field(record, "undefined", _count),
    )


def _case(_: str, value: Any) -> RecordedCase:
    record = _object(value, "fingerprint", "ranks", "scores")
    return RecordedCase(
        fingerprint=_field(record, "fingerprint", _text),
        ranks=_field(record, "ranks", _optional(lambda ranks: _items(ranks, lambda _, rank: _rank(rank)))),
        scores=_field(record, "scores", lambda scores: _items(scores, _score)),
    )


def _score(metric: str, value: Any) -> float | None:
    known = _known(metric)
    if value is None:
        return None
    score = _number(value)
    if known is not None and not -_ROUNDING <= score <= known.maximum + _ROUNDING:
        raise Invalid(f"must be {known.range_text}, not {_shown(value)}")
    return score


@lru_cache(maxsize=1024)
def _known(text: str) -> Metric | None:
    """The metric under its recorded name, None when it is a user's own, which may have any value."""
    if text.partition("@")[0] not in {*CATALOGUE, *ALIASES}:
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
