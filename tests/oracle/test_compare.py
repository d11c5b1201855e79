"""A comparison as another evaluator publishes it."""

from __future__ import annotations

from typing import Any

from pytest_recall.running import evaluate
from tests.builders import case, suite


def test_deltas_and_p_of_a_candidate_that_finds_nothing(rows: dict[str, dict[str, Any]]) -> None:
    ids = {"c108": "recall@1", "c109": "mrr", "c110": "ndcg@3"}
    row = rows["c108"]
    cases = [case(query, grades) for query, grades in row["grades"].items()]
    asked = suite(cases, ids.values())
    before, now = evaluate(asked, row["ranking"].__getitem__), evaluate(asked, lambda _: [])
    changes = now.compare(before).metrics
    assert [change.baseline for change in changes] == [rows[id]["expected"] for id in ids]
    # The guide prints -0.5, -0.6667 and -0.75 with p 1.0, 0.5 and 0.5.
    assert [round(change.delta or 0, 4) for change in changes] == [-0.5, -0.6667, -0.75]
    assert [change.p_value for change in changes] == [1.0, 0.5, 0.5]
