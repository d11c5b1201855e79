"""A run scored one ranking at a time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pytest_recall import MetricError, ranking_metrics
from pytest_recall.scoring.runs import score_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.metrics import Gain


def one_by_one(*rankings: tuple[str, list[str]]) -> Iterator[tuple[str, list[str], set[str]]]:
    """The rankings as they come from a file."""
    for topic, ids in rankings:
        yield topic, ids, set(ids)


METRICS = ["recall@3", "precision@5", "hit_rate@1", "mrr", "map", "r_precision", "ndcg", "ndcg@3"]


@pytest.mark.parametrize(("threshold", "gain"), [(1, "linear"), (2, "linear"), (1, "exponential")])
def test_equals_the_functions(threshold: float, gain: Gain) -> None:
    chance = random.Random(3)  # noqa: S311  # the same work every time
    pool = [f"d{number}" for number in range(30)]
    qrels: dict[str, dict[str, float]] = {
        f"q{n}": {id: chance.randint(0, 3) for id in chance.sample(pool, chance.randint(1, 9))} for n in range(50)
    }
    runs = {f"q{n}": chance.sample(pool, chance.randint(0, 20)) for n in range(5, 60)}

    scores = score_run(qrels, one_by_one(*runs.items()), metrics=METRICS, relevance_threshold=threshold, gain=gain)

    expected = ranking_metrics(
        qrels,
        runs,
        metrics=METRICS,
        average=None,
        unpaired="trec",
        zero_division=0.0,
        relevance_threshold=threshold,
        gain=gain,
    )
    assert scores.per_query == expected
    assert scores.missing == ("q0", "q1", "q2", "q3", "q4")
    assert scores.unjudged == 10


def test_a_negative_grade_gains_nothing() -> None:
    scores = score_run({"q": {"a": 1, "b": -2}}, one_by_one(("q", ["b", "a"])), metrics=["ndcg", "mrr"])

    assert scores.means == {"ndcg": pytest.approx(0.6309297535714575), "mrr": 0.5}  # 1 / log2 3


def test_depth_cuts_rankings() -> None:
    scores = score_run({"q": {"a": 1}}, one_by_one(("q", ["x", "a"])), metrics=["mrr"], depth=1)

    assert scores.means == {"mrr": 0}


def test_the_last_ranking_of_a_topic_counts() -> None:
    scores = score_run({"q": {"a": 1}}, one_by_one(("q", ["x"]), ("q", ["x", "a"])), metrics=["mrr"])

    assert scores.means == {"mrr": 0.5}


def test_a_topic_without_relevant_ids_scores_0() -> None:
    scores = score_run({"q": {"a": 0}, "r": {"a": 1}}, one_by_one(("q", ["a"]), ("r", ["a"])), metrics=METRICS)

    assert {value for values in scores.per_query.values() for value in (values["q"],)} == {0.0}
    assert scores.means["mrr"] == 0.5


def test_a_metric_must_be_one_of_a_ranking() -> None:
    with pytest.raises(MetricError, match=r"^'latency_p95_ms' is no metric of a ranking alone"):
        score_run({"q": {"a": 1}}, [], metrics=["latency_p95_ms"])
