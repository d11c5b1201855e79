from __future__ import annotations

import io
from typing import Any

import pytest

from pytest_recall.errors import FormatError
from pytest_recall.formats import read_qrels, write_beir_qrels, write_qrels
from pytest_recall.formats.qrels import lines_of_judgments
from tests.unit.formats.builders import NO_FIELD, NO_TOPIC, mistake, stream

BEIR = "query-id\tcorpus-id\tscore\n"
TREC_SHAPE = (
    "must be 'topic iteration document grade', got {}; "
    "BEIR qrels begin with the header 'query-id<tab>corpus-id<tab>score'"
)
BEIR_SHAPE = "must be 'query-id<tab>corpus-id<tab>score', got {}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("q2 0 b 1\nq1 0 a 0\nq2 0 a 2\n", {"q2": {"b": 1, "a": 2}, "q1": {"a": 0}}, id="trec"),
        pytest.param("\ufeffq 0 a 1\r\n", {"q": {"a": 1}}, id="trec with BOM and CRLF"),
        pytest.param("q\t0\ta\t1\n  q 0  b 2 \n", {"q": {"a": 1, "b": 2}}, id="any blanks"),
        pytest.param("# from the pool\n\nq 0 a 1\n \n#q 0 b 1\n", {"q": {"a": 1}}, id="comments and blank lines"),
        pytest.param("q 0 a -1\nq 0 b 0.25\nq 0 c +1e-2\n", {"q": {"a": -1, "b": 0.25, "c": 0.01}}, id="any number"),
        pytest.param(
            "q 0 a\u00a0b 1\nq 0 c\x1cd 1\n", {"q": {"a\u00a0b": 1, "c\x1cd": 1}}, id="only ASCII blanks part"
        ),
        pytest.param(BEIR + "q\ta\t1\nq\tb c\t0\n", {"q": {"a": 1, "b c": 0}}, id="beir"),
        pytest.param(
            "\ufeff" + f"{BEIR}q\ta\t1\n\n".replace("\n", "\r\n"), {"q": {"a": 1}}, id="beir with BOM and CRLF"
        ),
        pytest.param(BEIR + 'q\t"say ""a"""\t1\n', {"q": {'say "a"': 1}}, id="beir with quotes"),
        pytest.param('{"q": {"b": 2, "a": 0.5}, "n": {}}', {"q": {"b": 2, "a": 0.5}, "n": {}}, id="json"),
        pytest.param(' \n{"q": ["b", 7]}', {"q": {"b": 1, "7": 1}}, id="json lists"),
    ],
)
def test_format_is_told_by_content(text: str, expected: dict[str, dict[str, float]]) -> None:
    qrels = read_qrels(stream(text))
    assert qrels == expected
    assert [*qrels] == [*expected]
    assert [[*grades] for grades in qrels.values()] == [[*grades] for grades in expected.values()]
    assert all(type(grade) is float for grades in qrels.values() for grade in grades.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "f: the file holds no judgments", id="empty"),
        pytest.param("\n# nothing\n", "f: the file holds no judgments", id="comments only"),
        pytest.param(BEIR, "f: the file holds no judgments", id="header only"),
        pytest.param("{}", "f: the file holds no judgments", id="json without topics"),
        pytest.param("q 0 a 1\n\nq b 1\n", "f:3: " + TREC_SHAPE.format("3 fields"), id="too few fields"),
        pytest.param("q 0 a 1 x\n", "f:1: " + TREC_SHAPE.format("5 fields"), id="too many fields"),
        pytest.param("q\n", "f:1: " + TREC_SHAPE.format("1 field"), id="one field"),
        pytest.param("q 0 a high\n", "f:1: the grade must be a finite number, got 'high'", id="grade is a word"),
        pytest.param("q 0 a nan\n", "f:1: the grade must be a finite number, got 'nan'", id="grade is nan"),
        pytest.param("q 0 a inf\n", "f:1: the grade must be a finite number, got 'inf'", id="grade is inf"),
        pytest.param("q 0 a 1e999\n", "f:1: the grade must be a finite number, got '1e999'", id="grade too large"),
        pytest.param("q 0 a 1_0\n", "f:1: the grade must be a finite number, got '1_0'", id="grade of Python"),
        pytest.param("q 0 a 1\nq 0 b १\n", "f:2: the grade must be a finite number, got '१'", id="grade in Hindi"),
        pytest.param(
            "r 0 a 1\nq 0 a 1\n#\nq 0 a 1\n",
            "f:4: document 'a' of topic 'q' is here twice, first on line 2",
            id="judged twice",
        ),
        pytest.param(b"q 0 a 1\nq 0 \xe4 1\n", "f:2: not UTF-8: byte 0xe4; save the file as UTF-8", id="latin-1"),
        pytest.param("q 0 a 1\n".encode("utf-16"), "f:1: not UTF-8: byte 0xff; save the file as UTF-8", id="utf-16"),
        pytest.param(BEIR + "q\ta\n", "f:2: " + BEIR_SHAPE.format("'q<tab>a'"), id="beir: too few columns"),
        pytest.param(BEIR + "\nq a 1\n", "f:3: " + BEIR_SHAPE.format("'q a 1'"), id="beir: blanks for tabs"),
        pytest.param(BEIR + "q\t\t1\n", "f:2: " + BEIR_SHAPE.format("'q<tab><tab>1'"), id="beir: no corpus id"),
        pytest.param(BEIR + "q\ta\tx\n", "f:2: the grade must be a finite number, got 'x'", id="beir: no number"),
        pytest.param(
            BEIR + "q\ta\t1\nq\tb\t1\nq\ta\t0\n",
            "f:4: document 'a' of topic 'q' is here twice, first on line 2",
            id="beir: judged twice",
        ),
        pytest.param(
            BEIR + 'q\t"a\t1\n', "f:2: no valid tab-separated values: unexpected end of data", id="beir: open quote"
        ),
        pytest.param(
            '{"q": "a"}',
            "f:1: topic 'q': must be a list of ids or a mapping id -> number, got text",
            id="json: bare text",
        ),
        pytest.param('{"q": {"a": "1"}}', "f:1: topic 'q': 'a' must have a number, got text", id="json: grade is text"),
        pytest.param('{"q": {"a": true}}', "f:1: topic 'q': 'a' must have a number, got a boolean", id="json: boolean"),
        pytest.param('{"q": {"a": 1, "a": 2}}', "f:1: the key 'a' is here twice", id="json: judged twice"),
        pytest.param('{"q": {}, "q": {}}', "f:1: the key 'q' is here twice", id="json: topic twice"),
        pytest.param('{"q": {},\n"q": {}}', "f: the key 'q' is here twice", id="json: topic twice, on other lines"),
        pytest.param(
            '{"p": {"q": 1},\n"o": ["q"],\n"q": {"}": 1, "d": "1"}}',
            "f:3: topic 'q': 'd' must have a number, got text",
            id="json: on a later line",
        ),
        pytest.param(
            '{"q": ["a", "b", "a"]}', "f:1: topic 'q': 'a' is here twice, at ranks 1 and 3", id="json: listed twice"
        ),
    ],
)
def test_mistakes_are_told_with_their_line(text: str | bytes, message: str) -> None:
    assert mistake(read_qrels, text) == message


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"q 1": {"a": 1}}, f"the topic 'q 1' {NO_FIELD}"),
        ({"\ufeffq": {"a": 1}}, f"the topic '\\ufeffq' {NO_FIELD}"),
        ({"q": {"a\u00a0b": 1}}, f"the document 'a\\xa0b' {NO_FIELD}"),
        ({"q": {"": 1}}, f"the document '' {NO_FIELD}"),
        ({"#1": {"a": 1}}, f"the topic '#1' {NO_TOPIC}"),
        ({"{q}": {"a": 1}}, f"the topic '{{q}}' {NO_TOPIC}"),
        ({"q": {}}, "topic 'q' has no judgments, which only JSON can say"),
        ({"q": {"a": float("nan")}}, "the grade of document 'a' of topic 'q' must be a finite number, got nan"),
    ],
)
def test_what_trec_qrels_can_not_hold(qrels: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(FormatError) as raised:
        write_qrels(qrels, io.StringIO())
    assert str(raised.value) == f"<stream>: {message}"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"": {"a": 1}}, "the id '' can't be written to BEIR qrels: an id there is one line"),
        ({"q": {"a\r": 1}}, "the id 'a\\r' can't be written to BEIR qrels: an id there is one line"),
        ({"q": {}}, "topic 'q' has no judgments, which only JSON can say"),
        ({"q": {"a": float("inf")}}, "the grade of document 'a' of topic 'q' must be a finite number, got inf"),
    ],
)
def test_what_beir_qrels_can_not_hold(qrels: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(FormatError) as raised:
        write_beir_qrels(qrels, io.StringIO())
    assert str(raised.value) == f"<stream>: {message}"


def test_nothing_is_written_where_something_can_not_be() -> None:
    target = io.StringIO()
    qrels: dict[str, Any] = {"q": {"a": 1}, "r s": {"a": 1}}
    with pytest.raises(FormatError):
        write_qrels(qrels, target)
    assert target.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# pool\nq 0 a 1\n\nq 0 b 0\n", {("q", "a"): 2, ("q", "b"): 4}),
        (BEIR + "q\ta\t1\nr\ta\t1\n", {("q", "a"): 2, ("r", "a"): 3}),
        ('{"q": ["a"]}', {}),
    ],
    ids=["trec", "beir", "json"],
)
def test_line_of_each_judgment(text: str, expected: dict[tuple[str, str], int]) -> None:
    assert lines_of_judgments(stream(text)) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_beir_ids_have_no_longest(end: str) -> None:
    id = "d" * 200_000
    text = f"query-id\tcorpus-id\tscore{end}{end}q\t{id}\t1{end}"
    assert read_qrels(io.BytesIO(text.encode())) == {"q": {id: 1.0}}
