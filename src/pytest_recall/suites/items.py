"""What a suite computes, and what its items judge."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_recall.bounds import Gate, Threshold
from pytest_recall.errors import Problem
from pytest_recall.evaluation import LABELLED
from pytest_recall.metrics import default_metrics, parse_metric
from pytest_recall.suites.nodes import line_of, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_recall.evaluation import Policy
    from pytest_recall.metrics import Judgments, Metric
    from pytest_recall.suites.cases import WrittenCases
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
        batched: no query has a latency of its own.
        classified: the cases are those of a classifier.
        reported: the metrics to report, in the order of their items.
    """

    k: int
    policy: Policy
    cases: WrittenCases
    metrics: Sequence[Named] | None
    thresholds: Sequence[Named]
    each: Sequence[Named]
    batched: bool = False
    classified: bool = False
    reported: tuple[Metric, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reported", self._reported())

    def _reported(self) -> tuple[Metric, ...]:
        named = [named.metric for named in (*(self.metrics or ()), *self.thresholds)]
        if self.metrics is not None:
            return _distinct(named)
        # No other case defines a default metric of memories, and of a hundred thousand cases few do.
        few = [case for case in self.cases.cases if case.stale or not case.relevant]
        answered = [case for case in self.cases.cases if case.answers]
        counted = {
            "memory": few,
            "ranking": self.cases.cases,
            "answer": answered,
            "label": self.cases.cases[:1],
        }
        defaults = [
            each
            for each in default_metrics(self.k)
            if self.classified == (each.family == "label") and self._some_counts(each, counted[each.family])
        ]
        return _distinct([*named, *defaults])

    def scored(self) -> tuple[Metric, ...]:
        """The metrics to compute: those reported, those of single cases, and what rankings, or labels, always have."""
        of_cases = [named.metric for bounds in (self.each, *self.cases.expect.values()) for named in bounds]
        ranked = any(case.relevant is not None for case in self.cases.cases)
        always = [LABELLED] if self.classified else [f"judged@{self.k}"] if ranked else []
        return _distinct([*self.reported, *of_cases, *map(parse_metric, always)])

    def check(self, problems: Problems) -> None:
        """Refuse bounds that no case can ever meet or miss."""
        tagged = any(threshold.tag is not None for _, threshold, _ in self.thresholds)
        groups = {group for case in self.cases.cases for group in case.groups} if tagged else set()
        for metric, threshold, node in self.thresholds:
            if threshold.tag is not None and threshold.tag not in groups:
                hint = problems.did_you_mean(threshold.tag, groups)
                problems.add(node, f"no case has the tag {quote(threshold.tag)}{hint}")
            elif not self._some_counts(metric, self._of_group(threshold.tag)):
                problems.add(node, f"no case defines {threshold}, so nothing could meet its bounds")
            elif self.batched and metric.family == "latency":
                problems.add(node, f"no query of a batch has a latency of its own: leave out 'batch' or {metric}")
        for named in self.each:
            if not any(self._defined(case, [named]) for case in self.cases.cases):
                problems.add(named.node, f"no case defines {named.metric}, so nothing could meet its bounds")
        for case in self.cases.cases if self.cases.expect else ():
            for named in self.cases.expect.get(case.id, ()):
                if not self._defined(case, [named]):
                    problems.add(named.node, f"the case {quote(case.id)} does not define {named.metric}")

    def gates(self, problems: Problems) -> tuple[Gate, ...]:
        """What the items judge, in item order: single cases, then every metric followed by its tags."""
        first: dict[str, Gate] = {}
        gates = []
        for gate, node in (*self._case_gates(), *self._metric_gates()):
            gates.append(gate)
            other = first.setdefault(gate.name, gate)
            if other is gate:
                continue
            advice = "; give them ids that differ in more than punctuation"
            if gate.case is None:
                names = " and ".join(quote(str(each.thresholds[0])) for each in (other, gate))
                advice = f", for {names} differ in punctuation alone"
            message = f"the item {quote(gate.name)} is here twice, first on line {other.line}{advice}"
            if node is not None:
                problems.add(node, message)
            else:
                assert gate.file is not None, "only cases of other files have no node and can be named alike"
                problems.add_problem(Problem(path=gate.file, line=gate.line, message=message))
        return tuple(gates)

    def _case_gates(self) -> Iterator[tuple[Gate, Node | None]]:
        written = self.cases
        for case in written.cases if self.each or written.expect else ():
            named = (*self._defined(case, self.each), *written.expect.get(case.id, ()))
            bounds = {threshold.metric: threshold for _, threshold, _ in named}
            if bounds:
                name, thresholds = f"case:{_escape(case.id)}", tuple(bounds.values())
                gate = Gate(name=name, thresholds=thresholds, case=case.id, line=case.line or 1, file=written.file)
                yield gate, written.nodes.get(case.id)

    def _metric_gates(self) -> Iterator[tuple[Gate, Node | None]]:
        nodes = {threshold.metric: node for _, threshold, node in self.metrics or ()}
        for metric in self.reported:
            # pytest -v shows the first dot of a name as the colons behind a class.
            name = _escape(str(metric).replace("@", "-at-").replace(".", "-"))
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

    def _some_counts(self, metric: Metric, cases: Iterable[Case]) -> bool:
        """Whether any of these cases has a value of the metric under the suite's policy."""
        filled = metric.family == "ranking" and self.policy.undefined in ("zero", "one")
        return any((filled and case.relevant is not None) or metric.defines(self._judgments(case)) for case in cases)

    def _of_group(self, tag: str | None) -> Iterable[Case]:
        return self.cases.cases if tag is None else (case for case in self.cases.cases if tag in case.groups)

    def _defined(self, case: Case, bounds: Sequence[Named]) -> list[Named]:
        """The bounds on metrics that a case's own labels define."""
        if not bounds:
            return []
        judgments = self._judgments(case)
        return [named for named in bounds if named.metric.defines(judgments)]

    def _judgments(self, case: Case) -> Judgments:
        return self.policy.judgments(case.relevant, case.stale, answers=case.answers, expected=case.expected)


def _distinct(metrics: list[Metric]) -> tuple[Metric, ...]:
    return tuple({str(metric): metric for metric in metrics}.values())


def _escape(text: str) -> str:
    """The text as a part of a node name."""
    return re.sub(r"[^\w.+/-]", "-", text)
