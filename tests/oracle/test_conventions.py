"""Worked examples of klieo-eval and kimetsu-brain by the functions that follow them, and trec_eval's own order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import kimetsu
from pytest_recall.errors import MetricError
from pytest_recall.formats import read_qrels, read_run
from pytest_recall.recall_report import RecallReport, RecallSample, score_recall

if TYPE_CHECKING:
    from pathlib import Path


def ids(*numbers: int) -> list[str]:
    return [f"c{number:03}" for number in numbers]


KLIEO = ids(*range(1, 17), 20, 21, *range(23, 34))
# klieo counts a document twice that came back twice.
KLIEO_REFUSED = ids(17, 18, 19, 22)
KIMETSU = ids(*range(34, 57), 61)

PER_QUERY = {
    "precision@k": "precision_at_k",
    "recall@k": "recall_at_k",
    "ndcg@k": "ndcg_at_k",
    "first_hit_rank": "first_hit_rank",
}
MEANS = {
    "hit_rate": "hit_rate",
    "mrr": "mean_reciprocal_rank",
    "mean precision@k": "mean_precision_at_k",
    "mean recall@k": "mean_recall_at_k",
    "mean ndcg@k": "mean_ndcg_at_k",
}


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> dict[str, dict[str, Any]]:
    cases = json.loads(shared_data.joinpath("oracle", "seed_cases.json").read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in cases}


def report_of(row: dict[str, Any]) -> RecallReport:
    ranking, relevant = row["ranking"], row["relevant"]
    if isinstance(ranking, list):
        ranking, relevant = {"q": ranking}, {"q": relevant}
    return score_recall([RecallSample(query, relevant[query], ranking[query]) for query in ranking], row["k"])


@pytest.mark.parametrize("id", KLIEO)
def test_klieo(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    report, metric, expected = report_of(row), row["metric"], row["expected"]
    if metric == "all aggregates":
        assert [getattr(report, mean)() for mean in MEANS.values()] == [expected] * 5
    elif metric in MEANS:
        assert getattr(report, MEANS[metric])() == pytest.approx(expected, abs=1e-9)
    else:
        (score,) = report.per_query
        assert getattr(score, PER_QUERY[metric]) == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("id", KLIEO_REFUSED)
def test_klieo_counts_twice_what_is_refused_here(id: str, rows: dict[str, dict[str, Any]]) -> None:
    with pytest.raises(MetricError, match=r"^query 'q': 'a' came back twice, at ranks 1 and 2$"):
        report_of(rows[id])


@pytest.mark.parametrize("id", KIMETSU)
def test_kimetsu(id: str, rows: dict[str, dict[str, Any]]) -> None:
    row = rows[id]
    ranking, relevant, k = row["ranking"], row["relevant"], row["k"]
    value = {
        "recall@k": lambda: kimetsu.recall_at_k(ranking, relevant, k),
        "mrr": lambda: kimetsu.mrr(ranking, relevant),
        "mean": lambda: kimetsu.mean(row["values"]),
        "mean recall@4": lambda: kimetsu.mean(
            [kimetsu.recall_at_k(ranking[query], relevant[query], k) for query in ranking]
        ),
    }[row["metric"]]()
    assert value == pytest.approx(row["expected"], abs=1e-9)


def test_kimetsu_fixture(shared_data: Path) -> None:
    path = shared_data / "data" / "kimetsu" / "agent-memory-contract.json"
    scenarios = json.loads(path.read_text(encoding="utf-8"))["scenarios"]
    fixtures = [
        kimetsu.EvalFixture.from_json(json.dumps({"memories": scenario["memories"], "cases": scenario["queries"]}))
        for scenario in scenarios
    ]
    assert len(fixtures) == 4
    assert sum(len(fixture.memories) for fixture in fixtures) == 13
    cases = [case for fixture in fixtures for case in fixture.cases]
    assert (len(cases), sum(not case.relevant for case in cases)) == (15, 7)


@pytest.mark.parametrize(
    ("run", "case"),
    [("results.test", "standard"), ("results.trunc", "missing_topic_complete"), ("results.trunc", "cut_M100")],
)
def test_order_of_trec_eval(run: str, case: str, shared_data: Path) -> None:
    folder = shared_data / "oracle" / "trec"
    ranked = json.loads(folder.joinpath(f"{case}.ranked.json").read_text(encoding="utf-8"))
    assert read_run(folder / run) == ranked


def test_judgments_of_trec_eval(shared_data: Path) -> None:
    qrels = read_qrels(shared_data / "oracle" / "trec" / "qrels.test")
    # Topic: judged, relevant.
    assert {topic: (len(grades), sum(grades.values())) for topic, grades in qrels.items()} == {
        "301": (1708, 474),
        "302": (1061, 77),
        "303": (912, 10),
    }


@pytest.mark.parametrize(
    ("path", "topics", "judgments"),
    [("scifact/qrels/test.tsv", 300, 339), ("cranfield/qrels/test_trec_codes.txt", 225, 1837)],
)
def test_judgments_of_collections(path: str, topics: int, judgments: int, shared_data: Path) -> None:
    qrels = read_qrels(shared_data / "data" / path)
    assert (len(qrels), sum(map(len, qrels.values()))) == (topics, judgments)
