from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import FormatError, MetricError
from pytest_recall.kimetsu import EvalCase, EvalFixture, EvalMemory, mean, mrr, recall_at_k

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.mark.parametrize(
    ("ranked", "relevant", "k", "expected"),
    [
        (["a", "x", "b"], ["a", "b"], 2, 1 / 2),
        (["a", "x", "b"], ["a", "b"], 9, 1.0),
        ([], ["a"], 3, 0.0),
        (["a"], ["a"], 0, 0.0),
        # Nothing is relevant.
        (["a"], [], 3, 1.0),
        (["a"], [], 0, 1.0),
        # A repeat counts once and takes two ranks.
        (["a", "a", "b"], ["a", "b"], 2, 1 / 2),
        # What is relevant twice counts twice.
        (["a"], ["a", "a", "b"], 1, 2 / 3),
    ],
)
def test_recall(ranked: list[str], relevant: list[str], k: int, expected: float) -> None:
    assert recall_at_k(ranked, relevant, k) == expected


@pytest.mark.parametrize(
    ("ranked", "relevant", "expected"),
    [
        (["x", "b", "a"], ["a", "b"], 1 / 2),
        (["x", "y", "z", "a"], ["a"], 1 / 4),
        (["x"], ["a"], 0.0),
        (["x"], [], 0.0),
        ([], ["a"], 0.0),
    ],
)
def test_reciprocal_rank_over_the_whole_ranking(ranked: list[str], relevant: list[str], expected: float) -> None:
    assert mrr(ranked, relevant) == expected


@pytest.mark.parametrize(("values", "expected"), [([], 0.0), ([0.75], 0.75), ([0, 0.5, 1], 0.5), ([0.1] * 10, 0.1)])
def test_mean(values: list[float], expected: float) -> None:
    assert mean(values) == expected


@pytest.mark.parametrize("k", [-1, True, 1.5])
def test_k_is_a_whole_number(k: Any) -> None:
    with pytest.raises(MetricError, match=r"^k must be a whole number from 0, got "):
        recall_at_k([], ["a"], k)


@pytest.mark.parametrize(("ranked", "relevant", "wrong"), [("abc", ["a"], "ranked"), (["a"], "abc", "relevant")])
def test_bare_text_is_no_list_of_keys(ranked: Sequence[str], relevant: Sequence[str], wrong: str) -> None:
    message = rf"^{wrong} must be a list of ids, got the text 'abc'$"
    with pytest.raises(MetricError, match=message):
        recall_at_k(ranked, relevant, 1)
    with pytest.raises(MetricError, match=message):
        mrr(ranked, relevant)


FIXTURE = {
    "memories": [
        {"key": "port", "text": "The server listens on 4317."},
        {
            "key": "old-port",
            "text": "It listened on 4000.",
            "valid_to": "2024-05-01T00:00:00Z",
            "superseded_by_key": "port",
        },
    ],
    "cases": [
        {
            "query": "Which port?",
            "relevant": ["port"],
            "family": "net",
            "kind": "knowledge_update",
            "stale": ["old-port"],
        },
        {"query": "Which password?", "relevant": [], "note": "not known to kimetsu"},
    ],
}


def test_fixture(tmp_path: Path) -> None:
    expected = EvalFixture(
        memories=(
            EvalMemory(key="port", text="The server listens on 4317."),
            EvalMemory(
                key="old-port",
                text="It listened on 4000.",
                valid_to="2024-05-01T00:00:00Z",
                superseded_by_key="port",
            ),
        ),
        cases=(
            EvalCase(
                query="Which port?", relevant=("port",), family="net", kind="knowledge_update", stale=("old-port",)
            ),
            EvalCase(query="Which password?", relevant=()),
        ),
    )
    assert EvalFixture.from_json(json.dumps(FIXTURE)) == expected
    path = tmp_path / "eval.json"
    path.write_text(json.dumps(FIXTURE), encoding="utf-8")
    assert EvalFixture.read(path) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "f:1: must be a JSON object, got a list"),
        ("{}", "f: memories is missing"),
        ('{"memories": {}}', "f: memories: must be a list, got a mapping"),
        ('{"memories": ["a"]}', "f: memories[0]: must be a mapping, got text"),
        ('{"memories": [{"key": "a"}]}', "f: memories[0]: text is missing"),
        ('{"memories": [{"key": 1, "text": "a"}]}', "f: memories[0].key: must be text, got a number"),
        (
            '{"memories": [{"key": "a", "text": "b", "valid_to": 1}]}',
            "f: memories[0].valid_to: must be text, got a number",
        ),
        ('{"memories": []}', "f: cases is missing"),
        ('{"memories": [], "cases": [{"query": "a"}]}', "f: cases[0]: relevant is missing"),
        (
            '{"memories": [], "cases": [{"query": "a", "relevant": null}]}',
            "f: cases[0].relevant: must be a list, got null",
        ),
        (
            '{"memories": [], "cases": [{"query": "a", "relevant": ["b", 1]}]}',
            "f: cases[0].relevant: must hold texts only, got a number",
        ),
        (
            '{"memories": [], "cases": [{"query": "a", "relevant": [], "stale": "b"}]}',
            "f: cases[0].stale: must be a list, got text",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str) -> None:
    with pytest.raises(FormatError) as raised:
        EvalFixture.read(io.StringIO(text), name="f")
    assert str(raised.value) == message
