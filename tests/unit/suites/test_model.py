from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from tests.builders import case

QUESTION: dict[str, Any] = {"query": "wann?", "stale": ("old", "old-2"), "args": {"lang": "de", "limit": 5.0}}


def fingerprint(relevant: dict[str, float] | None = None, **changes: Any) -> str:
    return case("id", relevant or {"b": 1, "a": 2.5}, **{**QUESTION, **changes}).fingerprint


def test_fingerprint_is_a_digest_of_the_question_as_compact_json() -> None:
    question = '["wann?",[["a",2.5],["b",1]],["old","old-2"],{"lang":"de","limit":5}]'
    assert fingerprint() == hashlib.sha256(question.encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "changes",
    [
        {"relevant": {"a": 2.5, "b": 1.0}},
        {"stale": ("old-2", "old")},
        {"args": {"limit": 5, "lang": "de"}},
        {"tags": ("legal",), "kind": "lookup", "family": "dates", "line": 7},
    ],
)
def test_the_same_question_has_the_same_fingerprint(changes: dict[str, Any]) -> None:
    assert fingerprint(**changes) == fingerprint()


@pytest.mark.parametrize(
    "changes",
    [
        {"query": "wann"},
        {"relevant": {"a": 2.5}},
        {"relevant": {"a": 2.5, "b": 2}},
        {"stale": ("old",)},
        {"args": {"lang": "de"}},
        {"args": {"lang": "de", "limit": "5"}},
    ],
)
def test_another_question_has_another_fingerprint(changes: dict[str, Any]) -> None:
    assert fingerprint(**changes) != fingerprint()


def test_a_changed_copy_of_a_case_has_a_fingerprint_of_its_own() -> None:
    before = case("id", {"a": 1}, **QUESTION)
    asked = before.fingerprint
    after = replace(before, query="wo?")
    assert after.fingerprint == case("id", {"a": 1}, **{**QUESTION, "query": "wo?"}).fingerprint != asked
    assert before.fingerprint == asked
    assert before == case("id", {"a": 1}, **QUESTION)
