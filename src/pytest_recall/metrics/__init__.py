"""Metrics as values: their names, what they need of a case, and how they score one."""

from __future__ import annotations

from pytest_recall.metrics.catalogue import (
    ALIASES,
    CATALOGUE,
    MAX_CUTOFF,
    default_metrics,
    forget_metrics,
    known_metric,
    nearest_metric,
    parse_metric,
    register_metrics,
)
from pytest_recall.metrics.hits import Gain, Hits
from pytest_recall.metrics.judged import JudgedRanking, Judgments, hits_of
from pytest_recall.metrics.metric import OVER_LABELS, Aggregate, Better, Family, Metric

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "MAX_CUTOFF",
    "OVER_LABELS",
    "Aggregate",
    "Better",
    "Family",
    "Gain",
    "Hits",
    "JudgedRanking",
    "Judgments",
    "Metric",
    "default_metrics",
    "forget_metrics",
    "hits_of",
    "known_metric",
    "nearest_metric",
    "parse_metric",
    "register_metrics",
]
