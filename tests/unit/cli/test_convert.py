from __future__ import annotations

import gzip
import json
import os
import stat
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from pytest_recall.suites import Case, Memory, load_suite
from pytest_recall.suites.schema import suite_schema

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Shell

CORPUS = (
    '{"_id": "d1", "title": "Lease", "text": "It ends on 31 May.", "metadata": {"url": "u"}}\n'
    '{"_id": "012", "title": "", "text": "Rent, due on the 1st."}\n'
)
QUERIES = '{"_id": "1", "text": "when does it end?"}\n{"_id": "2", "text": "no"}\n{"_id": "3", "text": "who won?"}\n'
QRELS = "query-id\tcorpus-id\tscore\n1\td1\t2\n1\t012\t1\n2\t012\t1\n"

MEMORIES = (
    Memory(id="d1", title="Lease", text="It ends on 31 May.", metadata={"url": "u"}),
    Memory(id="012", text="Rent, due on the 1st."),
)
CASES = (
    Case(id="1", query="when does it end?", relevant={"d1": 2.0, "012": 1.0}),
    Case(id="2", query="no", relevant={"012": 1.0}),
)
UNJUDGED = "pytest-recall: 1 of 3 queries left out, without judgments: 3\n"


@pytest.fixture
def beir(shell: Shell) -> Shell:
    shell.write("nq/corpus.jsonl", CORPUS)
    shell.write("nq/queries.jsonl", QUERIES)
    shell.write("nq/qrels/test.tsv", QRELS)
    return shell


def converted(shell: Shell, *arguments: str, stdin: str = "", told: str = "") -> str:
    code, printed, messages = shell.run("convert", *arguments, stdin=stdin)
    assert (code, messages) == (0, told)
    return printed


def loaded(shell: Shell, text: str) -> tuple[tuple[Memory, ...], tuple[Case, ...], int]:
    suite = load_suite(shell.write("converted.eval.yaml", text))
    return suite.memories, suite.cases, suite.k


def refused(shell: Shell, *arguments: str) -> str:
    """What is wrong; nothing else is printed, and nothing is written."""
    before = sorted(shell.path.rglob("*"))
    code, printed, told = shell.run("convert", *arguments)
    assert (code, printed) == (2, "")
    assert sorted(shell.path.rglob("*")) == before
    return told.removeprefix("pytest-recall: ").removesuffix("\n")


class TestBeir:
    def test_suite_names_the_files(self, beir: Shell) -> None:
        text = converted(beir, "beir", "nq", "-k", "5")
        assert text == (
            "k: 5\nmemories: {path: nq/corpus.jsonl}\ncases: {queries: nq/queries.jsonl, qrels: nq/qrels/test.tsv}\n"
        )
        jsonschema.validate(yaml.safe_load(text), suite_schema())
        assert loaded(beir, text) == (MEMORIES, CASES, 5)

    def test_files_are_named_from_where_the_suite_is(self, beir: Shell) -> None:
        (beir.path / "nq/corpus.jsonl").unlink()
        beir.write("nq/corpus.jsonl.gz", gzip.compress(CORPUS.encode()))
        beir.write("tests/x", "")
        assert converted(beir, "beir", "nq/", "--output", "tests/nq.eval.yaml") == ""
        assert (beir.path / "tests/nq.eval.yaml").read_text(encoding="utf-8") == (
            "memories: {path: ../nq/corpus.jsonl.gz}\n"
            "cases: {queries: ../nq/queries.jsonl, qrels: ../nq/qrels/test.tsv}\n"
        )
        assert load_suite(beir.path / "tests/nq.eval.yaml").cases == CASES

    def test_suite_holds_the_collection(self, beir: Shell) -> None:
        text = converted(beir, "beir", "nq", "--inline", told=UNJUDGED)
        assert loaded(beir, text) == (MEMORIES, CASES, 10)

    def test_packed_files_are_read(self, beir: Shell) -> None:
        for name, data in {"corpus": CORPUS, "queries": QUERIES}.items():
            (beir.path / f"nq/{name}.jsonl").unlink()
            beir.write(f"nq/{name}.jsonl.gz", gzip.compress(data.encode()))
        assert loaded(beir, converted(beir, "beir", "nq", "--inline", told=UNJUDGED))[:2] == (MEMORIES, CASES)

    @pytest.mark.parametrize("choice", [["--split", "dev"], ["--qrels", "nq/qrels/dev.tsv"]])
    def test_other_judgments_are_taken(self, beir: Shell, choice: list[str]) -> None:
        beir.write("nq/qrels/dev.tsv", "3 0 d1 1\n")
        assert "qrels: nq/qrels/dev.tsv" in converted(beir, "beir", "nq", *choice)
        told = "pytest-recall: 2 of 3 queries left out, without judgments: 1, 2\n"
        cases = loaded(beir, converted(beir, "beir", "nq", "--inline", *choice, told=told))[1]
        assert cases == (Case(id="3", query="who won?", relevant={"d1": 1.0}),)

    def test_missing_file_is_named(self, beir: Shell) -> None:
        beir.write("nq/qrels/train.tsv", QRELS)
        assert refused(beir, "beir", "nq", "--split", "dev") == (
            "nq: there is no qrels/dev.tsv in this folder; --split names another: test, train"
        )
        assert refused(beir, "beir", "nq", "--qrels", "x.tsv") == "x.tsv: there is no such file"
        assert refused(beir, "beir", "nq", "--qrels", "x.tsv", "--inline") == "x.tsv: there is no such file"
        (beir.path / "nq/corpus.jsonl").unlink()
        assert refused(beir, "beir", "nq") == "nq: there is no corpus.jsonl in this folder"

    def test_judgments_are_named_once(self, beir: Shell) -> None:
        assert refused(beir, "beir", "nq", "--split", "dev", "--qrels", "x.tsv") == (
            "--split and --qrels both name the judgments: leave one out"
        )

    def test_files_out_of_reach_are_not_named(self, beir: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        beir.write("tests/x", "")
        monkeypatch.chdir(beir.path / "tests")
        assert refused(beir, "beir", "../nq") == (
            "../nq/corpus.jsonl: a suite may only name files below the working directory; "
            "use --inline, or move the collection"
        )
        assert loaded(beir, converted(beir, "beir", "../nq", "--inline", told=UNJUDGED))[1] == CASES

    def test_what_is_not_relevant_may_be_missing_from_the_corpus(self, beir: Shell) -> None:
        beir.write("nq/qrels/test.tsv", QRELS + "1\tx1\t0\n2\tx2\t-1\n")
        told = (
            f"{UNJUDGED}pytest-recall: 1 negative grade written as 0: judged, and not relevant\n"
            "pytest-recall: 2 judgments left out, not relevant and not in the corpus\n"
        )
        assert loaded(beir, converted(beir, "beir", "nq", "--inline", told=told))[1] == CASES

    def test_judgment_of_no_document_makes_no_suite(self, beir: Shell) -> None:
        beir.write("nq/qrels/test.tsv", QRELS + "".join(f"3\tx{n}\t1\n" for n in range(12)))
        first, *lines, last = refused(beir, "beir", "nq", "--inline", "-o", "nq.eval.yaml").splitlines()
        assert first == "the collection makes no suite, and nothing is written:"
        assert lines == [f"cases[2].relevant (3): unknown memory 'x{n}'" for n in range(10)]
        assert last == "and 2 more mistakes"


FIXTURE = {
    "memories": [
        {"key": "new", "text": "Deploys run on Mondays.\n"},
        {"key": "old", "text": "", "valid_to": "2024-05-01T00:00:00Z", "superseded_by_key": "new"},
    ],
    "cases": [
        {"query": "when?", "relevant": ["new", "new"], "stale": ["old"], "family": "deploy", "kind": "date"},
        {"query": "when?", "relevant": [], "kind": "off-domain"},
    ],
}


class TestKimetsu:
    @pytest.mark.parametrize("file", ["fixture.json", "-"])
    def test_fixture_becomes_a_suite(self, shell: Shell, file: str) -> None:
        text = json.dumps(FIXTURE)
        shell.write("fixture.json", text)
        told = "pytest-recall: asked more than once, so their cases have ids with a number: when?\n"
        suite = loaded(shell, converted(shell, "kimetsu", file, "-k", "4", stdin=text, told=told))
        assert suite == (
            (
                Memory(id="new", text="Deploys run on Mondays.\n"),
                Memory(id="old", valid_to=datetime(2024, 5, 1, tzinfo=timezone.utc), superseded_by="new"),
            ),
            (
                Case(id="when?", query="when?", relevant={"new": 1.0}, stale=("old",), family="deploy", kind="date"),
                Case(id="when? (2)", query="when?", relevant={}, kind="off-domain"),
            ),
            4,
        )

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"cases": [{"query": "q"}]}, "fixture.json: cases[0]: relevant is missing"),
            (
                {"memories": [{"key": "a", "text": "", "valid_to": "May"}]},
                (
                    "valid_to of the memory 'a' must be an RFC 3339 date and time such as 2024-05-01T00:00:00Z, "
                    "got 'May'"
                ),
            ),
            (
                {"cases": [{"query": "q", "relevant": ["gnew"]}]},
                (
                    "fixture.json: the collection makes no suite, and nothing is written:\n"
                    "cases[0].relevant: unknown memory 'gnew' (did you mean 'new'?)"
                ),
            ),
        ],
    )
    def test_mistake_is_told(self, shell: Shell, change: dict[str, Any], message: str) -> None:
        shell.write("fixture.json", json.dumps({**FIXTURE, **change}))
        assert refused(shell, "kimetsu", "fixture.json") == message


class TestTrec:
    def test_queries_and_judgments_are_enough(self, shell: Shell) -> None:
        shell.write("qrels", "1 0 d1 1\n1 0 d2 0\n2 0 d1 -1\n2 0 d2 -2\n9 0 d1 1\n")
        shell.write("topics", "<top>\n<num> Number: 1\n<title> when?\n</top>\n<top><num>2<title>why?\n</top>")
        told = (
            "pytest-recall: judgments of 1 topic without a query left out: 9\n"
            "pytest-recall: 2 negative grades written as 0: judged, and not relevant\n"
        )
        text = converted(shell, "trec", "qrels", "topics", told=told)
        assert text == (
            'cases:\n  - {id: "1", query: "when?", relevant: {d1: 1, d2: 0}}\n'
            '  - {id: "2", query: "why?", relevant: {d1: 0, d2: 0}}\n'
        )
        memories, cases, _ = loaded(shell, text)
        assert memories == ()
        assert [case.relevant for case in cases] == [{"d1": 1, "d2": 0}, {"d1": 0, "d2": 0}]

    @pytest.mark.parametrize("piped", [None, "qrels", "queries", "corpus"])
    def test_corpus_becomes_memories_and_one_file_may_be_standard_input(self, shell: Shell, piped: str | None) -> None:
        texts = {"qrels": QRELS, "queries": QUERIES, "corpus": CORPUS}
        for name, text in texts.items():
            shell.write(name, text)
        qrels, queries, corpus = ("-" if name == piped else name for name in texts)
        stdin = texts[piped] if piped else ""
        text = converted(shell, "trec", qrels, queries, "--corpus", corpus, stdin=stdin, told=UNJUDGED)
        assert loaded(shell, text)[:2] == (MEMORIES, CASES)

    def test_two_files_can_not_be_standard_input(self, shell: Shell) -> None:
        assert refused(shell, "trec", "-", "-") == "only one of the files can be standard input"

    def test_collection_of_nothing_is_refused(self, shell: Shell) -> None:
        shell.write("qrels", "301 0 d1 1\n")
        shell.write("queries", "q1\twhen?\n")
        assert refused(shell, "trec", "qrels", "queries") == ("no query has a judgment: queries are q1, judged are 301")

    def test_mistake_is_told_with_its_file_and_line(self, shell: Shell) -> None:
        shell.write("qrels", "1 0 d1\n")
        shell.write("queries", "1\twhen?\n")
        assert refused(shell, "trec", "qrels", "queries").startswith(
            "qrels:1: must be 'topic iteration document grade'"
        )


class TestOutput:
    @pytest.fixture
    def collection(self, shell: Shell) -> tuple[str, ...]:
        shell.write("qrels", "1 0 d1 1\n")
        shell.write("queries", "1\twhen?\n")
        return "trec", "qrels", "queries", "-o", "notes.eval.yaml"

    TEXT = b'cases:\n  - {id: "1", query: "when?", relevant: [d1]}\n'

    def test_file_is_written_whole(self, shell: Shell, collection: tuple[str, ...]) -> None:
        assert converted(shell, *collection) == ""
        assert (shell.path / "notes.eval.yaml").read_bytes() == self.TEXT
        assert sorted(path.name for path in shell.path.iterdir()) == ["notes.eval.yaml", "qrels", "queries"]

    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_folder_is_none(self, shell: Shell, collection: tuple[str, ...], force: tuple[str, ...]) -> None:
        (shell.path / "notes.eval.yaml").mkdir()
        message = "notes.eval.yaml: a suite is a file, and this is a folder; name a file in it"
        assert shell.run("convert", *collection, *force) == (2, "", f"pytest-recall: {message}\n")

    def test_file_that_is_there_is_replaced_only_by_force(self, shell: Shell, collection: tuple[str, ...]) -> None:
        path = shell.write("notes.eval.yaml", "mine")
        message = "notes.eval.yaml: the file is there already; --force replaces it"
        assert refused(shell, *collection) == message
        assert path.read_text(encoding="utf-8") == "mine"
        converted(shell, *collection, "--force")
        assert path.read_bytes() == self.TEXT

    def test_file_stays_as_it_was_where_the_new_one_can_not_be_written(
        self, shell: Shell, collection: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = shell.write("notes.eval.yaml", "mine")

        def fail(self: Path, target: Path) -> None:
            raise OSError(28, "No space left on device", str(self), None, str(target))

        monkeypatch.setattr("pathlib.Path.replace", fail)
        message = "notes.eval.yaml: the file can't be written: no space left on device"
        assert refused(shell, *collection, "--force") == message
        assert path.read_text(encoding="utf-8") == "mine"

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
    def test_device_keeps_its_place(self, shell: Shell, collection: tuple[str, ...]) -> None:
        (shell.path / "notes.eval.yaml").symlink_to(os.devnull)
        message = "notes.eval.yaml: the file can't be written: this is a pipe or a device"
        assert refused(shell, *collection, "--force") == message
        assert Path(os.devnull).is_char_device()

    def test_folder_is_not_made(self, shell: Shell, collection: tuple[str, ...]) -> None:
        assert refused(shell, *collection[:-1], "no/notes.eval.yaml") == (
            "no/notes.eval.yaml: the file can't be written: no such file or directory"
        )

    def test_suite_is_not_written_under_the_name_of_a_json_file(
        self, shell: Shell, collection: tuple[str, ...]
    ) -> None:
        assert refused(shell, *collection[:-1], "notes.eval.json") == (
            "notes.eval.json: a suite is written as YAML; give it a name such as notes.eval.yaml"
        )

    def test_permissions_are_those_of_any_new_file(self, shell: Shell, collection: tuple[str, ...]) -> None:
        converted(shell, *collection)
        mode = stat.S_IMODE((shell.path / "notes.eval.yaml").stat().st_mode)
        assert mode == stat.S_IMODE(shell.write("other", "").stat().st_mode)

    @pytest.mark.parametrize("k", ["0", "-1", "1.5", "ten", "1000001"])
    def test_k_is_a_whole_number(self, shell: Shell, collection: tuple[str, ...], k: str) -> None:
        told = refused(shell, *collection, f"-k{k}")
        assert told.endswith(f"error: argument -k: must be a whole number from 1 to 1,000,000, got '{k}'")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("nq/qrels/test.tsv", QRELS + "1\tzz\t1\n", "nq/qrels/test.tsv:5: unknown memory 'zz'"),
        ("nq/qrels/test.tsv", QRELS + "q9\td1\t1\n", "nq/qrels/test.tsv:5: unknown query 'q9'"),
        ("nq/corpus.jsonl", "\0\n", "nq/corpus.jsonl:1"),
    ],
)
def test_a_suite_that_would_not_load_is_not_written(beir: Shell, name: str, text: str, told: str) -> None:
    beir.write(name, text)

    message = refused(beir, "beir", "nq", "-o", "nq.eval.yaml")

    assert message.startswith("the collection makes no suite, and nothing is written:\n")
    assert told in message


def test_a_suite_of_references_needs_its_folder(beir: Shell) -> None:
    message = refused(beir, "beir", "nq", "-o", "gone/nq.eval.yaml")

    assert message == "gone: the folder can't be written: No such file or directory"
