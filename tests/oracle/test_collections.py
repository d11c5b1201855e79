"""The built-in retriever on real collections, whose numbers other BM25s are known to reach as well."""

from __future__ import annotations

import csv
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.retrieval.lexical import LexicalRetriever
from pytest_recall.running import evaluate
from pytest_recall.suites import Memory, load_suite
from tests.builders import case, suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.suites import Suite

CLOSE = 0.003


def lines(path: Path) -> Iterator[dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def collection(folder: Path, corpus: str, qrels: str, metrics: list[str], k: int) -> Suite:
    """A suite of a folder in BEIR's layout."""
    memories = [
        Memory(id=line["_id"], title=line.get("title", ""), text=line["text"]) for line in lines(folder / corpus)
    ]
    judged: dict[str, dict[str, float]] = {}
    with folder.joinpath("qrels", qrels).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            judged.setdefault(row["query-id"], {})[row["corpus-id"]] = float(row["score"])
    queries = {line["_id"]: line["text"] for line in lines(folder / "queries.jsonl")}
    cases = [case(id, grades, query=queries[id]) for id, grades in judged.items()]
    return suite(cases, metrics, k=k, memories=memories)


def lexical(asked: Suite) -> Evaluation:
    evaluation = evaluate(asked, LexicalRetriever(asked.memories))
    assert evaluation.problem is None
    assert evaluation.errors == ()
    return evaluation


def test_scifact(shared_data: Path) -> None:
    folder = shared_data / "data" / "scifact"
    asked = collection(folder, "corpus.jsonl.gz", "test.tsv", ["ndcg@10", "recall@100"], k=100)
    assert (len(asked.memories), len(asked.cases)) == (5183, 300)
    evaluation = lexical(asked)
    assert evaluation["ndcg@10"] == pytest.approx(0.687, abs=CLOSE)
    assert evaluation["recall@100"] == pytest.approx(0.925, abs=CLOSE)


def test_cranfield(shared_data: Path) -> None:
    folder = shared_data / "data" / "cranfield"
    asked = collection(folder, "corpus.jsonl", "test_all_binary.tsv", ["map", "ndcg@10"], k=1000)
    assert (len(asked.memories), len(asked.cases)) == (1400, 225)
    evaluation = lexical(asked)
    assert evaluation["map"] == pytest.approx(0.420, abs=CLOSE)
    assert evaluation["ndcg@10"] == pytest.approx(0.515, abs=CLOSE)


def test_mcpproxy_tools(shared_data: Path, tmp_path: Path) -> None:
    text = shared_data.joinpath("data", "mcpproxy-tools", "tools.eval.yaml").read_text(encoding="utf-8")
    path = tmp_path / "tools.eval.yaml"
    path.write_text(f"metrics: [recall@5, mrr, ndcg@10]\n{text}", encoding="utf-8")
    asked = load_suite(path, root=tmp_path)
    assert (len(asked.memories), len(asked.cases)) == (45, 47)
    evaluation = lexical(asked)
    assert evaluation["recall@5"] == pytest.approx(0.777, abs=CLOSE)
    assert evaluation["mrr"] == pytest.approx(0.674, abs=CLOSE)
    assert evaluation["ndcg@10"] == pytest.approx(0.705, abs=CLOSE)
