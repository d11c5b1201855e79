"""Relevance judgments: TREC and BEIR qrels, and JSON."""

from __future__ import annotations

import csv
import io
import re
from math import isfinite
from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.formats.fields import check_field, number, number_text
from pytest_recall.formats.files import opened, unwritable, write_text
from pytest_recall.formats.topics import read_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_recall.formats.files import File, Source, Target

__all__ = ["lines_of_judgments", "read_qrels", "write_beir_qrels", "write_qrels"]

BEIR_HEADER = ("query-id", "corpus-id", "score")

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_qrels(source: Source, *, name: str | None = None) -> dict[str, dict[str, float]]:
    r"""The judgments of a file: topic → document → grade, in file order.

    What the file holds is told by its content: TREC lines of ``topic iteration document grade``, where blank lines and
    those that begin with ``#`` count for nothing; BEIR's columns, tab-separated under ``query-id corpus-id score``; or
    JSON, ``{topic: {document: grade}}`` or ``{topic: [document]}`` with grade 1. A grade is any finite decimal number;
    a negative one is kept.

    Args:
        source: a path or an open stream, gzipped or not.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: the file can't be read, holds no judgments or something that is none, or judges a document twice.

    >>> import io
    >>> read_qrels(io.StringIO("q1 0 d1 2\nq1 0 d2 0\n"))
    {'q1': {'d1': 2.0, 'd2': 0.0}}
    """
    with opened(source, name) as file:
        qrels = _from_json(file) if file.first_byte() == b"{" else _from_lines(file)
        if not qrels:
            raise file.error("the file holds no judgments")
        return qrels


def lines_of_judgments(source: Source, *, name: str | None = None) -> dict[tuple[str, str], int]:
    """(topic, document) → line of a file that `read_qrels` reads; empty for JSON, where a line is not a judgment.

    Raises:
        FormatError: as `read_qrels`.
    """
    with opened(source, name) as file:
        if file.first_byte() == b"{":
            return {}
        rows = _rows(file.decode(file.read()), file)
        return {(topic, document): line for line, topic, document, _ in rows}


def _from_json(file: File) -> dict[str, dict[str, float]]:
    topics = read_topics(file)
    return {
        topic: dict.fromkeys(judged, 1.0) if isinstance(judged, list) else judged for topic, judged in topics.items()
    }


def _from_lines(file: File) -> dict[str, dict[str, float]]:
    text = file.decode(file.read())
    qrels: dict[str, dict[str, float]] = {}
    for line, topic, document, written in _rows(text, file):
        grades = qrels.setdefault(topic, {})
        if document in grades:
            first = next(row[0] for row in _rows(text, file) if row[1:3] == (topic, document))
            message = f"document {document!r:.80} of topic {topic!r:.80} is here twice, first on line {first}"
            raise file.error(message, line)
        grade = number(written)
        if grade is None:
            raise file.error(f"the grade must be a finite number, got {written!r:.80}", line)
        grades[document] = grade
    return qrels


def _rows(text: str, file: File) -> Iterator[tuple[int, str, str, str]]:
    """Line, topic, document and grade of each judgment."""
    is_beir = text.partition("\n")[0].split() == [*BEIR_HEADER]
    return _beir_rows(text, file) if is_beir else _trec_rows(text, file)


def _trec_rows(text: str, file: File) -> Iterator[tuple[int, str, str, str]]:
    for line, row in enumerate(text.encode().split(b"\n"), 1):
        # Text would also be split at blanks that only Unicode knows.
        fields = [field.decode() for field in row.split()]
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 4:
            raise file.error(
                f"must be 'topic iteration document grade', got {count(len(fields), 'field')}; "
                f"BEIR qrels begin with the header {'<tab>'.join(BEIR_HEADER)!r}",
                line,
            )
        yield line, fields[0], fields[2], fields[3]


def _beir_rows(text: str, file: File) -> Iterator[tuple[int, str, str, str]]:
    rows = _tab_separated(text, file)
    next(rows)
    for line, row in rows:
        if not row:
            continue
        if len(row) != len(BEIR_HEADER) or "" in row:
            raise file.error(f"must be {'<tab>'.join(BEIR_HEADER)!r}, got {'<tab>'.join(row)!r:.80}", line)
        yield line, row[0], row[1], row[2]


def _tab_separated(text: str, file: File) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of each row, none of a blank one."""
    if '"' not in text:
        # Few files quote a field; csv is slower, and refuses a long one.
        for line, row in enumerate(_LINE_END.split(text), 1):
            yield line, row.split("\t") if row else []
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise file.error(f"no valid tab-separated values: {error}", reader.line_num) from None


def write_qrels(qrels: Mapping[str, Mapping[str, float]], target: Target) -> None:
    r"""Write judgments as TREC qrels, which `read_qrels` reads back as they were.

    Raises:
        FormatError: an id holds a blank, a grade is not finite, a topic has no judgments, or the file can't be written.

    >>> import io
    >>> file = io.StringIO()
    >>> write_qrels({"q1": {"d1": 2}}, file)
    >>> file.getvalue()
    'q1 0 d1 2\n'
    """
    lines = []
    for topic, document, grade in _judgments(qrels, target):
        check_field(topic, "topic", target)
        check_field(document, "document", target)
        lines.append(f"{topic} 0 {document} {grade}\n")
    write_text("".join(lines), target)


def write_beir_qrels(qrels: Mapping[str, Mapping[str, float]], target: Target) -> None:
    """Write judgments as BEIR qrels, which `read_qrels` reads back as they were.

    Raises:
        FormatError: an id is empty or has several lines, a grade is not finite, a topic has no judgments, or the file
            can't be written.

    >>> import io
    >>> file = io.StringIO()
    >>> write_beir_qrels({"q1": {"d1": 2}}, file)
    >>> print(file.getvalue().expandtabs(4), end="")
    query-id    corpus-id   score
    q1  d1  2
    """
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter="\t", lineterminator="\n")
    writer.writerow(BEIR_HEADER)
    for row in _judgments(qrels, target):
        for id in row[:2]:
            # Before Python 3.11 csv knows no NUL.
            if not id or not set(id).isdisjoint("\n\r\0"):
                raise unwritable(target, f"the id {id!r:.80} can't be written to BEIR qrels: an id there is one line")
        writer.writerow(row)
    write_text(table.getvalue(), target)


def _judgments(qrels: Mapping[str, Mapping[str, float]], target: Target) -> Iterator[tuple[str, str, str]]:
    """Topic, document and grade of each judgment."""
    for topic, grades in qrels.items():
        if not grades:
            raise unwritable(target, f"topic {topic!r:.80} has no judgments, which only JSON can say")
        for document, grade in grades.items():
            if not isfinite(grade):
                judged = f"the grade of document {document!r:.80} of topic {topic!r:.80}"
                raise unwritable(target, f"{judged} must be a finite number, got {grade!r}")
            yield topic, document, number_text(grade)
