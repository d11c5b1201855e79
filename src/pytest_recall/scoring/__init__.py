"""Scoring rankings that you already have, from judgments and rankings as users hold them."""

from __future__ import annotations

from pytest_recall.scoring.functions import (
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

__all__ = [
    "UndefinedMetricWarning",
    "hit_rate_at_k",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "precision_at_k",
    "r_precision",
    "ranking_metrics",
    "recall_at_k",
]
