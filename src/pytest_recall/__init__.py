"""Retrieval regression gates for pytest."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_recall.baseline import Baseline, Entry, read_baseline
    from pytest_recall.bounds import Bounds, Gate, Threshold, Tolerance
    from pytest_recall.comparison import CaseChange, Comparison, MetricChange
    from pytest_recall.errors import (
        BaselineError,
        FormatError,
        MetricError,
        MissingExtraError,
        Problem,
        RecallError,
        ReportError,
        RetrievalError,
        SuiteError,
    )
    from pytest_recall.evaluating import evaluate_retrieval, evaluate_retrieval_async
    from pytest_recall.evaluation import CaseResult, Evaluation, Summary
    from pytest_recall.gates import Reference, Tolerances, Verdict, judge
    from pytest_recall.latency import Latency
    from pytest_recall.metrics import JudgedRanking, Judgments, Metric, parse_metric
    from pytest_recall.pairing import Pairing
    from pytest_recall.recall_report import PerQueryScore, RecallReport, RecallSample, score_recall
    from pytest_recall.recording import Recall
    from pytest_recall.reports import read_report
    from pytest_recall.retrieval.lexical import LexicalRetriever
    from pytest_recall.running import evaluate, evaluate_async
    from pytest_recall.scoring import (
        UndefinedMetricWarning,
        hit_rate_at_k,
        mean_average_precision,
        mean_reciprocal_rank,
        ndcg_at_k,
        precision_at_k,
        r_precision,
        ranking_metrics,
        recall_at_k,
    )
    from pytest_recall.suites import Case, Memory, Suite, load_suite

    __version__: str

__all__ = [
    "Baseline",
    "BaselineError",
    "Bounds",
    "Case",
    "CaseChange",
    "CaseResult",
    "Comparison",
    "Entry",
    "Evaluation",
    "FormatError",
    "Gate",
    "JudgedRanking",
    "Judgments",
    "Latency",
    "LexicalRetriever",
    "Memory",
    "Metric",
    "MetricChange",
    "MetricError",
    "MissingExtraError",
    "Pairing",
    "PerQueryScore",
    "Problem",
    "Recall",
    "RecallError",
    "RecallReport",
    "RecallSample",
    "Reference",
    "ReportError",
    "RetrievalError",
    "Suite",
    "SuiteError",
    "Summary",
    "Threshold",
    "Tolerance",
    "Tolerances",
    "UndefinedMetricWarning",
    "Verdict",
    "evaluate",
    "evaluate_async",
    "evaluate_retrieval",
    "evaluate_retrieval_async",
    "hit_rate_at_k",
    "judge",
    "load_suite",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "parse_metric",
    "precision_at_k",
    "r_precision",
    "ranking_metrics",
    "read_baseline",
    "read_report",
    "recall_at_k",
    "score_recall",
]

_HOMES = {
    "baseline": ("Baseline", "Entry", "read_baseline"),
    "bounds": ("Bounds", "Gate", "Threshold", "Tolerance"),
    "comparison": ("CaseChange", "Comparison", "MetricChange"),
    "errors": (
        "BaselineError",
        "FormatError",
        "MetricError",
        "MissingExtraError",
        "Problem",
        "RecallError",
        "ReportError",
        "RetrievalError",
        "SuiteError",
    ),
    "evaluating": ("evaluate_retrieval", "evaluate_retrieval_async"),
    "evaluation": ("CaseResult", "Evaluation", "Summary"),
    "gates": ("Reference", "Tolerances", "Verdict", "judge"),
    "latency": ("Latency",),
    "metrics": ("JudgedRanking", "Judgments", "Metric", "parse_metric"),
    "pairing": ("Pairing",),
    "recall_report": ("PerQueryScore", "RecallReport", "RecallSample", "score_recall"),
    "recording": ("Recall",),
    "reports": ("read_report",),
    "retrieval.lexical": ("LexicalRetriever",),
    "running": ("evaluate", "evaluate_async"),
    "scoring": (
        "UndefinedMetricWarning",
        "hit_rate_at_k",
        "mean_average_precision",
        "mean_reciprocal_rank",
        "ndcg_at_k",
        "precision_at_k",
        "r_precision",
        "ranking_metrics",
        "recall_at_k",
    ),
    "suites": ("Case", "Memory", "Suite", "load_suite"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


# Type checkers know the names from above, and with a `__getattr__` they would take any misspelt one for a name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Imported when first asked for, so that a pytest run without suites pays for none of it.
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415

            return version("pytest-recall")
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
