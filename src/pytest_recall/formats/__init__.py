"""Other people's files: queries, judgments and rankings as TREC, BEIR, JSON and JSON lines hold them.

A source is a path or an open stream, binary or text, gzipped or not; a UTF-8 byte order mark and CRLF are accepted.
Whatever is wrong with a file is a `FormatError` that names the file and the line.
"""

from __future__ import annotations

from pytest_recall.formats.collections import Document, read_documents, read_queries
from pytest_recall.formats.files import Source, Target
from pytest_recall.formats.jsonl import read_jsonl
from pytest_recall.formats.qrels import read_qrels, write_beir_qrels, write_qrels
from pytest_recall.formats.runs import iter_run, read_run, write_run

__all__ = [
    "Document",
    "Source",
    "Target",
    "iter_run",
    "read_documents",
    "read_jsonl",
    "read_qrels",
    "read_queries",
    "read_run",
    "write_beir_qrels",
    "write_qrels",
    "write_run",
]
