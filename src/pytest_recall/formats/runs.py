"""Runs: what a system returned for each topic, as TREC run files and JSON."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby
from math import isfinite
from operator import gt, itemgetter
from typing import TYPE_CHECKING

import orjson

from pytest_recall._text import count
from pytest_recall.formats.fields import check_field, number
from pytest_recall.formats.files import opened, unwritable, write_text
from pytest_recall.formats.topics import read_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_recall.errors import FormatError
    from pytest_recall.formats.files import File, Source, Target

__all__ = ["iter_encoded_run", "iter_run", "read_run", "write_run"]

FIELDS = 6
"""Topic, Q0, document, rank, score and tag; whatever follows them on a line counts for nothing."""

_NUMERIC = b"0123456789.eE+-"

# Besides the line feed.
_BLANKS = (b" ", b"\t", b"\r", b"\v", b"\f")

# Every whole number up to here is a double.
_WHOLE = 2**53

_BLANKS_A_LINE = FIELDS - 1

_Part = tuple[bytes, list[bytes], list[bytes]]
"""A topic, and the documents and scores of some of its lines."""

_Ranking = tuple[bytes, list[bytes], set[bytes]]
"""A topic and its ids, best first, and as a set."""


def read_run(source: Source, *, name: str | None = None) -> dict[str, list[str]]:
    r"""The rankings of a file: topic → ids, best first, topics in the order in which they first appear.

    What the file holds is told by its content. TREC lines of ``topic Q0 document rank score tag`` are ranked as
    trec_eval 10 does, by score descending as doubles, then by id descending in byte order; the rank column and the
    order of the lines count for nothing, nor do blank lines and those that begin with ``#``. JSON is ``{topic: [id]}``,
    best first, or ``{topic: {id: score}}``, ranked by score descending, then by id ascending.

    Args:
        source: a path or an open stream, gzipped or not.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: the file can't be read, holds no results or something that is none, or ranks a document twice.

    >>> import io
    >>> read_run(io.StringIO("q1 Q0 d1 1 0.4 mine\nq1 Q0 d2 2 0.9 mine\n"))
    {'q1': ['d2', 'd1']}
    """
    return dict(iter_run(source, name=name))


def iter_run(source: Source, *, name: str | None = None) -> Iterator[tuple[str, list[str]]]:
    r"""The rankings of a file one at a time, in little memory where the lines of a topic stand together.

    Where they do not, what is known of such a topic is yielded first, and again when it is whole, at the end: as in a
    dict, the last ranking of a topic counts. Everything else is as `read_run` says.

    >>> import io
    >>> [*iter_run(io.StringIO("q1 Q0 d2 1 0.9 mine\nq1 Q0 d1 2 0.4 mine\n"))]
    [('q1', ['d2', 'd1'])]
    """
    for topic, ids, _ in iter_encoded_run(source, name=name):
        # No id holds a line feed, and one decoding is faster than many.
        yield topic.decode(), b"\n".join(ids).decode().split("\n") if ids else []


def iter_encoded_run(source: Source, *, name: str | None = None) -> Iterator[_Ranking]:
    """As `iter_run`, topics and ids in UTF-8 as they stand in the file, for whoever needs few of them.

    The ids come as a set too, which was made to find a repeated one.
    """
    with opened(source, name) as file:
        first = file.first_byte()
        if first == b"{":
            for topic, ids in _json_rankings(file):
                encoded = [id.encode() for id in ids]
                yield topic.encode(), encoded, set(encoded)
            return
        scattered: set[bytes] = set()
        try:
            yield from _trec_rankings(file, scattered)
        except ValueError:
            if first == b"[":
                raise file.error("JSON results are an object such as {topic: [id]}, not a list") from None
            # Only now is it worth knowing on which line.
            raise _first_mistake(file, scattered) from None


def _json_rankings(file: File) -> Iterator[tuple[str, list[str]]]:
    topics = read_topics(file)
    if not topics:
        raise file.error("the file holds no results")
    for topic, found in topics.items():
        yield topic, found if isinstance(found, list) else sorted(found, key=lambda id: (-found[id], id))


def _trec_rankings(file: File, scattered: set[bytes]) -> Iterator[_Ranking]:
    """The ranking of each topic; those that come in several stretches are noted, and follow at the end."""
    seen: set[bytes] = set()
    for topic, documents, scores in _stretches(file):
        if topic in seen:
            scattered.add(topic)
        else:
            topic.decode()  # raises where it is not UTF-8
            seen.add(topic)
            yield topic, *_ranked(documents, scores)
    if not seen:
        raise file.error("the file holds no results")
    if scattered:
        whole: dict[bytes, tuple[list[bytes], list[bytes]]] = {topic: ([], []) for topic in scattered}
        for topic, documents, scores in _parts(file):
            if topic in whole:
                whole[topic][0].extend(documents)
                whole[topic][1].extend(scores)
        for topic, (documents, scores) in whole.items():
            yield topic, *_ranked(documents, scores)


def _stretches(file: File) -> Iterator[_Part]:
    """The lines that stand together, from one block to the next."""
    current, documents, scores = b"", list[bytes](), list[bytes]()
    for topic, its_documents, its_scores in _parts(file):
        if topic == current:
            documents += its_documents
            scores += its_scores
        else:
            if documents:
                yield current, documents, scores
            current, documents, scores = topic, its_documents, its_scores
    if documents:
        yield current, documents, scores


def _parts(file: File) -> Iterator[_Part]:
    """The lines of each topic in each block, without comments.

    Raises:
        ValueError: a line has too few fields or is several that end with CR, or an id is not UTF-8.
    """
    for block in file.blocks():
        all_ascii = block.isascii()
        for topic, documents, scores in _plain_parts(block) or _parts_of_lines(block):
            if not topic.startswith(b"#"):
                if not all_ascii:
                    b"".join(documents).decode()  # raises where one is not
                yield topic, documents, scores


def _plain_parts(block: bytes) -> list[_Part]:
    """The parts of a block as programs write it: six fields a line with one blank in between; none for any other.

    Split at its blanks alone, a line's tag and the next line's topic are one field, which is the same from line to line
    of a topic. So little is made of each line, and one look at these fields finds the topics and sees that each line
    has its six.
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if not block.endswith(b"\n"):
        block += b"\n"
    blank = b"\t" if b"\t" in block else b" "
    if blank * 2 in block or any(other in block for other in _BLANKS if other != blank):
        return []
    fields = block.split(blank)
    # Several times as fast as count().
    lines = len(block) - len(block.replace(b"\n", b""))
    if len(fields) != lines * _BLANKS_A_LINE + 1:
        return []
    breaks = fields[_BLANKS_A_LINE::_BLANKS_A_LINE]
    parts, start, topic = [], 0, fields[0]
    while start < lines:
        tag, _, _ = breaks[start].partition(b"\n")
        same = tag + b"\n" + topic
        # Where the lines of a topic stand together, halving finds the last of them.
        last = bisect_left(breaks, x=True, lo=start, hi=lines - 1, key=same.__ne__)
        last_tag, newline, following = breaks[last].partition(b"\n")
        if not (tag and topic and last_tag and newline) or breaks[start:last].count(same) != last - start:
            return []
        begin, end = start * _BLANKS_A_LINE, (last + 1) * _BLANKS_A_LINE
        parts.append((topic, fields[begin + 2 : end : _BLANKS_A_LINE], fields[begin + 4 : end : _BLANKS_A_LINE]))
        start, topic = last + 1, following
    # As many line feeds as lines, and one in each break: there is none in any other field.
    return parts


def _parts_of_lines(block: bytes) -> list[_Part]:
    """The parts of any block, line by line."""
    lines = block.split(b"\n")
    rows = [row for row in map(_fields, lines) if row]
    if any(len(row) < FIELDS for row in rows) or (b"\r" in block and any(map(_is_several, lines))):
        raise ValueError
    parts = []
    for topic, its in groupby(rows, itemgetter(0)):
        some = [*its]
        parts.append((topic, [row[2] for row in some], [row[4] for row in some]))
    return parts


def _fields(line: bytes) -> list[bytes]:
    """The fields of a line, none when it is blank or a comment; what follows the sixth is one more."""
    fields = line.split(None, FIELDS)
    return [] if fields and fields[0].startswith(b"#") else fields


def _is_several(line: bytes) -> bool:
    """Whether a line has more than six fields and a bare CR, which ended lines on old systems."""
    return b"\r" in line.rstrip() and len(_fields(line)) > FIELDS


def _ranked(ids: list[bytes], written: list[bytes]) -> tuple[list[bytes], set[bytes]]:
    """The ids of one topic as trec_eval 10 ranks them, and as a set.

    Raises:
        ValueError: an id is here twice, or a score is no finite number.
    """
    unique = set(ids)
    if len(unique) != len(ids):
        raise ValueError
    if _are_falling(written):
        return ids, unique
    scores = list(map(float, written))
    # float() takes 1_000, nan and infinity for numbers too.
    if b"".join(written).translate(None, _NUMERIC) or not all(map(isfinite, scores)):
        raise ValueError
    # The order of code points is that of UTF-8 bytes.
    return [id for _, id in sorted(zip(scores, ids, strict=True), reverse=True)], unique


def _are_falling(written: list[bytes]) -> bool:
    """Whether these are numbers of JSON, each below the one before, as most runs have them; false of very large ones.

    Read as one list of JSON they take half the time.
    """
    joined = b",".join(written)
    if joined.translate(None, _NUMERIC + b","):
        return False
    try:
        scores: list[float] = orjson.loads(b"[" + joined + b"]")
    except ValueError:
        return False
    # Up to here a whole number is the same as a double.
    exact = len(scores) == len(written) and scores[-1] >= -_WHOLE and scores[0] <= _WHOLE
    return exact and all(map(gt, scores, scores[1:]))


def _first_mistake(file: File, scattered: set[bytes]) -> FormatError:
    """The first mistake of a file that is known to hold one.

    Args:
        file: a TREC run.
        scattered: topics whose lines do not stand together, as far as that is known.
    """
    current = b""
    lines: dict[bytes, int] = {}
    whole: dict[bytes, dict[bytes, int]] = {topic: {} for topic in scattered}
    for line, row in file.lines():
        fields = _fields(row)
        if not fields:
            continue
        if _is_several(row):
            return file.error("a line ends with LF or CR LF, and not with CR alone; save the file with LF", line)
        if len(fields) < FIELDS:
            got = count(len(fields), "field")
            return file.error(f"must be 'topic Q0 document rank score tag', got {got}", line)
        topic, document, score = (file.decode(fields[column], line) for column in (0, 2, 4))
        if number(score) is None:
            return file.error(f"the score must be a finite number, got {score!r:.80}", line)
        if fields[0] != current:
            current, lines = fields[0], whole.get(fields[0], {})
        first = lines.setdefault(fields[2], line)
        if first != line:
            message = f"document {document!r:.80} of topic {topic!r:.80} is here twice, first on line {first}"
            return file.error(message, line)
    return file.error("the file changed while it was read")


def write_run(run: Mapping[str, Sequence[str]], target: Target, *, tag: str = "pytest-recall") -> None:
    """Write rankings as a TREC run file, which `read_run` and trec_eval rank as they are.

    Scores are whole numbers that fall to 1. A topic for which nothing came back has no line.

    Args:
        run: topic → ids, best first.
        target: a path or an open text stream.
        tag: names the system.

    Raises:
        FormatError: an id holds a blank or is here twice, or the file can't be written.

    >>> import io
    >>> file = io.StringIO()
    >>> write_run({"q1": ["d2", "d1"]}, file, tag="mine")
    >>> print(file.getvalue(), end="")
    q1 Q0 d2 1 2 mine
    q1 Q0 d1 2 1 mine
    """
    check_field(tag, "tag", target)
    lines = []
    for topic, ids in run.items():
        check_field(topic, "topic", target)
        ranks: dict[str, int] = {}
        for rank, id in enumerate(ids, 1):
            check_field(id, "document", target)
            first = ranks.setdefault(id, rank)
            if first != rank:
                raise unwritable(target, f"topic {topic!r:.80}: {id!r:.80} is here twice, at ranks {first} and {rank}")
            lines.append(f"{topic} Q0 {id} {rank} {len(ids) - rank + 1} {tag}\n")
    write_text("".join(lines), target)
