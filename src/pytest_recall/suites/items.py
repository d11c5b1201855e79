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
    from pytest_recall.metrics import Judgments, Metric
    from pytest_recall.suites.cases import WrittenCase
    from pytest_recall.suites.model import Case
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems
    from pytest_recall.suites.thresholds import Named

__all__ = ["Asked"]


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
        tagged = any(threshold.tag is not None for _, threshold, _ in self.thresholds)
        groups = {group for written in self.cases for group in written.case.groups} if tagged else set()
        for metric, threshold, node in self.thresholds:
            if threshold.tag is not None and threshold.tag not in groups:
                hint = problems.did_you_mean(threshold.tag, groups)
                problems.add(node, f"no case has the tag {quote(threshold.tag)}{hint}")
            elif not self._some_case_counts(metric, threshold.tag):
                problems.add(node, f"no case defines {threshold}, so nothing could meet its bounds")
        for named in self.each:
            if not any(self._defined(written.case, [named]) for written in self.cases):
                problems.add(named.node, f"no case defines {named.metric}, so nothing could meet its bounds")
        for written in self.cases:
            for named in written.expect:
                if not self._defined(written.case, [named]):
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
            bounds = {threshold.metric: threshold for _, threshold, _ in (*self._defined(case, self.each), *expect)}
            if bounds:
                name, thresholds = f"case:{_escape(case.id)}", tuple(bounds.values())
                yield Gate(name=name, thresholds=thresholds, case=case.id, line=line_of(node)), node

    def _metric_gates(self) -> Iterator[tuple[Gate, Node | None]]:
        nodes = {threshold.metric: node for _, threshold, node in self.metrics or ()}
        for metric in self.reported():
            name = str(metric).replace("@", "-at-")
            bounded = [named for named in self.thresholds if named.threshold.metric == str(metric)]
            # Those of the metric itself, one at most, come before those of its tags.
            bounded.sort(key=lambda named: named.threshold.tag is not None)
            if not any(named.threshold.tag is None for named in bounded) and metric.recorded:
                node = nodes.get(str(metric))
                line = None if node is None else line_of(node)
                yield Gate(name=name, thresholds=(Threshold(metric=str(metric), line=line),), line=line or 1), node
            for _, threshold, node in bounded:
                tag = "" if threshold.tag is None else f":{_escape(threshold.tag)}"
                yield Gate(name=name + tag, thresholds=(threshold,), line=line_of(node)), node

    def _some_case_counts(self, metric: Metric, tag: str | None = None) -> bool:
        """Whether any case, of a tag or at all, has a value of the metric under the suite's policy."""
        filled = metric.family == "ranking" and self.policy.undefined in ("zero", "one")
        cases = (case for case, _, _ in self.cases if tag is None or tag in case.groups)
        return any(filled or metric.defined(self._judgments(case)) for case in cases)

    def _defined(self, case: Case, bounds: Sequence[Named]) -> list[Named]:
        """The bounds on metrics that a case's own labels define."""
        if not bounds:
            return []
        judgments = self._judgments(case)
        return [named for named in bounds if named.metric.defined(judgments)]

    def _judgments(self, case: Case) -> Judgments:
        return self.policy.judgments(case.relevant, case.stale)


def _distinct(metrics: list[Metric]) -> tuple[Metric, ...]:
    return tuple({str(metric): metric for metric in metrics}.values())


def _escape(text: str) -> str:
    """The text as a part of a node name."""
    return re.sub(r"[^\w.+/-]", "-", text)
