"""What ``@pytest.mark.recall(min_mrr=0.8)`` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, get_args

from pytest_recall._text import exact
from pytest_recall.bounds import (
    BOUND_KEYS,
    Bounds,
    Threshold,
    Tolerance,
    check_bound,
    metric_and_tag,
    parse_alpha,
    parse_tolerance,
)
from pytest_recall.case_scores import Undefined
from pytest_recall.errors import MetricError, RecallError, did_you_mean
from pytest_recall.metrics import CATALOGUE, Metric, nearest_metric, parse_metric
from pytest_recall.settings import Duplicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["Asked", "read_marks"]

DEFAULT_K = 10

SETTINGS = ("k", "max_drop", "max_rise", "alpha", "undefined", "duplicates", "retriever", "thresholds")

_BOUNDS = ("min", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The marks of one test, merged.

    Attributes:
        marked: there is a mark at all.
        file: the suite to evaluate, None where the test passes its rankings in.
        thresholds: one a bounded metric and tag.
        k: results that count for each query; None where it follows the cutoffs, or the suite.
        max_drop, max_rise: tolerance of every metric that is better higher, better lower.
        retriever: fixture that a suite is evaluated with; None for the one named for what the suite asks.
    """

    marked: bool = True
    file: str | None = None
    thresholds: tuple[Threshold, ...] = ()
    k: int | None = None
    max_drop: Tolerance | None = None
    max_rise: Tolerance | None = None
    alpha: float | None = None
    undefined: Undefined | None = None
    duplicates: Duplicates | None = None
    retriever: str | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that have bounds, each once."""
        return tuple(dict.fromkeys(parse_metric(threshold.metric) for threshold in self.thresholds))

    def tolerant(self, threshold: Threshold, metric: Metric) -> Threshold:
        """The threshold with the tolerance that the marks give to all metrics of its kind."""
        tolerance = self.max_drop if metric.better == "higher" else self.max_rise or self.max_drop
        if tolerance is None or threshold.bounds.tolerance is not None or not metric.recorded:
            return threshold
        if metric.better == "higher":
            return replace(threshold, bounds=replace(threshold.bounds, max_drop=tolerance))
        return replace(threshold, bounds=replace(threshold.bounds, max_rise=tolerance))


def read_marks(marks: Iterable[tuple[tuple[Any, ...], Mapping[str, Any]]], labels: Collection[str] = ()) -> Asked:
    """What a test's marks ask for together.

    Args:
        marks: positional and keyword arguments of each, the closest first; the closest wins keyword by keyword.
        labels: what the suite that they name tells apart.

    Raises:
        RecallError: a keyword that means nothing (with the nearest that does), or a value that is none.
    """
    file: Any = None
    keywords: dict[str, Any] = {}
    marked = False
    for args, kwargs in marks:
        marked = True
        if len(args) > 1:
            raise RecallError(f"the mark takes one suite file, not {len(args)}")
        file = args[0] if file is None and args else file
        keywords = {**kwargs, **keywords}
    if file is not None and not isinstance(file, str):
        raise RecallError(f"the mark takes the path of a suite as text, not {file!r:.80}")
    settings = {name: _SETTINGS[name](name, keywords[name]) for name in _SETTINGS if keywords.get(name) is not None}
    k: int | None = settings.get("k")
    thresholds = _thresholds(keywords, k or DEFAULT_K, labels)
    for threshold in thresholds:
        metric = parse_metric(threshold.metric)
        if k is not None and metric.cutoff is not None and metric.cutoff > k:
            raise RecallError(f"{threshold.metric}: the cutoff is above k = {k}")
        if metric.family == "latency" and file is None:
            raise RecallError(f"{threshold.metric}: the test passes its rankings in, so there is no time to measure")
    return Asked(marked=marked, file=file, thresholds=thresholds, **settings)


def _thresholds(keywords: Mapping[str, Any], k: int, labels: Collection[str]) -> tuple[Threshold, ...]:
    """One threshold a metric and tag, from ``min_…``, ``max_…`` and ``thresholds``."""
    bounds: dict[tuple[str, str | None], dict[str, float | Tolerance]] = {}
    for (metric, tag), key, value, label in _given(keywords, k, labels):
        wrong = check_bound(metric, key, value)
        if wrong:
            raise RecallError(f"{label}: {wrong}")
        if key in bounds.setdefault((str(metric), tag), {}):
            raise RecallError(f"{label}: the {key} of {metric} is given twice")
        bounds[str(metric), tag][key] = value
    thresholds = []
    for (name, tag), given in bounds.items():
        values: dict[str, Any] = given
        threshold = Threshold(metric=name, tag=tag, bounds=Bounds(**values))
        low, high = threshold.bounds.min, threshold.bounds.max
        if low is not None and high is not None and low > high:
            raise RecallError(f"{threshold}: min {exact(low)} is above max {exact(high)}")
        thresholds.append(threshold)
    return tuple(thresholds)


Given = tuple[tuple[Metric, "str | None"], str, "float | Tolerance", str]


def _given(keywords: Mapping[str, Any], k: int, labels: Collection[str]) -> Iterator[Given]:
    for keyword, value in keywords.items():
        bound, _, name = keyword.partition("_")
        if keyword == "thresholds" and value is not None:
            yield from _from_mapping(value, labels)
        elif keyword not in SETTINGS:
            yield (_metric_of(keyword, bound, name, k), None), bound, _number(keyword, value), keyword


def _metric_of(keyword: str, bound: str, name: str, k: int) -> Metric:
    """The metric that ``min_recall_at_5`` speaks of; ``min_recall`` is at k."""
    base, at, cutoff = name.rpartition("_at_")
    text = f"{base}@{cutoff}" if at else name
    if bound in _BOUNDS:
        known = CATALOGUE.get(text)
        if known is not None and known.takes_cutoff == "required":
            text = f"{text}@{k}"
        try:
            return parse_metric(text)
        except MetricError as error:
            if text in CATALOGUE and CATALOGUE[text].takes_label:
                example = f"thresholds={{'{text}.LABEL': {{'{bound}': …}}}}"
                raise RecallError(f"{keyword}: {text} is that of a label, so write {example}") from None
            near = nearest_metric(text)
            if not str(error).startswith("unknown metric") or near is None:
                raise RecallError(f"{keyword}: {error}") from None
            written = near if at else near.partition("@")[0]
            suggestion = f"{bound}_{written}".replace("@", "_at_")
            raise RecallError(f"unknown keyword {keyword!r} (did you mean {suggestion!r}?)") from None
    raise RecallError(f"unknown keyword {keyword!r}{did_you_mean(keyword, [*SETTINGS, *_bound_keywords()])}")


def _bound_keywords() -> Iterator[str]:
    return (f"{bound}_{name}" for bound in _BOUNDS for name, metric in CATALOGUE.items() if not metric.takes_label)


def _from_mapping(thresholds: object, labels: Collection[str]) -> Iterator[Given]:
    if not isinstance(thresholds, Mapping):
        raise RecallError(f"thresholds: a mapping from metric to bound is needed, not {thresholds!r:.80}")
    for text, given in thresholds.items():
        name, tag = metric_and_tag(str(text), labels)
        label = f"thresholds[{text!r}]"
        try:
            metric = parse_metric(name)
        except MetricError as error:
            raise RecallError(f"{label}: {error}") from None
        bounds = given if isinstance(given, Mapping) else {"min" if metric.better == "higher" else "max": given}
        for key, value in bounds.items():
            if key not in BOUND_KEYS:
                raise RecallError(f"{label}: unknown key {key!r}{did_you_mean(str(key), BOUND_KEYS)}")
            read = _SETTINGS.get(key, _number)
            yield (metric, tag), key, read(f"{label}[{key!r}]", value), label


def _number(label: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise RecallError(f"{label}={value!r:.80}: a bound is a number")
    return float(value)


def _tolerance(label: str, value: Any) -> Tolerance:
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        raise RecallError(
            f"{label}={value!r:.80}: a tolerance is a number from 0 such as 0.02, or a share such as '5%'"
        )
    try:
        return parse_tolerance(str(value), for_all=label in SETTINGS)
    except MetricError as error:
        raise RecallError(f"{label}: {error}") from None


def _alpha(label: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise RecallError(f"{label}={value!r:.80}: an alpha is a number above 0 and below 1")
    try:
        return parse_alpha(str(float(value)))
    except MetricError as error:
        raise RecallError(f"{label}: {error}") from None


def _k(label: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RecallError(f"{label}={value!r:.80}: k is a whole number from 1")
    return value


def _undefined(label: str, value: Any) -> str:
    return _choice(label, value, get_args(Undefined))


def _duplicates(label: str, value: Any) -> str:
    return _choice(label, value, get_args(Duplicates))


def _choice(label: str, value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise RecallError(f"{label}={value!r:.80}: must be {' or '.join(choices)}{did_you_mean(str(value), choices)}")
    return str(value)


def _name(label: str, value: Any) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise RecallError(f"{label}={value!r:.80}: the name of a fixture is needed")
    return value


_SETTINGS: Mapping[str, Any] = {
    "k": _k,
    "max_drop": _tolerance,
    "max_rise": _tolerance,
    "alpha": _alpha,
    "undefined": _undefined,
    "duplicates": _duplicates,
    "retriever": _name,
}
