"""200 synthetic topics as the real trec_eval scores them: graded, unjudged, tied, short and missing rankings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.running import evaluate
from tests.builders import case, suite

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_recall.evaluation import Evaluation

# trec_eval's name → ours.
METRIC_OF = {
    "map": "map",
    "map_cut_10": "map@10",
    "Rprec": "r_precision",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    **{
        f"{theirs}_{n}": f"{ours}@{n}"
        for theirs, ours in (("P", "precision"), ("recall", "recall"), ("ndcg_cut", "ndcg"), ("success", "hit_rate"))
        for n in (1, 3, 5, 10)
    },
    "recall_100": "recall@100",
}

# What is printed has four decimals.
HALF_A_DIGIT = 0.5e-4 + 1e-9


@pytest.fixture(scope="module")
def topics(shared_data: Path) -> dict[str, Any]:
    path = shared_data.joinpath("oracle", "trec", "own", "own_cases.json")
    topics: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return topics


@pytest.fixture(scope="module")
def evaluation(topics: dict[str, Any]) -> Evaluation:
    ranked = topics["ranked"]
    longest = max(map(len, ranked.values()))
    asked = suite(
        [case(topic, grades) for topic, grades in topics["qrels"].items()],
        METRIC_OF.values(),
        k=max(longest, 100),
        undefined="zero",
    )
    return evaluate(asked, lambda topic: ranked.get(topic, []))


def test_every_measure_is_scored(topics: dict[str, Any]) -> None:
    assert {*METRIC_OF, "num_ret", "num_rel", "num_rel_ret"} == set(topics["mean"])
    assert len(METRIC_OF) == 22


@pytest.mark.parametrize(("theirs", "ours"), METRIC_OF.items())
def test_topic_scores_as_printed(theirs: str, ours: str, topics: dict[str, Any], evaluation: Evaluation) -> None:
    scores = {case.id: case.scores[ours] for case in evaluation.cases}
    printed = {topic: values[theirs] for topic, values in topics["per_query"].items()}
    assert scores == pytest.approx(printed, abs=HALF_A_DIGIT)
    assert len(scores) == 200


@pytest.mark.parametrize(("theirs", "ours"), METRIC_OF.items())
def test_mean_as_printed(theirs: str, ours: str, topics: dict[str, Any], evaluation: Evaluation) -> None:
    assert evaluation[ours] == pytest.approx(topics["mean"][theirs], abs=HALF_A_DIGIT)
