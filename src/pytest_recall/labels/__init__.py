"""Classifiers: the label that an output names, and how often it is the expected one."""

from __future__ import annotations

from pytest_recall.labels.extraction import LabelSpec, extract_label, folded_name, named_labels
from pytest_recall.labels.report import (
    ClassificationCase,
    ClassificationReport,
    LabelAverage,
    LabelStat,
    Miss,
    score_classification,
)

__all__ = [
    "ClassificationCase",
    "ClassificationReport",
    "LabelAverage",
    "LabelSpec",
    "LabelStat",
    "Miss",
    "extract_label",
    "folded_name",
    "named_labels",
    "score_classification",
]
