from __future__ import annotations

import gc
import math
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, NoReturn

import pytest

from pytest_recall.errors import RecallError
from pytest_recall.retrieval.lexical import LexicalRetriever


class Note(NamedTuple):
    id: str
    text: str
    title: str = ""


def over(*texts: str) -> LexicalRetriever:
    """A retriever over texts with the ids "0", "1", …"""
    return LexicalRetriever([Note(str(number), text) for number, text in enumerate(texts)])


def found(retriever: LexicalRetriever, query: str, k: int = 10) -> list[str]:
    return [identifier for identifier, _ in retriever.search(query, k)]


BIRDS = ("red owl", "grey heron", "red fox", "old elk", "wild boar")


def test_score_is_bm25_with_the_sign_turned() -> None:
    # 5 memories, all 2 words long; 1 holds heron: ln((5 - 1 + 0.5) / (1 + 0.5)) = ln 3, tf part 1 · 2.2 / (1 + 1.2) = 1
    # 2 hold red: ln((5 - 2 + 0.5) / (2 + 0.5)) = ln 1.4
    assert dict(over(*BIRDS).search("heron", 10)) == pytest.approx({"1": math.log(3)})
    assert dict(over(*BIRDS).search("fox, red", 10)) == pytest.approx(
        {"2": math.log(3) + math.log(1.4), "0": math.log(1.4)}
    )


def test_best_comes_first() -> None:
    assert found(over(*BIRDS), "a heron, a red fox") == ["2", "1", "0"]


def test_shorter_memory_ranks_above_longer_with_the_same_word() -> None:
    assert found(over("owl in a very old oak", "owl", "elk", "fox", "boar"), "owl") == ["1", "0"]


def test_ties_keep_file_order() -> None:
    notes = [Note("z", "same words"), Note("other", "elk"), Note("a", "same words"), Note("m", "words, same!")]
    retriever = LexicalRetriever(notes)
    assert found(retriever, "same") == ["z", "a", "m"]
    assert found(retriever, "same", k=2) == ["z", "a"]


def test_word_in_every_memory_still_finds_them_all() -> None:
    assert found(over("owl", "owl", "owl"), "owl") == ["0", "1", "2"]


def test_title_and_text_are_one_text() -> None:
    retriever = LexicalRetriever(
        [Note("title", "", "red owl"), Note("text", "red owl"), Note("both", "owl", "red"), Note("x", "elk in fog")]
    )
    scores = dict(retriever.search("owl red", 10))
    assert list(scores) == ["title", "text", "both"]
    assert len(set(scores.values())) == 1


def test_last_word_of_title_and_first_of_text_stay_two_words() -> None:
    retriever = LexicalRetriever([Note("a", "call rota", "on"), Note("b", "elk"), Note("c", "fox")])
    assert found(retriever, "call") == ["a"]
    assert found(retriever, "oncall") == []


def test_words_are_stemmed() -> None:
    assert found(over("expense claims", "an old elk"), "claiming expenses") == ["0"]


def test_repeated_words_weigh_once() -> None:
    retriever = over(*BIRDS)
    assert retriever.search("red Heron RED red", 10) == retriever.search("red heron", 10)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("elk NOT heron", ["1", "3"]),
        ("elk AND heron", ["1", "3"]),
        ("NEAR(heron elk, 0)", ["1", "3"]),
        ('"heron elk"', ["1", "3"]),
        ('heron"elk', ["1", "3"]),
        ("body:heron", ["1"]),
        ("-heron", ["1"]),
        ("^heron", ["1"]),
        ("her*", []),
        ("heron_elk", ["1", "3"]),
        ("heron'; DROP TABLE memories; --", ["1"]),
        ("{heron} + (elk", ["1", "3"]),
    ],
)
def test_query_syntax_is_plain_text(query: str, expected: list[str]) -> None:
    assert found(over(*BIRDS), query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "",
        " \t\r\n",
        '"',
        '""',
        "*",
        "()",
        "?!…",
        "AND",
        "OR NOT",
        "\0",
        "\ud800",
        "\udcff\ud800",
        "\u0301",
        "²",
        "\U0001f989",
    ],
)
def test_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert found(over(*BIRDS), query) == []


@pytest.mark.parametrize(
    "query",
    [
        "heron\0",
        "\0heron",
        "\ud800heron\udfff",
        "\u200bheron\u2028",
        "heron\U0001f989",
        "² heron",
        "\ue000 heron",
    ],
)
def test_word_among_odd_characters_is_found(query: str) -> None:
    assert found(over(*BIRDS), query) == ["1"]


@pytest.mark.parametrize(
    "query",
    [
        "x" * 1_000_000 + " heron",
        "heron " * 166_667,
        '"' * 1_000_000 + "heron",
        "\0\ud800" * 500_000 + "heron",
        "a" + "\u0301\u0316" * 500_000 + " heron",
        " ".join(f"w{number}" for number in range(145_000)) + " heron",
    ],
    ids=["one word", "one word often", "quotes", "no text", "accents", "many words"],
)
def test_query_of_a_megabyte_is_legal(query: str) -> None:
    assert found(over(*BIRDS), query) == ["1"]


def test_words_of_a_long_query_count_as_one_disjunction() -> None:
    filler = [f"w{number}" for number in range(2_000)]
    retriever = over(*BIRDS)
    assert retriever.search(" ".join(["red", *filler, "fox"]), 10) == retriever.search("red fox", 10)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Überstunden", "ÜBERSTUNDEN"),
        ("résumé", "resume"),
        ("re\u0301sume\u0301", "r\u00e9sum\u00e9"),
        ("r\u00e9sum\u00e9", "re\u0301sume\u0301"),
        ("İstanbul", "istanbul"),
        ("Istanbul", "İSTANBUL"),
        ("отпуск", "ОТПУСК"),
        ("有給休暇", "有給休暇"),
        ("٢٠٢٤", "٢٠٢٤"),
        ("हिन्दी", "हिन्दी"),
        ("room 4a", "4A"),
        ("read_text_file", "text"),
        ("before\0after", "after"),
        ("\ud800owl", "owl"),
    ],
)
def test_text_of_any_script_is_found(text: str, query: str) -> None:
    assert found(over("nothing here", text, "nor here"), query) == ["1"]


@pytest.mark.parametrize(
    ("k", "expected"), [(-1, []), (0, []), (1, ["2"]), (2, ["2", "0"]), (3, ["2", "0"]), (2**70, ["2", "0"])]
)
def test_k_bounds_the_results(k: int, expected: list[str]) -> None:
    assert found(over(*BIRDS), "red fox", k) == expected


def test_no_memories_find_nothing() -> None:
    assert LexicalRetriever([]).search("owl", 10) == []


def test_threads_get_their_own_results() -> None:
    retriever = over(*(f"word{number} common" for number in range(50)))
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda number: found(retriever, f"word{number}"), [*range(50)] * 8)
    assert list(results) == [[str(number)] for number in range(50)] * 8


def test_index_is_closed_with_its_retriever(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def recording(database: str, *, check_same_thread: bool) -> sqlite3.Connection:
        opened.append(connect(database, check_same_thread=check_same_thread))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", recording)
    retriever = over("owl")
    del retriever
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        opened[0].execute("SELECT 1")


def test_sqlite_without_fts5_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class WithoutFts5(sqlite3.Connection):
        def execute(self, *_: object) -> NoReturn:
            raise sqlite3.OperationalError("no such module: fts5")

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.8.0")
    monkeypatch.setattr(sqlite3, "connect", lambda name, **options: connect(name, **options, factory=WithoutFts5))
    with pytest.raises(RecallError) as raised:
        over("owl")
    assert str(raised.value) == (
        "lexical_retriever needs SQLite with FTS5, and SQLite 3.8.0 of this Python was built without it: "
        "use another Python or a retriever of your own"
    )


@pytest.mark.usefixtures("unmeasured")
def test_import_leaves_sqlite3_alone() -> None:
    program = "import sys, pytest_recall.retrieval.lexical; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
