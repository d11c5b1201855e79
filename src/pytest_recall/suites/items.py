"""What a suite computes, and what its items judge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall.bounds import Gate, Threshold
from pytest_recall.metrics import default_metrics, parse_metric
from pytest_recall.suites.nodes import line_of, quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.suites.cases import WrittenCase
    from pytest_recall.suites.model import Case
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems
    from pytest_recall.suites.thresholds import Named

__all__ = ["Asked"]

_FAMILIES_WITHOUT_FREE_ITEMS = ("latency", "diagnostic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Everything a suite asks for, with the places where it does.

    Attributes:
        metrics: None where the suite leaves them to the defaults.
    """

    k: int
    policy: Policy
    cases: Sequence[WrittenCase]
    metrics: Sequence[Named] | None
    thresholds: Sequence[Named]
    each: Sequence[Named]

    def reported(self) -> tuple[Metric, ...]:
        """The metrics to report, in the order of their items."""
        named = [named.metric for named in (*(self.metrics or ()), *self.thresholds)]
        defaults = default_metrics(self.k) if self.metrics is None else []
        return _distinct([*named, *(metric for metric in defaults if self._some_case_counts(metric))])

    def scored(self) -> tuple[Metric, ...]:
        """The metrics to compute: those reported, those that only single cases are held to, and the judged share."""
        of_cases = [named.metric for bounds in (self.each, *(case.expect for case in self.cases)) for named in bounds]
        return _distinct([*self.reported(), *of_cases, parse_metric(f"judged@{self.k}")])

    def check(self, problems: Problems) -> None:
        """Refuse bounds that no case can ever meet or miss."""
        groups = {group for written in self.cases for group in written.case.groups}
        for named in self.thresholds:
            if named.tag is not None and named.tag not in groups:
                problems.add(
                    named.node, f"no case has the tag {quote(named.tag)}{problems.did_you_mean(named.tag, groups)}"
                )
            elif not self._some_case_counts(named.metric, named.tag):
                problems.add(named.node, f"no case defines {named.threshold}, so nothing could meet its bounds")
        for named in self.each:
            if not any(self._defines(written.case, named.metric) for written in self.cases):
                problems.add(named.node, f"no case defines {named.metric}, so nothing could meet its bounds")
        for written in self.cases:
            for named in written.expect:
                if not self._defines(written.case, named.metric):
                    problems.add(named.node, f"the case {quote(written.case.id)} does not define {named.metric}")

    def gates(self, problems: Problems) -> tuple[Gate, ...]:
        """What the items judge, in item order: single cases, then every metric followed by its tags."""
        first: dict[str, Node] = {}
        gates = []
        for gate, node in (*self._case_gates(), *self._metric_gates()):
            gates.append(gate)
            if node is not None and first.setdefault(gate.name, node) is not node:
                advice = "; give them ids that differ in more than punctuation" if gate.case is not None else ""
                line = line_of(first[gate.name])
                problems.add(node, f"the item {quote(gate.name)} is here twice, first on line {line}{advice}")
        return tuple(gates)

    def _case_gates(self) -> Iterator[tuple[Gate, Node]]:
        for case, node, expect in self.cases:
            bounds = {named.metric: named for named in self.each if self._defines(case, named.metric)}
            bounds |= {named.metric: named for named in expect}
            if bounds:
                thresholds = tuple(named.threshold for named in bounds.values())
                yield (
                    Gate(name=f"case:{_escape(case.id)}", thresholds=thresholds, case=case.id, line=line_of(node)),
                    node,
                )

    def _metric_gates(self) -> Iterator[tuple[Gate, Node | None]]:
        nodes = {named.metric: named.node for named in self.metrics or ()}
        for metric in self.reported():
            name = str(metric).replace("@", "-at-")
            bounded = [named for named in self.thresholds if named.metric == metric]
            own = [named for named in bounded if named.tag is None]
            if not own and metric.family not in _FAMILIES_WITHOUT_FREE_ITEMS:
                node = nodes.get(metric)
                line = None if node is None else line_of(node)
                yield Gate(name=name, thresholds=(Threshold(metric=str(metric), line=line),), line=line or 1), node
            for named in (*own, *(named for named in bounded if named.tag is not None)):
                tag = "" if named.tag is None else f":{_escape(named.tag)}"
                yield Gate(name=name + tag, thresholds=(named.threshold,), line=line_of(named.node)), named.node

    def _some_case_counts(self, metric: Metric, tag: str | None = None) -> bool:
        """Whether any case, of a tag or at all, has a value of the metric under the suite's policy."""
        filled = metric.family == "ranking" and self.policy.undefined in ("zero", "one")
        cases = (written.case for written in self.cases)
        return any(filled or self._defines(case, metric) for case in cases if tag is None or tag in case.groups)

    def _defines(self, case: Case, metric: Metric) -> bool:
        """Whether a case's own labels define the metric."""
        return metric.defined(self.policy.judgments(case.relevant, case.stale))


def _distinct(metrics: list[Metric]) -> tuple[Metric, ...]:
    return tuple({str(metric): metric for metric in metrics}.values())


def _escape(text: str) -> str:
    """The text as a part of a node name."""
    return re.sub(r"[^\w.+/-]", "-", text)
