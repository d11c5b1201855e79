"""Suite files: what they may say, and how they become frozen values."""

from __future__ import annotations

from pytest_recall.suites.keys import CASE_KEYS, MEMORY_KEYS, SUITE_KEYS, Key, Keys
from pytest_recall.suites.loading import load_suite
from pytest_recall.suites.model import Case, Mark, Memory, Suite

__all__ = ["CASE_KEYS", "MEMORY_KEYS", "SUITE_KEYS", "Case", "Key", "Keys", "Mark", "Memory", "Suite", "load_suite"]
