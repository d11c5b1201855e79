"""Memories and cases that stand in files of their own."""

from __future__ import annotations

import gzip
import json
import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import SuiteError
from pytest_recall.metrics import parse_metric
from pytest_recall.suites import Memory, load_suite
from pytest_recall.suites.nodes import quote
from tests.unit.suites.builders import load, mistakes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MEMORIES = "memories: {path: corpus.jsonl}\n"
CASES = "cases: {path: cases.jsonl}\n"
JUDGED = "cases: {queries: queries.jsonl, qrels: qrels}\n"

CORPUS = '{"_id": "a", "text": "alpha"}\n{"_id": "b", "text": "beta"}\n'
QUERIES = '{"_id": "q1", "text": "first"}\n{"_id": "q2", "text": "second"}\n{"_id": "q3", "text": "third"}\n'


def write(folder: Path, **texts: str | bytes) -> None:
    """Files by the stem of their names."""
    names = {"corpus": "corpus.jsonl", "cases": "cases.jsonl", "queries": "queries.jsonl", "qrels": "qrels"}
    for stem, text in texts.items():
        folder.joinpath(names[stem]).write_bytes(text if isinstance(text, bytes) else text.encode())


def lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def errors(folder: Path, text: str) -> list[str]:
    """The mistakes of a suite and its files, with their names."""
    with pytest.raises(SuiteError) as raised:
        load(folder, text)
    return str(raised.value).splitlines()


def test_lines_are_what_a_list_in_the_suite_would_be(tmp_path: Path) -> None:
    memories: list[dict[str, Any]] = [
        {"id": "a", "title": "A", "text": "alpha", "metadata": {"page": 1, "tags": ["x", None, True, 1.5]}},
        {"_id": "b", "text": "beta", "valid_from": "2024-05-01T00:00:00Z", "superseded_by": "a"},
        {"key": "c", "text": 'say "gamma"', "valid_to": None, "superseded_by_key": "a"},
    ]
    cases: list[dict[str, Any]] = [
        {"query": "first", "relevant": ["a", "a"], "args": {"user": "alice", "limit": 3}},
        {"id": "two", "query": "second", "relevant": {"a": 2, "b": 0}, "stale": ["c"], "tags": ["x", "y", "x"]},
        {"query": 'say "third"', "relevant": [], "kind": "fact", "family": None},
        {"id": None, "query": "fourth", "relevant": ["b"], "tags": None, "x-note": [1]},
    ]
    inline = load(tmp_path, json.dumps({"memories": memories, "cases": cases}), "inline.eval.json")
    write(tmp_path, corpus=lines(memories), cases=lines(cases))
    outside = load(tmp_path, MEMORIES + CASES)

    assert outside.memories == inline.memories
    assert outside.cases == inline.cases
    assert (outside.k, outside.metrics, outside.scored) == (inline.k, inline.metrics, inline.scored)
    assert [memory.line for memory in outside.memories] == [1, 2, 3]
    assert [case.line for case in outside.cases] == [1, 2, 3, 4]


def test_ids_are_text_as_written(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus='{"_id": 12, "text": ""}\n{"_id": 1.0, "text": ""}\n{"_id": 1e3, "text": 7}\n',
        cases='{"id": 1.50, "query": 2, "relevant": [12, 1.0, 1e3]}\n{"query": "q", "relevant": {"12": 1}}\n',
    )
    suite = load(tmp_path, MEMORIES + CASES)
    assert [memory.id for memory in suite.memories] == ["12", "1.0", "1e3"]
    assert suite.memories[2].text == "7"
    assert (suite.cases[0].id, suite.cases[0].query) == ("1.50", "2")
    assert list(suite.cases[0].relevant or ()) == ["12", "1.0", "1e3"]


def test_other_keys_of_a_corpus_are_other_peoples_business(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus='{"_id": "a", "id": 1, "key": null, "text": "alpha", "url": "x", "valid_to": "2024-05-01T00:00:00Z"}\n',
        cases='{"query": "q", "relevant": ["a"]}\n',
    )
    (memory,) = load(tmp_path, MEMORIES + CASES).memories
    assert memory == Memory(id="a", text="alpha", valid_to=datetime(2024, 5, 1, tzinfo=timezone.utc))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
def test_byte_order_mark_carriage_returns_blank_lines_and_gzip_leave_no_trace(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001
    pack = gzip.compress if packed else bytes
    write(
        tmp_path,
        corpus=pack(b"\xef\xbb\xbf" + CORPUS.replace("\n", "\r\n").encode()),
        cases=pack(b'\n{"query": "one", "relevant": ["a"]}\r\n \t\r\n{"query": "two", "relevant": ["b"]}'),
    )
    suite = load(tmp_path, MEMORIES + CASES)
    assert [memory.id for memory in suite.memories] == ["a", "b"]
    assert [(case.id, case.line) for case in suite.cases] == [("one", 2), ("two", 4)]


def test_lines_are_counted_through_many_blocks(tmp_path: Path) -> None:
    cases = [f'{{"query": "{number}", "relevant": ["a"]}}\n' for number in range(1, 5001)]
    cases[2999] = '{"query": "3000", "relevant": [12]}\n'
    write(tmp_path, cases="".join(cases))
    suite = load(tmp_path, CASES)
    assert [case.line for case in suite.cases] == [*range(1, 5001)]
    assert suite.cases[2999].relevant == {"12": 1}
    cases[3999] = cases[16]
    write(tmp_path, cases="".join(cases))
    assert errors(tmp_path, CASES) == [
        "cases.jsonl:4000:11: cases[3999].query: the query '17' is here twice, first on line 17; give both cases an id"
    ]


def test_plain_lines_need_no_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pytest_recall.suites.lines.compose_json")
    write(
        tmp_path,
        corpus=CORPUS
        + '{"id": "c", "title": "C", "text": "say \\"gamma\\"", "metadata": {"pages": [1, 2.5]}, "u": null}\n',
        cases='{"query": "one", "relevant": ["a"]}\n'
        '{"id": "2", "query": "say \\"two\\"", "relevant": {"a": 1, "b": 0.5}, "stale": ["c"], "tags": ["x"]}\n'
        '{"query": "three", "relevant": [], "kind": "k", "family": "f", "args": {"user": "a", "n": [1]}}\n',
        queries=QUERIES,
        qrels="q1 0 a 1\n",
    )
    assert len(load(tmp_path, MEMORIES + CASES).cases) == 3
    assert len(load(tmp_path, MEMORIES + JUDGED).cases) == 1


@pytest.mark.parametrize(
    "qrels",
    [
        "q2 0 b 2\nq1 0 a 1\nq1 0 gone 0\nq2 0 a -1\n",
        "query-id\tcorpus-id\tscore\nq2\tb\t2\nq1\ta\t1\nq1\tgone\t0\nq2\ta\t-1\n",
        '{"q2": {"b": 2, "a": -1}, "q1": {"a": 1, "gone": 0}}',
    ],
    ids=["TREC", "BEIR", "JSON"],
)
def test_queries_and_judgments_make_cases_in_the_order_of_the_queries(tmp_path: Path, qrels: str) -> None:
    write(tmp_path, corpus=CORPUS, queries=QUERIES, qrels=qrels)
    suite = load(tmp_path, MEMORIES + JUDGED)
    assert [(case.id, case.query, case.relevant, case.line) for case in suite.cases] == [
        ("q1", "first", {"a": 1, "gone": 0}, 1),
        ("q2", "second", {"b": 2, "a": -1}, 2),
    ]
    assert suite.notes == (
        "1 query of queries.jsonl left out: no judgments in qrels",
        "1 judgment of qrels with a grade below 0, taken for judged and not relevant",
    )


def test_query_judged_without_anything_relevant_is_no_negative(tmp_path: Path) -> None:
    write(tmp_path, queries=QUERIES, qrels='{"q1": {"a": 1}, "q2": {"a": 0}, "q3": []}')
    suite = load(tmp_path, JUDGED)
    negative_accuracy = parse_metric("negative_accuracy")
    defined = [negative_accuracy.defined(suite.policy.judgments(case.relevant)) for case in suite.cases]
    assert defined == [False, False, True]
    assert suite.notes == ()


def test_numeric_ids_of_queries_meet_their_judgments(tmp_path: Path) -> None:
    write(tmp_path, corpus='{"_id": 7, "text": ""}\n', queries='{"_id": 1, "text": "one"}\n', qrels="1 0 7 1\n")
    (case,) = load(tmp_path, MEMORIES + JUDGED).cases
    assert (case.id, case.relevant) == ("1", {"7": 1})


def test_kimetsu_memories_and_cases_are_read_as_they_are(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus='{"key": "port", "text": "The port is 4317.", "valid_to": null, "superseded_by_key": null}\n'
        '{"key": "old", "text": "It was 4000.", "valid_to": "2025-01-01T00:00:00Z", "superseded_by_key": "port"}\n',
        cases='{"query": "Which port?", "relevant": ["port"], "stale": ["old"], "kind": "update", "family": "port"}\n',
    )
    suite = load(tmp_path, MEMORIES + CASES)
    assert suite.memories[1].superseded_by == "port"
    assert suite.memories[1].valid_to == datetime(2025, 1, 1, tzinfo=timezone.utc)
    assert suite.cases[0].groups == ("untagged", "kind=update", "family=port")
    assert "stale_hit_rate@10" in map(str, suite.metrics)


def test_paths_are_relative_to_the_suite_and_names_to_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tests" / "deep"
    folder.mkdir(parents=True)
    write(tmp_path, corpus=CORPUS)
    write(folder, cases='{"query": "q", "relevant": ["c"]}\n')
    suite = folder / "notes.eval.yaml"
    suite.write_text("memories: {path: ../../corpus.jsonl}\n" + CASES, encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    with pytest.raises(SuiteError, match=r"^tests/deep/cases\.jsonl:1:29: cases\[0\]\.relevant: unknown memory 'c'$"):
        load_suite(suite, root=tmp_path)
    with pytest.raises(SuiteError, match="so it is not opened"):
        load_suite(suite)


@pytest.mark.parametrize("way", ["absolute", "parent", "link", "linked folder"])
def test_nothing_outside_of_the_root_is_opened(tmp_path: Path, way: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    secret = tmp_path / "secret.jsonl"
    secret.mkdir()  # opening it would be another error
    root.joinpath("link.jsonl").symlink_to(secret)
    root.joinpath("folder").symlink_to(tmp_path)
    written = {
        "absolute": str(secret),
        "parent": "x/../../secret.jsonl",
        "link": "link.jsonl",
        "linked folder": "folder/secret.jsonl",
    }[way]
    text = f"memories: {{path: {written}}}\ncases: [{{query: q, relevant: [a]}}]\n"
    outside = f"leads to {str(secret)!r}, outside of {str(root)!r}, so it is not opened"
    assert mistakes(root, text) == [f"1:18: memories.path: {quote(written)} {outside}"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "corpus.jsonl")
    text = "memories: {path: corpus.jsonl}\ncases: [{query: q, relevant: [a]}]\n"
    assert mistakes(tmp_path, text) == [
        "1:18: memories.path: 'corpus.jsonl' must be a file, and this is a pipe or a device"
    ]


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    name = "x" * 5_000
    (mistake,) = mistakes(tmp_path, f"memories: {{path: {name}}}\ncases: [{{query: q, relevant: [a]}}]\n")
    assert mistake.endswith(": the file can't be read: file name too long")


def test_links_inside_of_the_root_are_followed(tmp_path: Path) -> None:
    tmp_path.joinpath("data").mkdir()
    write(tmp_path / "data", corpus='{"_id": "a"}\n')
    tmp_path.joinpath("corpus.jsonl").symlink_to(tmp_path / "data" / "corpus.jsonl")
    root = tmp_path.with_name(f"{tmp_path.name}-link")
    root.symlink_to(tmp_path)
    assert errors(root, MEMORIES + "cases: [{query: q, relevant: [a]}]\n") == [
        "data/corpus.jsonl:1:1: memories[0] (a): text is missing"
    ]


NESTED = b"[" * 70 + b"]" * 70


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"query": "\xff", "relevant": []}', "1: cases[1]: not UTF-8: byte 0xff; save the file as UTF-8"),
        (b"\xc2\xa0", "1: cases[1]: no valid JSON: expecting value"),
        (b'{"query": "q", "relevant": []} {}', "32: cases[1]: no valid JSON: extra data"),
        (
            b'{"query": "q", "relevant": [], "args": {"n": 1e999}}',
            "46: cases[1].args.n: must be a finite number, got '1e999'",
        ),
        (
            b'{"query": "q", "relevant": [], "args": {"n": ' + NESTED + b"}}",
            "108: cases[1]: nested more than 64 levels deep",
        ),
        (
            b'{"query": "q", "relevant": [], "args": {"a": {"b": 1, "b": 2}}}',
            "55: cases[1].args.a: the key 'b' is here twice, first on line 2",
        ),
    ],
)
def test_line_that_is_no_json_is_told_with_its_place(tmp_path: Path, data: bytes, message: str) -> None:
    write(tmp_path, cases=b'{"query": "first", "relevant": []}\n' + data)
    assert errors(tmp_path, CASES) == [f"cases.jsonl:2:{message}"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"query": "q", "relevant": "a"}',
            "28: cases[1].relevant: must be a list of ids, or a mapping from id to grade, got the text 'a'",
        ),
        ('{"query": "q", "relevant": [], "args": ["user"]}', "40: cases[1].args: must be a mapping, got a list"),
        ('{"query": "q", "relevant": [], "tags": "user"}', "40: cases[1].tags: must be a list, got the text 'user'"),
        ('{"query": "q", "relevant": [], "kind": ["user"]}', "40: cases[1].kind: must be text, got a list"),
        (
            '{"query": "q", "relevant": ["a"], "stale": ["a"]}',
            "45: cases[1].stale: 'a' is relevant to this case, so it can't be stale",
        ),
        (
            '{"query": "q", "answers": []}',
            "27: cases[1].answers: must hold a text that would do as an answer, got an empty list",
        ),
        ('{"query": "q"}', "1: cases[1]: relevant is missing"),
    ],
)
def test_value_of_another_kind_is_told_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    write(tmp_path, cases=f'{{"query": "first", "answers": ["x"]}}\n{line}\n')
    assert errors(tmp_path, CASES) == [f"cases.jsonl:2:{message}"]


def test_number_is_the_text_of_a_memory_as_in_a_suite(tmp_path: Path) -> None:
    write(tmp_path, corpus='{"_id": "a", "text": "alpha"}\n{"_id": "b", "text": 3}\n')
    suite = load(tmp_path, MEMORIES + "cases: [{query: q, relevant: [a]}]\n")
    assert [memory.text for memory in suite.memories] == ["alpha", "3"]


def test_queries_without_a_line_are_no_cases(tmp_path: Path) -> None:
    tmp_path.joinpath("q.jsonl").write_text("\n")
    tmp_path.joinpath("r.tsv").write_text("1\t0\ta\t1\n")
    assert errors(tmp_path, "cases: {queries: q.jsonl, qrels: r.tsv}\n") == [
        "notes.eval.yaml:1:18: cases.queries: q.jsonl: no cases, so there is nothing to ask",
        "r.tsv:1: unknown query '1'",
    ]


def test_damaged_gzip_is_told_where_the_suite_names_it(tmp_path: Path) -> None:
    write(tmp_path, cases=gzip.compress(b'{"query": "q", "relevant": []}\n')[:-4])
    assert errors(tmp_path, CASES) == [
        "notes.eval.yaml:1:15: cases.path: cases.jsonl: the gzipped file is damaged or cut off"
    ]


def test_mistakes_of_the_suite_come_before_those_of_its_files(tmp_path: Path) -> None:
    write(tmp_path, corpus='{"_id": "a"}\n', cases='{"query": "q"}\n')
    assert errors(tmp_path, CASES + MEMORIES + "treshold: 1\n") == [
        "notes.eval.yaml:3:1: unknown key 'treshold' (did you mean 'thresholds'?)",
        "corpus.jsonl:1:1: memories[0] (a): text is missing",
        "cases.jsonl:1:1: cases[0]: relevant is missing",
    ]


def test_unknown_ids_are_not_told_where_an_id_could_not_be_read(tmp_path: Path) -> None:
    write(tmp_path, corpus=CORPUS + "{\n", cases='{"query": "q", "relevant": ["c"]}\n')
    assert errors(tmp_path, MEMORIES + CASES) == [
        "corpus.jsonl:3:2: memories[2]: no valid JSON: expecting property name enclosed in double quotes"
    ]


def test_mistakes_without_end_are_not_all_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_recall.suites.problems.MOST_PROBLEMS", 2)
    write(tmp_path, cases='{"query": "q"}\n' * 100)
    assert errors(tmp_path, CASES) == [
        "cases.jsonl:1:1: cases[0]: relevant is missing",
        "cases.jsonl:2:1: cases[1]: relevant is missing",
        "notes.eval.yaml: more than 2 mistakes, the rest is not shown",
    ]


def test_bounds_of_a_case_say_which_file_they_stand_in(tmp_path: Path) -> None:
    write(tmp_path, cases='{"query": "q", "relevant": ["a"], "expect": {"mrr": 1}}\n')
    (gate, *_) = load(tmp_path, "each: {hit_rate@1: 1}\n" + CASES).gates
    assert [(bound.metric, bound.file, bound.line) for bound in gate.thresholds] == [
        ("hit_rate@1", None, 1),
        ("mrr", "cases.jsonl", 1),
    ]


def test_suite_in_json_may_name_files_too(tmp_path: Path) -> None:
    write(tmp_path, corpus=CORPUS, queries=QUERIES, qrels="q1 0 a 1\n")
    text = '{"memories": {"path": "corpus.jsonl"}, "cases": {"queries": "queries.jsonl", "qrels": "qrels"}}'
    suite = load(tmp_path, text, "notes.eval.json")
    assert (len(suite.memories), len(suite.cases)) == (2, 1)
