from __future__ import annotations

import csv
import io
import json
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_recall.errors import FormatError
from pytest_recall.formats import (
    files,
    iter_run,
    read_jsonl,
    read_qrels,
    read_run,
    write_beir_qrels,
    write_qrels,
    write_run,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# What is no blank to anyone; a topic begins with no sign that means something else.
FIELDS = st.text(st.characters(exclude_categories=["Z", "C"], include_characters="#{\"'_\0"), min_size=1, max_size=4)
TOPICS = FIELDS.filter(lambda topic: not topic.startswith(("#", "{")))
# Python 3.10's csv refuses NUL.
IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), min_size=1, max_size=4)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
FINITE = st.floats(allow_nan=False, allow_infinity=False)

# Few ids and few scores, so that scores tie and topics are scattered.
SCORES = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 1 + 2**-40, 1e300]) | FINITE
LINES = st.lists(
    st.tuples(st.sampled_from(["q", "r", "s"]), TOPICS, SCORES, st.sampled_from([" ", "\t", "  "])),
    min_size=1,
    max_size=30,
    unique_by=lambda line: line[:2],
)

OBJECTS: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FINITE | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def grades(ids: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, float]]:
    return st.dictionaries(ids, FINITE | st.integers(-2, 4), min_size=1, max_size=4)


@given(qrels=st.dictionaries(TOPICS, grades(FIELDS), min_size=1, max_size=4))
def test_trec_qrels_are_read_as_they_were_written(qrels: dict[str, dict[str, float]]) -> None:
    target = io.StringIO()
    write_qrels(qrels, target)
    assert read_qrels(io.StringIO(target.getvalue())) == qrels


@given(qrels=st.dictionaries(IDS, grades(IDS), min_size=1, max_size=4))
def test_beir_qrels_are_read_as_they_were_written(qrels: dict[str, dict[str, float]]) -> None:
    target = io.StringIO()
    write_beir_qrels(qrels, target)
    assert read_qrels(io.StringIO(target.getvalue())) == qrels
    # BEIR's own way to read them.
    rows = list(csv.reader(io.StringIO(target.getvalue(), newline=""), delimiter="\t", quoting=csv.QUOTE_MINIMAL))
    assert [tuple(row[:2]) for row in rows[1:]] == [(topic, id) for topic, judged in qrels.items() for id in judged]


@given(run=st.dictionaries(TOPICS, st.lists(FIELDS, min_size=1, max_size=9, unique=True), min_size=1, max_size=4))
def test_runs_are_read_as_they_were_written(run: dict[str, list[str]]) -> None:
    target = io.StringIO()
    write_run(run, target)
    assert read_run(io.StringIO(target.getvalue())) == run
    assert list(iter_run(io.StringIO(target.getvalue()))) == list(run.items())


@given(lines=LINES, block=st.integers(1, 200))
def test_order_is_that_of_trec_eval(lines: list[tuple[str, str, float, str]], block: int) -> None:
    text = "".join(blank.join([topic, "Q0", id, "1", repr(score), "t"]) + "\n" for topic, id, score, blank in lines)
    expected: dict[str, list[tuple[float, bytes]]] = {}
    for topic, id, score, _ in lines:
        expected.setdefault(topic, []).append((score, id.encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK", block)
        run = read_run(io.StringIO(text))
    assert [*run] == [*expected]
    for topic, scored in expected.items():
        # One sort by id and a stable one by score, each descending.
        by_id = sorted(scored, key=lambda pair: pair[1], reverse=True)
        assert run[topic] == [id.decode() for _, id in sorted(by_id, key=lambda pair: -pair[0])]


# What files of lines are made of, right and wrong.
PIECES = [
    "q",
    "r",
    "Q0",
    "d1",
    "d2",
    "1",
    "-2.5",
    "nan",
    "1_0",
    "t",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "#",
    "\0",
    "\xe4",
    "\ufeff",
]
MESSES = st.lists(st.sampled_from([piece.encode() for piece in PIECES] + [b"\xff"]), max_size=60).map(b"".join)
LINE = st.tuples(
    st.sampled_from("qr"),
    st.sampled_from("abcd"),
    st.sampled_from(["1", "2.5", "x", "inf"]),
    st.sampled_from(["", "t", "t x"]),
)
NEARLY_RUNS = st.lists(LINE, max_size=9).map(
    lambda lines: "".join(f"{topic} Q0 {id} 1 {score} {tag}\n" for topic, id, score, tag in lines).encode()
)


def slowly_read_run(data: bytes) -> dict[str, list[str]] | None:
    """A run file read line by line, None where something is wrong with it."""
    scored: dict[bytes, dict[bytes, float]] = {}
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        if len(fields) < 6 or b"_" in fields[4] or fields[2] in scored.get(fields[0], {}):
            return None
        try:
            scored.setdefault(fields[0], {})[fields[2]] = score = float(fields[4])
        except ValueError:
            return None
        if not math.isfinite(score):
            return None
    try:
        return {
            topic.decode(): [id.decode() for id in sorted(found, key=lambda id: (found[id], id), reverse=True)]
            for topic, found in scored.items()
        } or None
    except UnicodeDecodeError:
        return None


@given(data=MESSES | NEARLY_RUNS, block=st.integers(1, 200))
def test_runs_are_read_as_line_by_line_and_every_mistake_is_told(data: bytes, block: int) -> None:
    expected = slowly_read_run(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK", block)
        if expected is not None:
            assert read_run(io.BytesIO(data)) == expected
        else:
            with pytest.raises(FormatError, match=r"^<stream>:") as raised:
                read_run(io.BytesIO(data))
            assert "changed" not in str(raised.value)


@pytest.mark.parametrize("read", [read_qrels, lambda source: list(read_jsonl(source))], ids=["qrels", "jsonl"])
@given(data=MESSES | st.binary(max_size=60))
def test_nothing_but_a_format_error_is_raised(read: Callable[[Any], Any], data: bytes) -> None:
    with suppress(FormatError):
        read(io.BytesIO(data))


@given(rows=st.lists(st.dictionaries(TEXTS, OBJECTS, max_size=4), min_size=1, max_size=4), escaped=st.booleans())
def test_json_lines_are_read_as_they_were_written(rows: list[dict[str, Any]], *, escaped: bool) -> None:
    text = "".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows)
    assert list(read_jsonl(io.StringIO(text))) == list(enumerate(rows, 1))


@given(row=st.dictionaries(TEXTS, OBJECTS, min_size=1, max_size=4), data=st.data(), escaped=st.booleans())
def test_repeated_key_is_refused_wherever_it_is(row: dict[str, Any], data: st.DataObject, *, escaped: bool) -> None:
    key = data.draw(st.sampled_from(sorted(row)))
    value = data.draw(OBJECTS)
    inner = json.dumps(row, ensure_ascii=escaped)[:-1] + f", {json.dumps(key)}: {json.dumps(value)}}}"
    line = data.draw(st.sampled_from(["{}", '{{"a": {}}}', '{{"b": [1, {}, "c"]}}'])).format(inner)
    with pytest.raises(FormatError, match=r"^<stream>:1: the key .* is here twice$"):
        list(read_jsonl(io.StringIO(line)))
