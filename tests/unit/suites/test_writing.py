from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from pytest_recall.bounds import Bounds, Threshold
from pytest_recall.suites import Case, Memory, load_suite
from pytest_recall.suites.writing import render_suite

if TYPE_CHECKING:
    from pathlib import Path

MAY = datetime(2024, 5, 1, tzinfo=timezone.utc)

MEMORIES = [
    Memory(id="lease-2", text="The lease ends on 31 May, or later.", metadata={"source": "lease.pdf", "page": 3}),
    Memory(id="012", title="Lease", valid_from=MAY, valid_to=MAY.replace(tzinfo=timezone(timedelta(hours=2)))),
    Memory(id="rules", text="Rent is due on the 1st.\n\n- No dogs\n- No: cats", superseded_by="lease-2"),
    Memory(id="long", title="What is long", text="Every word, " * 12, metadata={"of": ["many", {"words": None}]}),
]
CASES = [
    Case(
        id="lease-end",
        query="when does the lease end, and what happens then?",
        relevant={"lease-2": 2.0, "012": 0.5},
        stale=("rules",),
        tags=("legal", "no"),
        kind="date",
        family="lease",
        args={"user": "alice", "limit": 3, "strict": True},
        expect=(
            Threshold(metric="hit_rate@1", bounds=Bounds(min=1.0)),
            Threshold(metric="mrr", bounds=Bounds(min=0.5, max=1)),
        ),
    ),
    Case(id="who won the cup", query="who won the cup", relevant={}),
    Case(id="1", query="rent", relevant={"rules": 1.0}),
]
WRITTEN = """\
retriever: memory_search
k: 10
metrics: [recall@5, mrr]
thresholds: {recall@5: 0.85, mrr: {min: 0.7, max_drop: 5%}}
memories:
  - {id: lease-2, text: "The lease ends on 31 May, or later.", metadata: {source: lease.pdf, page: 3}}
  - {id: "012", title: Lease, valid_from: "2024-05-01T00:00:00Z", valid_to: "2024-05-01T00:00:00+02:00"}
  - id: rules
    text: |-
      Rent is due on the 1st.

      - No dogs
      - No: cats
    superseded_by: lease-2
  - id: long
    title: What is long
    text: "Every word, Every word, Every word, Every word, Every word, Every word, Every word, Every word, \
Every word, Every word, Every word, Every word, "
    metadata: {of: [many, {words: null}]}
cases:
  - id: lease-end
    query: when does the lease end, and what happens then?
    relevant: {lease-2: 2, "012": 0.5}
    stale: [rules]
    tags: [legal, "no"]
    kind: date
    family: lease
    args: {user: alice, limit: 3, strict: true}
    expect: {hit_rate@1: 1, mrr: {min: 0.5, max: 1}}
  - {query: who won the cup, relevant: []}
  - {id: "1", query: rent, relevant: [rules]}
"""


def test_short_entry_is_a_line_and_a_long_one_a_block() -> None:
    settings = {
        "retriever": "memory_search",
        "k": 10,
        "metrics": ["recall@5", "mrr"],
        "thresholds": {"recall@5": 0.85, "mrr": {"min": 0.7, "max_drop": "5%"}},
    }
    assert render_suite(CASES, MEMORIES, settings) == WRITTEN


def test_files_are_named_instead_of_their_entries() -> None:
    cases = {"queries": "beir/queries.jsonl", "qrels": "beir/qrels/test.tsv"}
    assert render_suite(cases, {"path": "beir/corpus.jsonl"}) == (
        "memories: {path: beir/corpus.jsonl}\ncases: {queries: beir/queries.jsonl, qrels: beir/qrels/test.tsv}\n"
    )


def test_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^nan can't be written to a suite: a number there is finite$"):
        render_suite([Case(id="q", query="q", relevant={}, args={"limit": float("nan")})])


def test_characters_that_nobody_sees_and_long_keys_are_written_so_that_they_load(tmp_path: Path) -> None:
    key = "long " * 300
    memory = Memory(id="a", text="tab\tdel\x7fmark\u200e\U000e0001 é", metadata={"of": {key: [1]}, key: 2})
    path = tmp_path / "notes.eval.yaml"
    path.write_text(render_suite([Case(id="q", query="q", relevant={"a": 1.0})], [memory]), encoding="utf-8")
    assert r"\tdel\x7fmark\u200e\U000e0001 é" in path.read_text(encoding="utf-8")
    assert load_suite(path).memories == (memory,)


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_paragraphs_keep_their_last_lines(tmp_path: Path, end: str) -> None:
    memory = Memory(id="a", text=f"Rent is due.\n\n- No dogs{end}")
    path = tmp_path / "notes.eval.yaml"
    path.write_text(render_suite([Case(id="q", query="q", relevant={"a": 1.0})], [memory]), encoding="utf-8")
    assert load_suite(path).memories == (memory,)
