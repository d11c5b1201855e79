"""Evaluations to look at, whose every rank and score follows from the number of the case."""

from __future__ import annotations

from typing import Any

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds, Gate, Threshold
from pytest_recall.case_scores import CaseScores
from pytest_recall.evaluation import CaseResult, Evaluation, MemoriesDigest, Settings
from pytest_recall.gates import Reference, judge
from pytest_recall.metrics import JudgedRanking, Judgments, parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.reports import SuiteReport

METRICS = [parse_metric(name) for name in ("recall@3", "mrr")]
K = 6

RAISED = CaseResult(id="raised", query="what went wrong?", error="TimeoutError: no answer", scores={"mrr": None})
NEGATIVE = CaseResult(id="negative", query="who won the race?", ranking=("note-7",))
STALE = CaseResult(
    id="stale",
    query="how many days?",
    relevant={"days-2025": 1.0},
    stale=("days-2024",),
    ranking=("days-2024", "days-2025"),
    scores={"recall@3": 1.0, "mrr": 0.5},
)


def case(number: int, rank: int) -> CaseResult:
    """The case whose one relevant id is at a rank among six; 0 is nowhere."""
    wanted = f"note-{number}"
    ranking = [f"other-{number}-{place}" for place in range(1, K + 1)]
    if rank:
        ranking[rank - 1] = wanted
    judged = JudgedRanking(Judgments(grades={wanted: 1.0}), ranking)
    return CaseResult(
        id=f"case-{number}",
        query=f"where is note {number}?",
        args={"user": "ann"} if number == 1 else {},
        fingerprint=f"{number}",
        tags=("legal",) if number % 3 == 0 else ("travel",),
        relevant={wanted: 1.0},
        ranking=tuple(ranking),
        scores=CaseScores(METRICS, [judged], "exclude").of(0),
        latency_ms=1.5,
        line=number + 10,
    )


def searched(count: int, *more: CaseResult, always_first: bool = False, **fields: Any) -> Evaluation:
    """The rank of case n is 1, 2, 3, 4, nowhere, 1, …; or always 1."""
    cases = [case(number, 1 if always_first else (number + 1) % 5) for number in range(count)]
    return Evaluation.of(
        **{
            "suite": "tests/handbook.eval.yaml",
            "system": "retriever",
            "settings": Settings(k=K, memories=MemoriesDigest(count=count, sha256="a")),
            "metrics": METRICS,
            "cases": [*cases, *more],
            **fields,
        }
    )


def judged(evaluation: Evaluation, before: Evaluation | None = None, *, least: float = 0.9) -> SuiteReport:
    """Held to a least mrr, over all and over a tag; beside an earlier one where that is given."""
    pairing = Pairing(evaluation, entry_of(before)) if before else None
    reference = Reference(name="baseline.json", pairing=pairing) if before else None
    thresholds = [
        Threshold(metric="recall@3"),
        Threshold(metric="mrr", bounds=Bounds(min=least), line=4),
        Threshold(metric="mrr", tag="legal", bounds=Bounds(min=0.1), line=5),
    ]
    gates = [Gate(name=str(threshold), thresholds=(threshold,)) for threshold in thresholds]
    verdicts = [verdict for gate in gates for verdict in judge(gate, evaluation, reference)]
    return SuiteReport(evaluation=evaluation, verdicts=tuple(verdicts), pairing=pairing)


def regressed(count: int, *more: CaseResult) -> SuiteReport:
    """What fails beside a baseline in which everything came first."""
    return judged(searched(count, *more), searched(count, always_first=True))


def passing(count: int, **fields: Any) -> SuiteReport:
    """What passes, with nothing to compare it with."""
    return judged(searched(count, always_first=True, **fields))
