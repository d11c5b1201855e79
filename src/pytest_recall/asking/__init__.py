"""Many queries for one retriever: what one call is, and how calls follow one another, here or on other machines."""

from __future__ import annotations

from pytest_recall.asking.calls import Asker, Question, Reply
from pytest_recall.asking.executors import ask_on
from pytest_recall.asking.here import ask_here
from pytest_recall.asking.plan import Plan
from pytest_recall.asking.raised import from_the_user_on, sentence_of
from pytest_recall.asking.remote import RemoteTraceback

__all__ = [
    "Asker",
    "Plan",
    "Question",
    "RemoteTraceback",
    "Reply",
    "ask_here",
    "ask_on",
    "from_the_user_on",
    "sentence_of",
]
