"""What the real trec_eval prints, by a suite and by the functions.

200 synthetic topics hold graded, unjudged, tied, short and missing rankings; trec_eval's own test files are long.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import ranking_metrics
from pytest_recall.running import evaluate
from tests.builders import case, suite
from tests.trec_names import ours

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_recall.evaluation import Evaluation

# No metrics: counts, and two that are not built.
OTHERS = {"num_q", "num_ret", "num_rel", "num_rel_ret", "bpref", "gm_map"}

# trec_eval's name → ours.
METRIC_OF = {
    theirs: ours(theirs)
    for theirs in (
        *("map", "map_cut_10", "Rprec", "recip_rank", "ndcg", "recall_100"),
        *(f"{name}_{n}" for name in ("P", "recall", "ndcg_cut", "success") for n in (1, 3, 5, 10)),
    )
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


@pytest.fixture(scope="module")
def judged(topics: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The functions take no negative grades, which trec_eval reads as 0."""
    return {topic: {id: max(grade, 0) for id, grade in grades.items()} for topic, grades in topics["qrels"].items()}


@pytest.mark.parametrize(("theirs", "ours"), METRIC_OF.items())
def test_functions_score_as_printed(
    theirs: str, ours: str, topics: dict[str, Any], judged: dict[str, dict[str, float]]
) -> None:
    def score(average: Any) -> Any:
        return ranking_metrics(
            judged, topics["ranked"], metrics=[ours], average=average, unpaired="trec", zero_division=0.0
        )[ours]

    printed = {topic: values[theirs] for topic, values in topics["per_query"].items()}
    assert score(None) == pytest.approx(printed, abs=HALF_A_DIGIT)
    assert score("mean") == pytest.approx(topics["mean"][theirs], abs=HALF_A_DIGIT)


@pytest.mark.parametrize("name", ["standard", "missing_topic_complete", "cut_M100"])
def test_trec_eval_scores_its_own_files_alike(name: str, shared_data: Path) -> None:
    folder = shared_data / "oracle" / "trec"
    expected = json.loads(folder.joinpath("expected.json").read_text(encoding="utf-8"))["cases"][name]
    ranked = json.loads(folder.joinpath(f"{name}.ranked.json").read_text(encoding="utf-8"))
    runs = {topic: ids[: expected["max_docs"]] for topic, ids in ranked.items()}
    qrels: dict[str, dict[str, float]] = {}
    for line in folder.joinpath(expected["qrels"]).read_text(encoding="utf-8").splitlines():
        topic, _, id, grade = line.split()
        qrels.setdefault(topic, {})[id] = float(grade)
    metrics = {theirs: ours(theirs) for theirs in expected["mean"].keys() - OTHERS}
    assert len(metrics) == 17

    by_topic = ranking_metrics(qrels, runs, metrics=metrics.values(), average=None, unpaired="trec")
    mean = ranking_metrics(qrels, runs, metrics=metrics.values(), unpaired="trec")
    for theirs, name_here in metrics.items():
        printed = {topic: values[theirs] for topic, values in expected["per_query"].items()}
        assert by_topic[name_here] == pytest.approx(printed, abs=HALF_A_DIGIT), theirs
        assert mean[name_here] == pytest.approx(expected["mean"][theirs], abs=HALF_A_DIGIT), theirs
