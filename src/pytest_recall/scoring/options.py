"""What the keywords of the functions may be."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import MetricError
from pytest_recall.metrics import MAX_CUTOFF, parse_metric

if TYPE_CHECKING:
    from pytest_recall.metrics import Metric

__all__ = [
    "any_metrics_named",
    "at_least_1",
    "check_choice",
    "check_options",
    "check_system",
    "check_threshold",
    "cutoff",
    "filler_of",
    "metrics_named",
]


def cutoff(k: Any) -> int:
    """The k of a function, a numpy integer too, as int.

    Raises:
        MetricError: it is no whole number from 1, or above what a metric takes.
    """
    number = at_least_1("k", k)
    if number > MAX_CUTOFF:
        raise MetricError(f"k must be at most {MAX_CUTOFF:,}, got {number!r:.80}")
    return number


def at_least_1(name: str, value: Any) -> int:
    """A whole number, a numpy integer too, as int.

    Raises:
        MetricError: it is no whole number from 1.
    """
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            number = 0
        if number >= 1:
            return number
    raise MetricError(f"{name} must be a whole number from 1, got {value!r:.80}")


def metrics_named(metrics: Any) -> dict[str, Metric]:
    """Name as given → metric; an alias keeps the name it was asked by.

    Raises:
        MetricError: a name means no metric, or one that needs more than a ranking.
    """
    named = any_metrics_named(metrics)
    for name, metric in named.items():
        if metric.column is None:
            raise MetricError(f"{name!r:.80} is no metric of a ranking alone; it is computed over a suite")
    return named


def any_metrics_named(metrics: Any) -> dict[str, Metric]:
    """As `metrics_named`, of whatever a metric needs.

    Raises:
        MetricError: a name means no metric, or these are no names.
    """
    if isinstance(metrics, str):
        raise MetricError(f"metrics must be a list of names, such as [{metrics!r:.80}], not a bare text")
    if not isinstance(metrics, Iterable):
        raise MetricError(f"metrics must be a list of names, such as ['mrr'], got {metrics!r:.80}")
    return {name: _named(name) for name in metrics}


def _named(name: Any) -> Metric:
    if isinstance(name, str):
        return parse_metric(name)
    raise MetricError(f"a metric is named by a text such as 'mrr', got {name!r:.80}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raises MetricError unless the value is one of the choices."""
    if value not in choices:
        raise MetricError(f"{name} must be {' or '.join(map(repr, choices))}, got {value!r:.80}")


def check_system(value: Any) -> str:
    """What a system is called.

    Raises:
        MetricError: it is no text, or a blank one.
    """
    if not isinstance(value, str) or not value.strip():
        raise MetricError(f"system must be text that is not blank, got {value!r:.80}")
    return value


def check_options(
    *,
    zero_division: Any = "warn",
    duplicates: Any = "error",
    relevance_threshold: Any = 1,
    gain: Any = "linear",
    unpaired: Any = "error",
) -> float:
    """What counts where a metric is undefined, once every keyword means something.

    Raises:
        MetricError: one means nothing.
    """
    check_choice("duplicates", duplicates, ("error", "first"))
    check_choice("gain", gain, ("linear", "exponential"))
    check_choice("unpaired", unpaired, ("error", "trec"))
    check_threshold(relevance_threshold)
    return filler_of(zero_division)


def check_threshold(value: Any) -> None:
    """Raises MetricError unless the value can tell a relevant grade from another."""
    try:
        good = not isinstance(value, bool) and 0 < value < math.inf
    except TypeError:
        good = False
    if not good:
        raise MetricError(f"relevance_threshold must be a finite number above 0, got {value!r:.80}")


def filler_of(zero_division: Any) -> float:
    """What counts where a metric is undefined.

    Raises:
        MetricError: it is none of "warn", 0.0, 1.0 and nan.
    """
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, (int, float)) and not isinstance(zero_division, bool):
        value = float(zero_division)
        if math.isnan(value) or value in (0.0, 1.0):
            return value
    raise MetricError(f"zero_division must be 'warn', 0.0, 1.0 or nan, got {zero_division!r:.80}")
