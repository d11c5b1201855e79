"""Retrieval regression gates for pytest."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_recall.errors import (
        BaselineError,
        FormatError,
        MetricError,
        MissingExtraError,
        Problem,
        RecallError,
        RetrievalError,
        SuiteError,
    )
    from pytest_recall.evaluation import CaseResult, Evaluation, Summary
    from pytest_recall.metrics import Metric, parse_metric
    from pytest_recall.recall_report import PerQueryScore, RecallReport, RecallSample, score_recall
    from pytest_recall.recording import Recall
    from pytest_recall.retrieval.lexical import LexicalRetriever
    from pytest_recall.running import evaluate
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

__all__ = [
    "BaselineError",
    "Case",
    "CaseResult",
    "Evaluation",
    "FormatError",
    "LexicalRetriever",
    "Memory",
    "Metric",
    "MetricError",
    "MissingExtraError",
    "PerQueryScore",
    "Problem",
    "Recall",
    "RecallError",
    "RecallReport",
    "RecallSample",
    "RetrievalError",
    "Suite",
    "SuiteError",
    "Summary",
    "UndefinedMetricWarning",
    "evaluate",
    "hit_rate_at_k",
    "load_suite",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "parse_metric",
    "precision_at_k",
    "r_precision",
    "ranking_metrics",
    "recall_at_k",
    "score_recall",
]

_HOMES = {
    "errors": (
        "BaselineError",
        "FormatError",
        "MetricError",
        "MissingExtraError",
        "Problem",
        "RecallError",
        "RetrievalError",
        "SuiteError",
    ),
    "evaluation": ("CaseResult", "Evaluation", "Summary"),
    "metrics": ("Metric", "parse_metric"),
    "recall_report": ("PerQueryScore", "RecallReport", "RecallSample", "score_recall"),
    "recording": ("Recall",),
    "retrieval.lexical": ("LexicalRetriever",),
    "running": ("evaluate",),
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
