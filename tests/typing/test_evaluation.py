"""Users' code over evaluations, as type checkers see it; an ignored line is one that they must refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.typing.conftest import Check

TYPED = """\
import asyncio
from pathlib import Path

from typing_extensions import assert_type

from pytest_recall import (
    Comparison,
    Evaluation,
    Latency,
    Verdict,
    evaluate,
    evaluate_retrieval,
    evaluate_retrieval_async,
    judge,
    load_suite,
    read_baseline,
    read_report,
)


def search(query: str, k: int) -> list[str]:
    return [query][:k]


suite = load_suite("notes.eval.yaml")
now = evaluate(suite, search)
assert_type(now, Evaluation)
assert_type(now["mrr"], float | None)
now.write(Path("now.json"))
assert_type(Evaluation.read("now.json"), Evaluation)
assert_type(read_report(Path("now.json")), tuple[Evaluation, ...])

assert_type(now.compare(now), Comparison)
assert_type(now.compare(read_baseline("b.json").entries["notes.eval.yaml", "retriever"])["mrr"].delta, float | None)
assert_type(now.compare(now).moved[0].ranks["a"], tuple[int | None, int | None])
assert_type(judge(suite.gates[0], now), tuple[Verdict, ...])

report = evaluate_retrieval(search, {1: "lease"}, {1: ["a"]}, metrics=["mrr"], on_degraded="warn", concurrency=2)
assert_type(report, Evaluation)
asked = asyncio.run(evaluate_retrieval_async(search, {1: "lease"}, {1: ["a"]}, duplicates="first"))
assert_type(asked, Evaluation)
assert_type(report.latency, Latency | None)
assert_type(report.status_counts, dict[str, int])
assert_type(report.cases[0].id, str | int)
for id, scores in report.per_query.items():
    assert_type(id, str | int)
    assert_type(scores["mrr"], float | None)
evaluate_retrieval(search, ["lease"], [{"a": 2}])
evaluate_retrieval(search, {"q": "lease"}, {"q": {1, 2}}, k=5)

evaluate_retrieval(search, [1], [["a"]])  # type: ignore[list-item]
evaluate_retrieval(search, ["lease"], [["a"]], on_degraded="ignore")  # type: ignore[arg-type]
from pytest_recall import JudgedRanking, Judgments, Metric, __version__
from pytest_recall import evaluate_retreival  # type: ignore[attr-defined]

assert_type(__version__, str)


def first_is_relevant(judged: JudgedRanking, cutoff: int | None) -> float:
    judgments: Judgments = judged.judgments
    return float(judged.ranking[0] in judgments.relevant)


Metric(name="first_is_relevant", per_case=first_is_relevant)
now.compare({})  # type: ignore[arg-type]
now.metrics["mrr"].value = 1.0  # type: ignore[misc]
Evaluation.read(3)  # type: ignore[arg-type]
"""


def test_evaluations_over_typed_code(check: Check) -> None:
    check(TYPED)
