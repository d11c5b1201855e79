"""An evaluation and a comparison as another evaluator publishes them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_recall import evaluate_retrieval

IDS = {"c108": "recall@1", "c109": "mrr", "c110": "ndcg@3"}


def test_report_and_deltas_of_a_candidate_that_finds_nothing(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["c108"]
    queries = {query: query for query in row["grades"]}
    before = evaluate_retrieval(row["ranking"].__getitem__, queries, row["grades"], metrics=IDS.values())
    now = evaluate_retrieval(lambda _: [], queries, row["grades"], metrics=IDS.values())
    values = [before[metric] for metric in IDS.values()]
    # The guide prints 0.5, 0.6667 and 0.75.
    assert values == pytest.approx([rows[id]["expected"] for id in IDS], abs=1e-12)
    changes = now.compare(before).metrics
    assert [change.metric for change in changes] == [*IDS.values()]
    assert [change.baseline for change in changes] == values
    # The guide prints -0.5, -0.6667 and -0.75 with p 1.0, 0.5 and 0.5.
    assert [round(change.delta or 0, 4) for change in changes] == [-0.5, -0.6667, -0.75]
    assert [change.p_value for change in changes] == [1.0, 0.5, 0.5]
    first = changes[0]
    assert (first.wins, first.ties, first.losses) == (0, 1, 1)
