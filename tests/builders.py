"""Suites without a file, and what rankings score on them, for tests that need one whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_recall.evaluation import Policy
from pytest_recall.labels import LabelSpec
from pytest_recall.metrics import parse_metric
from pytest_recall.running import evaluate
from pytest_recall.suites import Case, Memory, Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_recall.evaluation import Evaluation


def case(id: str, relevant: Iterable[str] | dict[str, float] | None = (), **more: Any) -> Case:
    """A case whose query is its id; listed ids have grade 1."""
    graded = relevant if relevant is None or isinstance(relevant, dict) else dict.fromkeys(relevant, 1.0)
    return Case(**{"id": id, "query": id, "relevant": graded, **more})


def suite(
    cases: Iterable[Case],
    metrics: Iterable[str],
    *,
    k: int = 10,
    memories: Iterable[str | Memory] = (),
    **policy: Any,
) -> Suite:
    """A suite that bounds nothing; a memory may be given by its id."""
    scored = tuple(parse_metric(metric) for metric in metrics)
    return Suite(
        name="notes.eval.yaml",
        path=Path("notes.eval.yaml"),
        k=k,
        metrics=scored,
        scored=scored,
        memories=tuple(Memory(id=each) if isinstance(each, str) else each for each in memories),
        cases=tuple(cases),
        gates=(),
        policy=Policy(**policy),
    )


def scored(
    rankings: Mapping[str, Sequence[str] | Exception], metrics: Iterable[str] = ("mrr",), *, k: int = 10
) -> Evaluation:
    """What rankings score on as many cases, each with the relevant id `a` and the stale id `old`."""

    def search(query: str) -> Sequence[str]:
        ranking = rankings[query]
        if isinstance(ranking, Exception):
            raise ranking
        return list(ranking)

    return evaluate(suite([case(id, "a", stale=("old",)) for id in rankings], metrics, k=k), search)


def classifier_suite(
    expected: Mapping[str, str], labels: Iterable[str], metrics: Iterable[str] = ("accuracy", "macro_f1"), **policy: Any
) -> Suite:
    """The suite of a classifier, whose cases are their inputs and what they expect; it bounds nothing."""
    cases = [case(id, [label], expected=label) for id, label in expected.items()]
    retrieval = suite(cases, metrics, k=1, **policy)
    return replace(retrieval, labels=tuple(LabelSpec(label) for label in labels))
