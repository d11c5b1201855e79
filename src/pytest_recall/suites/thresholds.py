"""Bounds as a suite writes them: ``recall@5: 0.85``, ``mrr: {min: 0.7, max_drop: 5%}``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_recall._text import exact
from pytest_recall.bounds import BOUND_KEYS, Bounds, Threshold, check_bound, metric_and_tag
from pytest_recall.errors import MetricError
from pytest_recall.metrics import OVER_LABELS, parse_metric
from pytest_recall.suites import getters
from pytest_recall.suites.nodes import MappingNode, alternatives, is_missing, line_of, quote
from pytest_recall.suites.settings import alpha, tolerance

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_recall.bounds import Tolerance
    from pytest_recall.metrics import Metric
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["BOUNDS_OF_CASES", "BoundsReader", "Named"]

_LONGEST_METRIC = 100
BOUNDS_OF_CASES = ("min", "max")
_NO_BOUNDS = Bounds()


class Named(NamedTuple):
    """A metric that a suite names, what it is held to there, and the place."""

    metric: Metric
    threshold: Threshold
    node: Node


class BoundsReader:
    """Reads what a suite says of metrics.

    Args:
        k: the suite's own, which no cutoff may exceed; None where it follows the cutoffs.
        labels: what the suite's classifier tells apart, None where it is a retriever's.
        problems: where mistakes are noted.
    """

    def __init__(self, k: int | None, labels: Collection[str] | None, problems: Problems) -> None:
        self._k = k
        self._labels = labels
        self._problems = problems

    def metrics(self, node: Node) -> tuple[Named, ...]:
        """A list of metrics."""
        found: dict[str, Named] = {}
        for child in getters.elements(node, self._problems):
            metric = self._metric(getters.text(child, self._problems), child)
            if metric is not None:
                self._keep(found, metric, child)
        return tuple(found.values())

    def thresholds(self, node: Node) -> tuple[Named, ...]:
        """Bounds by ``METRIC`` or ``METRIC:TAG``."""
        found: dict[str, Named] = {}
        for written, (key, value) in getters.mapping(node, self._problems).items():
            name, tag = metric_and_tag(written, self._labels or ())
            metric = self._metric(name, key)
            if metric is not None:
                self._keep(found, metric, key, tag, self._bounds(metric, value, BOUND_KEYS))
        return tuple(found.values())

    def of_cases(self, node: Node) -> tuple[Named, ...]:
        """Bounds by metric for cases that are judged alone, with no baseline."""
        found: dict[str, Named] = {}
        for written, (key, value) in getters.mapping(node, self._problems).items():
            metric = self._metric(written, key)
            if metric is None:
                continue
            if metric.family == "latency" or metric.aggregate in OVER_LABELS:
                over = "queries" if metric.family == "latency" else "cases"
                aggregate = f"{metric} is an aggregate over {over}, so no single case has it; put it in thresholds"
                self._problems.add(key, aggregate)
            else:
                self._keep(found, metric, key, None, self._bounds(metric, value, BOUNDS_OF_CASES))
        return tuple(found.values())

    def _metric(self, written: str, node: Node) -> Metric | None:
        if len(written) > _LONGEST_METRIC and written.partition(".")[2] not in (self._labels or ()):
            self._problems.add(node, f"unknown metric {quote(written)}")
            return None
        try:
            metric = parse_metric(written)
        except MetricError as error:
            self._problems.add(node, str(error))
            return None
        if not self._fits(metric, node):
            return None
        if self._k is not None and metric.cutoff is not None and metric.cutoff > self._k:
            self._problems.add(node, f"the cutoff of {metric} is above k, which is {self._k}")
            return None
        return metric

    def _fits(self, metric: Metric, node: Node) -> bool:
        """Whether a metric is one of this kind of suite."""
        if self._labels is None:
            if metric.family == "label":
                self._problems.add(node, f"{metric} is for classifiers, and this suite has no labels")
            return metric.family != "label"
        if metric.family not in ("label", "latency"):
            self._problems.add(node, f"{metric} is for retrievers, and labels make this the suite of a classifier")
        elif metric.label is not None and self._labels and metric.label not in self._labels:
            hint = self._problems.did_you_mean(metric.label, self._labels)
            self._problems.add(node, f"unknown label {quote(metric.label)}{hint}")
        else:
            return True
        return False

    def _keep(
        self, found: dict[str, Named], metric: Metric, node: Node, tag: str | None = None, bounds: Bounds = _NO_BOUNDS
    ) -> None:
        """Add to what was found, unless an alias named it before."""
        line, file = line_of(node), self._problems.file_of(node)
        threshold = Threshold(metric=str(metric), tag=tag, bounds=bounds, line=line, file=file)
        named = Named(metric, threshold, node)
        first = found.setdefault(str(threshold), named)
        if first is not named:
            self._problems.add(node, f"{quote(str(threshold))} is here twice, first on line {line_of(first.node)}")

    def _bounds(self, metric: Metric, node: Node, allowed: tuple[str, ...]) -> Bounds:
        before = len(self._problems)
        given = self._given(metric, node, allowed)
        values: dict[str, Any] = {key: self._bound(metric, key, value) for key, value in given.items()}
        bounds = Bounds(**values)
        if len(self._problems) > before:
            return _NO_BOUNDS
        if not bounds.given:
            self._problems.add(node, f"asks for nothing; give a number, or a mapping with {alternatives(allowed)}")
        elif bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
            self._problems.add(node, f"min {exact(bounds.min)} is above max {exact(bounds.max)}")
        return bounds

    def _given(self, metric: Metric, node: Node, allowed: tuple[str, ...]) -> dict[str, Node]:
        """Bound → its value; a value alone is the bound that matters for the metric."""
        if is_missing(node):
            return {}
        if not isinstance(node, MappingNode):
            return {"min" if metric.better == "higher" else "max": node}
        given = {}
        for key, (key_node, value) in getters.mapping(node, self._problems).items():
            if key in allowed:
                given[key] = value
            elif key in BOUND_KEYS:
                self._problems.add(key_node, f"{key} is for thresholds; a case alone is never compared with a baseline")
            else:
                hint = self._problems.did_you_mean(key, allowed)
                self._problems.add(key_node, f"unknown key {quote(key)}{hint}")
        return {key: value for key, value in given.items() if not is_missing(value)}

    def _bound(self, metric: Metric, key: str, node: Node) -> float | Tolerance | None:
        before = len(self._problems)
        value = _READERS[key](node, self._problems)
        if value is None or len(self._problems) > before:
            return None
        wrong = check_bound(metric, key, value)
        if wrong:
            self._problems.add(node, wrong)
        return value


_READERS: Mapping[str, Callable[[Node, Problems], float | Tolerance | None]] = {
    "min": getters.number,
    "max": getters.number,
    "max_drop": tolerance,
    "max_rise": tolerance,
    "alpha": alpha,
}
