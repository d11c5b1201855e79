"""The one currency: scores per case per metric, and per metric one number."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_recall.labels import ClassificationReport
from pytest_recall.latency import Latency
from pytest_recall.metrics import Aggregate, Better, parse_metric
from pytest_recall.settings import MemoriesDigest, Policy, Settings
from pytest_recall.stats import mean, percentile
from pytest_recall.steps import StepPair

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_recall.baseline import Entry
    from pytest_recall.comparison import Comparison
    from pytest_recall.metrics import Metric

__all__ = [
    "LABELLED",
    "CaseId",
    "CaseResult",
    "Evaluation",
    "MemoriesDigest",
    "Policy",
    "Settings",
    "Summary",
    "groups_of",
    "report_of",
    "summarise",
]

CaseId = str | int
"""Text; a whole number where the queries were numbered in Python."""

AGGREGATES: Mapping[Aggregate, Callable[[Sequence[float]], float]] = {
    "mean": mean,
    "p50": lambda values: percentile(values, 50),
    "p95": lambda values: percentile(values, 95),
    "max": max,
}
"""What is made of the scores of single cases alone."""

LABELLED = "accuracy"
"""The metric that every case of a classifier has, and no other case."""

UNTAGGED = "untagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case: what was expected, what came back, and what it scored.

    That of a classifier has its input as query, the expected label as the only relevant id, and as ranking the label
    that it got; none where the output names no label, or several.

    Attributes:
        relevant: id → grade; empty for a negative, None where what came back is not judged.
        answers: texts that would do as an answer; empty where the answer is not judged.
        fingerprint: digest of the question (query, grades, stale ids, args, answers), the same for the same question.
        ranking: ids, best first, at most k; of the first repeat, where the query was asked several times.
        status: what the response said of itself, None where it said nothing.
        answer: the text that was answered, None without one; of the first repeat too.
        scores: metric → value, None where undefined. A metric that is not about this case is absent. Of a case that
            raised, the metrics it would have defined are all None.
        latency_ms: milliseconds of the user's call, None where it was not measured. Of a query that timed out the
            limit, for it took no less.
        error: one sentence when the query raised or returned no ranking.
        line: line of the case in its suite.
        rankings: how many different rankings its repeats gave.
        repeats: the scores of each repeat; empty where the query was asked once.
        labels: of a classifier that was asked several times the ranking of each repeat, empty otherwise.
        steps: of a recorded agent run what was recorded beside what is done now; empty of anything else.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> case = report.cases[0]
    >>> case.ranking, case.ranks, case.scores["mrr"], case.error
    (('rent-1', 'lease-2'), {'lease-2': 2}, 0.5, None)
    """

    id: CaseId
    query: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    tags: tuple[str, ...] = ()
    kind: str | None = None
    family: str | None = None
    relevant: Mapping[str, float] | None = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    ranking: tuple[str, ...] = ()
    status: str | None = None
    answer: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    latency_ms: float | None = None
    error: str | None = None
    line: int | None = None
    rankings: int = 1
    repeats: tuple[Mapping[str, float | None], ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    steps: tuple[StepPair, ...] = ()

    @property
    def classified(self) -> bool:
        """It is the case of a classifier."""
        return LABELLED in self.scores

    @property
    def expected_and_got(self) -> tuple[tuple[str, str | None], ...]:
        """Of the case of a classifier the label that it expects, beside the one that it got in each repeat."""
        expected = next(iter(self.relevant or ()), "")
        return tuple((expected, ranking[0] if ranking else None) for ranking in self.labels or (self.ranking,))

    @property
    def steady(self) -> bool:
        """Every repeat gave the same ranking."""
        return self.rankings == 1

    @property
    def groups(self) -> tuple[str, ...]:
        return groups_of(self.tags, self.kind, self.family)

    @property
    def ranks(self) -> dict[str, int | None]:
        """Rank of each relevant and stale id, None where it did not come back."""
        found = {id: rank for rank, id in enumerate(self.ranking, 1)}
        return {id: found.get(id) for id in (*(self.relevant or ()), *self.stale)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One metric over many cases.

    Attributes:
        value: the aggregate; None when nothing was scored or a case raised.
        scored: cases that count.
        undefined: cases that were asked and have no value.
        errors: cases that would count, had they not raised.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> summary = report.metrics["mrr"]
    >>> summary.value, summary.scored, summary.undefined, summary.better
    (0.5, 1, 0, 'higher')
    """

    value: float | None
    scored: int
    undefined: int
    errors: int
    better: Better
    aggregate: Aggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one system scored on one suite.

    Attributes:
        suite: POSIX path of the suite from the root, or the node id of a test.
        system: retriever name plus its parameter id.
        metrics: metric → summary, in the order they are reported.
        cases: in file order.
        problem: why none of its numbers can be trusted, None when they can.
        notes: what a reader should know beside the numbers.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> report["mrr"], report.status_counts, report.compare(report)["mrr"].delta
    (0.5, {'success': 1}, 0.0)
    """

    suite: str
    system: str
    settings: Settings
    metrics: Mapping[str, Summary]
    cases: tuple[CaseResult, ...]
    problem: str | None = None
    notes: tuple[str, ...] = ()
    _by_id: Mapping[CaseId, CaseResult] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {case.id: case for case in self.cases})

    @classmethod
    def of(
        cls,
        suite: str,
        system: str,
        settings: Settings,
        metrics: Iterable[Metric],
        cases: Sequence[CaseResult],
        **more: Any,
    ) -> Evaluation:
        """The evaluation of scored cases: every metric summarised over all of them."""
        summaries = {str(metric): summarise(str(metric), metric.better, metric.aggregate, cases) for metric in metrics}
        return cls(suite=suite, system=system, settings=settings, metrics=summaries, cases=tuple(cases), **more)

    def __getitem__(self, metric: str) -> float | None:
        """The value of a metric, such as ``evaluation["mrr"]``; aliases work.

        Raises:
            KeyError: the metric was not computed.
            MetricError: it is no metric.
        """
        return self.metrics[metric if metric in self.metrics else str(parse_metric(metric))].value

    def summary(self, metric: str, group: str | None = None) -> Summary:
        """One metric over the cases of a group."""
        overall = self.metrics[metric]
        if group is None:
            return overall
        return summarise(metric, overall.better, overall.aggregate, self.of_group(group))

    def case(self, id: CaseId) -> CaseResult:
        """The case with an id.

        Raises:
            KeyError: there is none.
        """
        return self._by_id[id]

    def of_group(self, group: str | None) -> tuple[CaseResult, ...]:
        """The cases with a tag (``kind=x`` and ``untagged`` are tags too), all of them for None."""
        return self.cases if group is None else tuple(case for case in self.cases if group in case.groups)

    @property
    def errors(self) -> tuple[CaseResult, ...]:
        return tuple(case for case in self.cases if case.error is not None)

    @property
    def per_query(self) -> dict[CaseId, Mapping[str, float | None]]:
        """Case id → its scores, in file order."""
        return {case.id: case.scores for case in self.cases}

    @property
    def status_counts(self) -> dict[str, int]:
        """Status → how many responses had it, in the order they came.

        A response that says nothing of itself is a ``success``, and a query that brought none is an ``error``, so the
        counts sum to the number of cases.
        """
        return dict(Counter(_status(case) for case in self.cases))

    @property
    def latency(self) -> Latency | None:
        """How long the queries took that were answered, None where none of them was measured."""
        return Latency.of(
            [case.latency_ms for case in self.cases if case.latency_ms is not None and case.error is None]
        )

    def compare(self, before: Evaluation | Entry) -> Comparison:
        """This evaluation beside an earlier one, or beside its entry in a baseline.

        Raises:
            RecallError: they were scored by other rules.
        """
        from pytest_recall.comparison import Comparison  # noqa: PLC0415  # imports point up only in methods that hand on

        return Comparison.of(self, before)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a report with this evaluation alone, of the kind that the suffix names.

        Raises:
            ReportError: no kind has that suffix, something else than a report is there, or the file can't be written.
        """
        from pytest_recall.reports import SuiteReport, files  # noqa: PLC0415  # as in compare

        files.write(path, [SuiteReport(evaluation=self, verdicts=())])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Evaluation:
        """The one evaluation of a report, equal to the one that was written; `read_report` reads any number.

        Raises:
            ReportError: the file can't be read, or holds none or several.
        """
        from pytest_recall.reports import files  # noqa: PLC0415  # as in compare

        return files.read_one(path)

    def to_record(self) -> dict[str, Any]:
        """The evaluation as plain JSON values; `from_record` reads it back."""
        return {
            "suite": self.suite,
            "system": self.system,
            "settings": asdict(self.settings),
            "metrics": {name: asdict(summary) for name, summary in self.metrics.items()},
            "cases": [_case_to_record(case) for case in self.cases],
            "problem": self.problem,
            "notes": self.notes,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Evaluation:
        """The evaluation that `to_record` wrote."""
        settings = dict(record["settings"])
        memories = settings["memories"]
        return cls(
            suite=record["suite"],
            system=record["system"],
            settings=Settings(
                k=settings["k"],
                policy=Policy(**settings["policy"]),
                memories=None if memories is None else MemoriesDigest(**memories),
            ),
            metrics={name: Summary(**summary) for name, summary in record["metrics"].items()},
            cases=tuple(_case_from_record(case) for case in record["cases"]),
            problem=record["problem"],
            notes=tuple(record["notes"]),
        )


def _status(case: CaseResult) -> str:
    if case.status is not None:
        return case.status
    return "success" if case.error is None else "error"


_CASE_FIELDS = tuple(case.name for case in fields(CaseResult))
_values_of = attrgetter(*_CASE_FIELDS)
_TUPLES = ("tags", "stale", "answers", "ranking", "repeats")


def _case_to_record(case: CaseResult) -> dict[str, Any]:
    # Several times as fast as asdict, which copies every text and number with a call.
    record = dict(zip(_CASE_FIELDS, _values_of(case), strict=True))
    return {
        **record,
        "args": deepcopy(dict(case.args)),
        "relevant": None if case.relevant is None else dict(case.relevant),
        "scores": dict(case.scores),
        "repeats": [dict(scores) for scores in case.repeats],
        "steps": [asdict(pair) for pair in case.steps] if case.steps else [],
    }


def _case_from_record(record: Mapping[str, Any]) -> CaseResult:
    nested = {
        "labels": tuple(map(tuple, record["labels"])),
        "steps": tuple(StepPair(**pair) for pair in record["steps"]),
    }
    return CaseResult(**{**record, **{key: tuple(record[key]) for key in _TUPLES}, **nested})


def groups_of(tags: Sequence[str], kind: str | None, family: str | None) -> tuple[str, ...]:
    """The groups a case belongs to: its tags or ``untagged``, ``kind=…``, ``family=…``."""
    named = (("kind", kind), ("family", family))
    return (*(tags or (UNTAGGED,)), *(f"{key}={value}" for key, value in named if value is not None))


def report_of(cases: Iterable[CaseResult]) -> ClassificationReport:
    """What a classifier scored over cases that did not raise, each repeat counting as a case."""
    return ClassificationReport(pairs=tuple(pair for case in cases for pair in case.expected_and_got))


def _aggregated(
    metric: str, aggregate: Aggregate, cases: Sequence[CaseResult], values: Sequence[float]
) -> float | None:
    """The scores of cases that did not raise as one number."""
    if aggregate in AGGREGATES:
        return AGGREGATES[aggregate](values)
    report = report_of(cases)
    if aggregate == "macro_f1":
        return report.macro.f1
    label = parse_metric(metric).label
    return None if label is None else report.per_label[label].precision


def summarise(metric: str, better: Better, aggregate: Aggregate, cases: Sequence[CaseResult]) -> Summary:
    """One metric over the cases it is about."""
    asked = [case.scores[metric] for case in cases if metric in case.scores and case.error is None]
    errors = sum(case.error is not None and metric in case.scores for case in cases)
    values = [value for value in asked if value is not None]
    return Summary(
        value=_aggregated(metric, aggregate, cases, values) if values and not errors else None,
        scored=len(values),
        undefined=len(asked) - len(values),
        errors=errors,
        better=better,
        aggregate=aggregate,
    )
