"""The system under test: how it is called, and how what it returns becomes a ranking."""

from __future__ import annotations

from pytest_recall.retrieval.answers import NO_ANSWER, read_answer
from pytest_recall.retrieval.awaiting import discard
from pytest_recall.retrieval.calling import ANSWERER, CLASSIFIER, Caller
from pytest_recall.retrieval.labelling import LabelReader
from pytest_recall.retrieval.ranking import read_ranking
from pytest_recall.retrieval.reading import Adapt, OnDegraded, Reader, Reading, Statuses
from pytest_recall.retrieval.responses import open_returned
from pytest_recall.retrieval.results import ACCEPTED, ResultReader

__all__ = [
    "ACCEPTED",
    "ANSWERER",
    "CLASSIFIER",
    "NO_ANSWER",
    "Adapt",
    "Caller",
    "LabelReader",
    "OnDegraded",
    "Reader",
    "Reading",
    "ResultReader",
    "Statuses",
    "discard",
    "open_returned",
    "read_answer",
    "read_ranking",
]
