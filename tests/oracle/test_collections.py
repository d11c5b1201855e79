"""The built-in retriever on real collections, whose numbers other BM25s are known to reach as well."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.retrieval.lexical import LexicalRetriever
from pytest_recall.running import evaluate
from pytest_recall.suites import load_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project

CLOSE = 0.003


def recorded(project: Project, folder: Path, suite: str) -> dict[str, Any]:
    """What a run over a copy of a collection records of a suite that points at its files."""
    shutil.copytree(folder, project.path / "data")
    project.write("collection.eval.yaml", suite)
    result = project.run(
        "--eval-retriever=lexical_retriever", "--eval-baseline=recorded.json", "--eval-update", own_process=True
    )
    assert result.ret == pytest.ExitCode.OK
    (of_suite,) = json.loads(project.baseline("recorded.json"))["suites"].values()
    entry: dict[str, Any] = of_suite["systems"]["lexical_retriever"]
    return entry


def values(entry: dict[str, Any]) -> dict[str, float]:
    return {metric: summary["value"] for metric, summary in entry["metrics"].items()}


def test_scifact(shared_data: Path, project: Project) -> None:
    suite = """\
k: 100
metrics: [ndcg@10, recall@100]
memories: {path: data/corpus.jsonl.gz}
cases: {queries: data/queries.jsonl, qrels: data/qrels/test.tsv}
"""
    entry = recorded(project, shared_data / "data" / "scifact", suite)
    assert (entry["memories"]["count"], len(entry["cases"])) == (5183, 300)
    assert values(entry) == pytest.approx({"ndcg@10": 0.687, "recall@100": 0.925}, abs=CLOSE)


CRANFIELD = """\
k: 1000
metrics: [map, ndcg@10]
memories: {path: data/corpus.jsonl}
cases: {queries: data/queries.jsonl, qrels: data/qrels/QRELS}
"""


def test_cranfield(shared_data: Path, project: Project) -> None:
    suite = CRANFIELD.replace("QRELS", "test_all_binary.tsv")
    entry = recorded(project, shared_data / "data" / "cranfield", suite)
    assert (entry["memories"]["count"], len(entry["cases"])) == (1400, 225)
    assert values(entry) == pytest.approx({"map": 0.420, "ndcg@10": 0.515}, abs=CLOSE)


def test_cranfield_without_what_was_judged_of_no_interest(shared_data: Path, project: Project) -> None:
    suite = CRANFIELD.replace("QRELS", "test.tsv")
    entry = recorded(project, shared_data / "data" / "cranfield", suite)
    assert values(entry) == pytest.approx({"map": 0.301, "ndcg@10": 0.378}, abs=CLOSE)


def test_mcpproxy_tools(shared_data: Path, tmp_path: Path) -> None:
    text = shared_data.joinpath("data", "mcpproxy-tools", "tools.eval.yaml").read_text(encoding="utf-8")
    path = tmp_path / "tools.eval.yaml"
    path.write_text(f"metrics: [recall@5, mrr, ndcg@10]\n{text}", encoding="utf-8")
    asked = load_suite(path, root=tmp_path)
    assert (len(asked.memories), len(asked.cases)) == (45, 47)
    evaluation = evaluate(asked, LexicalRetriever(asked.memories))
    assert evaluation.problem is None
    assert evaluation.errors == ()
    assert evaluation["recall@5"] == pytest.approx(0.777, abs=CLOSE)
    assert evaluation["mrr"] == pytest.approx(0.674, abs=CLOSE)
    assert evaluation["ndcg@10"] == pytest.approx(0.705, abs=CLOSE)
