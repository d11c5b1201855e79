"""The committed baseline: what each system scored on each suite when that was last recorded."""

from __future__ import annotations

from pytest_recall.baseline.model import (
    Baseline,
    Entry,
    Key,
    RecordedCase,
    RecordedMetric,
    entry_of,
    evaluation_of,
    is_recorded,
    recorded_case,
    suite_key,
)
from pytest_recall.baseline.reading import read_baseline
from pytest_recall.baseline.rendering import render
from pytest_recall.baseline.writing import Update, update_baseline

__all__ = [
    "Baseline",
    "Entry",
    "Key",
    "RecordedCase",
    "RecordedMetric",
    "Update",
    "entry_of",
    "evaluation_of",
    "is_recorded",
    "read_baseline",
    "recorded_case",
    "render",
    "suite_key",
    "update_baseline",
]
