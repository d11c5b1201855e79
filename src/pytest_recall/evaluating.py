"""A retriever evaluated over queries and judgments as programs hold them, without a suite file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pytest_recall.asking import Plan
from pytest_recall.errors import MetricError, RecallError
from pytest_recall.evaluation import Policy
from pytest_recall.metrics import default_metrics, parse_metric
from pytest_recall.retrieval.reading import OnDegraded
from pytest_recall.running import needs_no_loop, run_suite, run_suite_async
from pytest_recall.scoring.options import any_metrics_named, at_least_1, check_choice, check_system, cutoff
from pytest_recall.scoring.pairing import JUDGED_QUERIES, pair
from pytest_recall.scoring.reading import read_grades, read_id
from pytest_recall.settings import Duplicates
from pytest_recall.suites import Case, Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from pytest_recall.evaluation import CaseId, Evaluation
    from pytest_recall.metrics import Metric
    from pytest_recall.scoring.signatures import Array, Qrels, Query

    Queries: TypeAlias = Mapping[Query, str] | Sequence[str] | Array

__all__ = ["evaluate_retrieval", "evaluate_retrieval_async"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

UNASKED = ("answer", "label", "replay")
"""Families of metrics about what no retriever returns."""

NAME = "queries"
"""Stands in an evaluation where others have the path of their suite."""


def evaluate_retrieval(
    retriever: object,
    queries: Queries[Query],
    qrels: Qrels[Query],
    *,
    metrics: Iterable[str] | None = None,
    k: int = 10,
    duplicates: Duplicates = "error",
    on_degraded: OnDegraded = "error",
    concurrency: int = 1,
    system: str = "retriever",
) -> Evaluation:
    """What `retriever` scores on `queries`; one that raises is part of the result, and nothing is retried.

    Args:
        retriever: a callable, or an object with `search`, `invoke` or `retrieve`.
        queries: the text of each query.
        qrels: for each query a collection of relevant ids, [] where nothing should come back, or id → grade, a finite
            number from 0. Both are mappings by query id, or sequences by position, which then is the query's id. Query
            ids are text or whole numbers, one kind a call; so are memory ids, and 7 finds the result "7".
        metrics: names such as ``mrr`` or ``ndcg@10``; by default those of a suite that names none. ``judged@k``, the
            share of results that have a judgment, comes with them.
        k: results asked for per query, and the most that count.
        duplicates: a result that came back twice is an "error" of its query, or only its "first" rank counts.
        on_degraded: a response whose status is no success is an "error" of its query, or scored with a note ("warn").
        concurrency: how many queries are asked at once, in threads.
        system: what the retriever is called in comparisons and reports.

    Raises:
        RecallError: queries and judgments can't be paired, or hold what is none; the query is named.
        MetricError: a metric or an option that means nothing.
        RetrievalError: `retriever` can't be called at all, or is asynchronous.

    >>> found = {"when does the lease end?": ["lease-2", "rent-1"], "when is rent due?": ["lease-2", "rent-1"]}
    >>> queries = {1: "when does the lease end?", 2: "when is rent due?"}
    >>> report = evaluate_retrieval(found.get, queries, {1: ["lease-2"], 2: ["rent-1"]}, metrics=["mrr"], k=2)
    >>> report["mrr"], report.per_query[2]["mrr"], report.status_counts
    (0.75, 0.5, {'success': 2})
    """
    held = _Held.of(
        queries,
        qrels,
        metrics=metrics,
        k=k,
        duplicates=duplicates,
        on_degraded=on_degraded,
        concurrency=concurrency,
        system=system,
    )
    run = run_suite(held.suite, retriever, system=system)
    return held.named(needs_no_loop(run, "await evaluate_retrieval_async(…)"))


async def evaluate_retrieval_async(
    retriever: object,
    queries: Queries[Query],
    qrels: Qrels[Query],
    *,
    metrics: Iterable[str] | None = None,
    k: int = 10,
    duplicates: Duplicates = "error",
    on_degraded: OnDegraded = "error",
    concurrency: int = 1,
    system: str = "retriever",
) -> Evaluation:
    """As `evaluate_retrieval`, on the running event loop, as that of a notebook: what is asked may be asynchronous.

    Arguments and errors as `evaluate_retrieval`, but for `concurrency`: how many queries are asked at once, as tasks.

    >>> import asyncio
    >>> async def search(query, k):
    ...     return ["rent-1", "lease-2"]
    >>> asyncio.run(evaluate_retrieval_async(search, ["when does the lease end?"], [["lease-2"]]))["mrr"]
    0.5
    """
    held = _Held.of(
        queries,
        qrels,
        metrics=metrics,
        k=k,
        duplicates=duplicates,
        on_degraded=on_degraded,
        concurrency=concurrency,
        system=system,
    )
    return held.named((await run_suite_async(held.suite, retriever, system=system)).evaluation)


@dataclass(frozen=True, slots=True)
class _Held:
    """Queries and judgments as a suite.

    Attributes:
        ids: the query ids as the caller has them; those of a suite are text.
    """

    suite: Suite
    ids: Sequence[CaseId]

    @classmethod
    def of(
        cls,
        queries: Any,
        qrels: Any,
        *,
        metrics: Iterable[str] | None,
        k: int,
        duplicates: Duplicates,
        on_degraded: OnDegraded,
        concurrency: int,
        system: object,
    ) -> _Held:
        k = cutoff(k)
        check_choice("duplicates", duplicates, get_args(Duplicates))
        check_choice("on_degraded", on_degraded, get_args(OnDegraded))
        check_system(system)
        plan = Plan(concurrency=at_least_1("concurrency", concurrency))
        ids, cases = _cases(queries, qrels)
        scored = _scored(metrics, k, cases)
        suite = Suite(
            name=NAME,
            path=Path(),
            k=k,
            metrics=scored,
            scored=scored,
            memories=(),
            cases=cases,
            gates=(),
            policy=Policy(duplicates=duplicates),
            on_degraded=on_degraded,
            plan=plan,
            notes=(*_undefined(scored, cases),),
        )
        return cls(suite, ids)

    def named(self, evaluation: Evaluation) -> Evaluation:
        """The evaluation with the caller's ids."""
        results = (replace(case, id=id) for case, id in zip(evaluation.cases, self.ids, strict=True))
        return replace(evaluation, cases=tuple(results))


def _cases(queries: Any, qrels: Any) -> tuple[list[CaseId], tuple[Case, ...]]:
    names, texts, judgments = pair(queries, qrels, "error", JUDGED_QUERIES)
    if not texts:
        raise RecallError("there are no queries, so there is nothing to ask")
    ids: list[CaseId] = [*range(len(texts))] if names is None else [read_id("queries", name) for name in names]
    if len({*map(type, ids)}) > 1:
        raise RecallError("queries: query ids are text or whole numbers, of one kind for all queries")
    cases = []
    kinds: set[type] = set()
    for id, text, judged in zip(ids, texts, judgments, strict=True):
        if not isinstance(text, str) or not text.strip():
            raise RecallError(f"query {id!r:.80} must be text that is not blank, got {text!r:.80}")
        grades = read_grades(f"query {id!r:.80} in qrels", judged)
        kinds |= {*map(type, grades)}
        if len(kinds) > 1:
            raise RecallError(f"query {id!r:.80}: ids are text or whole numbers, of one kind for all queries")
        relevant = {str(memory): grade for memory, grade in grades.items()}
        cases.append(Case(id=str(id), query=str.__str__(text), relevant=relevant))
    return ids, tuple(cases)


def _scored(metrics: Iterable[str] | None, k: int, cases: Sequence[Case]) -> tuple[Metric, ...]:
    """The metrics of an evaluation, each once."""
    judged = parse_metric(f"judged@{k}")
    if metrics is None:
        judgments = [Policy().judgments(case.relevant) for case in cases]
        return (*(metric for metric in default_metrics(k) if any(map(metric.defined, judgments))), judged)
    named = any_metrics_named(metrics)
    if not named:
        raise MetricError("metrics is empty; name at least one, such as ['mrr']")
    for name, metric in named.items():
        if metric.family in UNASKED:
            raise MetricError(f"{name!r:.80} is no metric of a retriever; it is computed over a suite")
        if metric.cutoff is not None and metric.cutoff > k:
            raise MetricError(f"{name}: the cutoff is above k = {k}")
    return tuple(dict.fromkeys((*named.values(), judged)))


def _undefined(scored: Sequence[Metric], cases: Sequence[Case]) -> Iterator[str]:
    """A note about each metric that can have no value, whatever comes back."""
    judgments = [Policy().judgments(case.relevant) for case in cases]
    for metric in scored:
        if not any(map(metric.defines, judgments)):
            yield f"{metric} is undefined: the judgments of no query define it"
