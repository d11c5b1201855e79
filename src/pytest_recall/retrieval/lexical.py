"""The built-in retriever: BM25 over the memories, by SQLite's FTS5."""

from __future__ import annotations

import re
import threading
import weakref
from typing import TYPE_CHECKING, Protocol

from pytest_recall.errors import RecallError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

__all__ = ["Indexable", "LexicalRetriever"]

# The tokenizer drops combining accents, so they must not end a run: a decomposed "résumé" is one word.
_RUN = re.compile(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")

# FTS5 parses one flat OR of n terms in n² steps, nested groups of this many in far fewer.
_TERMS_PER_GROUP = 256

_CREATE = "CREATE VIRTUAL TABLE memories USING fts5(body, content='', tokenize='porter unicode61')"
_INSERT = "INSERT INTO memories(rowid, body) VALUES (?, ?)"
_SEARCH = "SELECT rowid, bm25(memories) AS cost FROM memories WHERE memories MATCH ? ORDER BY cost, rowid LIMIT ?"


class Indexable(Protocol):
    """What a memory needs to be indexed."""

    @property
    def id(self) -> str:
        """What a result is named by."""

    @property
    def title(self) -> str:
        """Searched like the text; may be empty."""

    @property
    def text(self) -> str:
        """What is searched."""


class LexicalRetriever:
    """Keyword search over an index in memory, callable from any thread.

    Scores are FTS5's BM25 (k1 1.2, b 0.75) over title and text as one column, words stemmed by Porter. A word that half
    of the memories or more hold weighs next to nothing. Scripts written without blanks match only by whole runs.

    Raises:
        RecallError: SQLite was built without FTS5.

    >>> from pytest_recall import Memory
    >>> memories = [Memory(id="lease", text="the lease ends in May"), Memory(id="rent", text="the rent is due")]
    >>> [id for id, score in LexicalRetriever(memories).search("when does the lease end?", 5)]
    ['lease', 'rent']
    """

    def __init__(self, memories: Sequence[Indexable]) -> None:
        self._ids = tuple(memory.id for memory in memories)
        self._connection = _connect()
        self._lock = threading.Lock()
        # An index has no owner that could close it, and Python 3.13 warns of connections left open.
        weakref.finalize(self, self._connection.close)
        self._connection.executemany(_INSERT, ((row, _body(memory)) for row, memory in enumerate(memories)))

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best memories that share a word with the query, as (id, score).

        Args:
            query: any text; its distinct runs of letters and digits are looked for, whatever else it holds.
            k: results at most.

        Returns:
            Best first, higher scores are better, equal scores in file order; empty when nothing matches.
        """
        expression = _match(query)
        limit = min(k, len(self._ids))  # also keeps k within SQLite's integers
        if not expression or limit < 1:  # a negative LIMIT would mean all
            return []
        with self._lock:
            rows = self._connection.execute(_SEARCH, (expression, limit)).fetchall()
        return [(self._ids[row], -cost) for row, cost in rows]


def _connect() -> sqlite3.Connection:
    import sqlite3  # noqa: PLC0415 - only who uses this retriever pays for it

    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        connection.execute(_CREATE)
    except sqlite3.OperationalError as error:
        connection.close()
        raise RecallError(
            f"lexical_retriever needs SQLite with FTS5, and SQLite {sqlite3.sqlite_version} of this Python was built "
            "without it: use another Python or a retriever of your own"
        ) from error
    return connection


def _body(memory: Indexable) -> str:
    """Title and text as one text, the last word of one apart from the first of the other."""
    # SQLite takes UTF-8 only, which has no lone surrogates.
    return f"{memory.title}\n{memory.text}".encode("utf-8", "replace").decode("utf-8")


def _match(query: str) -> str:
    """The FTS5 expression of a query, empty when it has no letter or digit.

    Words are distinct as FTS5 sees them, whatever their case: each says its weight once.
    """
    terms = list(dict.fromkeys(f'"{run.lower()}"' for run in _RUN.findall(query)))
    return " OR ".join(f"({group})" for group in _groups(terms))


def _groups(terms: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(terms), _TERMS_PER_GROUP):
        yield " OR ".join(terms[start : start + _TERMS_PER_GROUP])
