"""Reports whose every field says something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.bounds import Bounds, Tolerance
from pytest_recall.evaluation import CaseResult, Evaluation, MemoriesDigest, Policy, Settings
from pytest_recall.gates import Verdict
from pytest_recall.metrics import parse_metric
from pytest_recall.reports import SuiteReport

if TYPE_CHECKING:
    from collections.abc import Sequence


def full_case(**more: Any) -> CaseResult:
    return CaseResult(
        **{
            "id": "lease-end",
            "query": "when does the lease end?",
            "args": {"filter": {"year": None}, "ids": [1, None, "x"], "exact": True, "boost": 1e-07},
            "fingerprint": "0123456789abcdef",
            "tags": ("legal",),
            "kind": "lookup",
            "family": "lease",
            "relevant": {"lease-2": 1, "lease-1": 0.5},
            "stale": ("old",),
            "answers": ("31 May", "the end of May"),
            "ranking": ("rent-9", "lease-2"),
            "status": "partial",
            "answer": "on 31 May",
            "scores": {"mrr": 0.5, "stale_hit_rate@3": None},
            "latency_ms": 1.5,
            "line": 7,
            "repeats": ({"mrr": 1.0, "stale_hit_rate@3": None}, {"mrr": 0.0, "stale_hit_rate@3": None}),
            **more,
        }
    )


BARE_CASE = CaseResult(id="bare")
BROKEN_CASE = CaseResult(id="broken", error="RuntimeError: gone", scores={"mrr": None})


def evaluation(cases: Sequence[CaseResult] = (full_case(), BARE_CASE), **more: Any) -> Evaluation:
    return Evaluation.of(
        **{
            "suite": "tests/support.eval.yaml",
            "system": "retriever[bm25]",
            "settings": Settings(k=3, policy=Policy(min_score=0.5), memories=MemoriesDigest(count=2, sha256="a5")),
            "metrics": [parse_metric("mrr"), parse_metric("stale_hit_rate@3")],
            "cases": cases,
            "notes": ("a note",),
            **more,
        }
    )


FAILED = Verdict(
    metric="mrr",
    tag="legal",
    bounds=Bounds(min=0.85, max_drop=Tolerance(0.05, relative=True), alpha=0.05),
    line=5,
    value=0.5,
    baseline=0.75,
    change=-0.25,
    p=0.03125,
    outcome="failed",
    reason="mrr:legal 0.500, needs 0.850 (tests/support.eval.yaml:5)",
    note="mrr:legal: the repeats lie on both sides of 0.850: 1.000, 0.000",
)
OF_A_CASE = Verdict(metric="mrr", case="lease-end", bounds=Bounds(max=1, max_rise=Tolerance(0.1)), value=0.5)
FREE = Verdict(metric="stale_hit_rate@3", outcome="no gate")


def report(**more: Any) -> SuiteReport:
    return SuiteReport(**{"evaluation": evaluation(), "verdicts": (FAILED, OF_A_CASE, FREE), **more})
