from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from pytest_recall.errors import FormatError
from pytest_recall.formats import files, iter_run, read_run, write_run
from tests.unit.formats.builders import NO_FIELD, NO_TOPIC, mistake, stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SHAPE = "must be 'topic Q0 document rank score tag', got {}"


@pytest.fixture(autouse=True, params=[1 << 16, 16], ids=["one block", "many blocks"])
def _block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK", request.param)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("q Q0 a 1 2 t\nq Q0 b 2 1 t\n", {"q": ["a", "b"]}, id="as ranked"),
        pytest.param("q Q0 a 2 1 t\nq Q0 b 1 2 t\n", {"q": ["b", "a"]}, id="by score, not by line"),
        pytest.param("q Q0 a 1 1 t\nq Q0 b 9 2 t\n", {"q": ["b", "a"]}, id="by score, not by rank"),
        pytest.param(
            "q Q0 9 1 1 t\nq Q0 10 2 1 t\nq Q0 b 3 1 t\n", {"q": ["b", "9", "10"]}, id="ties by id, descending"
        ),
        # As UTF-16 the second would be the smaller one.
        pytest.param(
            "q Q0 \uff5e 1 1 t\nq Q0 \U0001f600 2 1 t\n", {"q": ["\U0001f600", "\uff5e"]}, id="ties by UTF-8 bytes"
        ),
        # As 32-bit floats these two would tie, and b come first.
        pytest.param("q Q0 b 1 1 t\nq Q0 a 2 1.000000001 t\n", {"q": ["a", "b"]}, id="scores are doubles"),
        # As doubles these two tie.
        pytest.param(
            "q Q0 a 1 9007199254740993 t\nq Q0 b 2 9007199254740992 t\n", {"q": ["b", "a"]}, id="whole ones too"
        ),
        pytest.param("q Q0 a 1 -1e3 t\nq Q0 b 2 .5 t\nq Q0 c 3 +5. t\n", {"q": ["c", "b", "a"]}, id="any number"),
        pytest.param("q Q0 a 1 -0 t\nq Q0 b 2 0 t\n", {"q": ["b", "a"]}, id="zeros tie"),
        pytest.param("r Q0 a 1 2 t\nq Q0 a 1 2 t\n", {"r": ["a"], "q": ["a"]}, id="topics in file order"),
        pytest.param("q\tQ0\ta\t1\t  2\tt\nq Q0 b 2 1 t more words\n", {"q": ["a", "b"]}, id="six fields count"),
        pytest.param("# Q0 a 1 2 t\rq Q0\nq Q0 b 2 1 t more \r\r\n", {"q": ["b"]}, id="a bare CR parts no lines"),
        pytest.param("q\tQ0\ta\t1\t2\tt\nq\tQ0\tb\t2\t1\tt\n", {"q": ["a", "b"]}, id="tabs"),
        pytest.param("q Q0 a 1 2 t\r\nq Q0 b 2 1 t\r\n", {"q": ["a", "b"]}, id="lines of Windows"),
        pytest.param("q Q0 a 1 2 s\nq Q0 b 2 1 t\nr Q0 a 1 2 t\n", {"q": ["a", "b"], "r": ["a"]}, id="several tags"),
        pytest.param("q  Q0 a\v1 2 t\nq Q0\fb 2 1\rt\n", {"q": ["a", "b"]}, id="any blanks"),
        pytest.param("\n# of 2024\nq Q0 a 1 2 t\n \t\n #q Q0 b 2 1 t\nq Q0 c 3 0 t", {"q": ["a", "c"]}, id="comments"),
        pytest.param("q Q0 a 1 2 t\n#r Q0 b 2 1 t\nq Q0 c 3 0 t\n", {"q": ["a", "c"]}, id="a comment of six fields"),
        pytest.param("q Q0 a 1 3 t\nr Q0 a 1 3 t\nq Q0 b 1 4 t\n", {"q": ["b", "a"], "r": ["a"]}, id="scattered"),
        pytest.param(
            "q Q0 a\u2028b 1 2 t\nq Q0 c\x1dd 2 1 t\n", {"q": ["a\u2028b", "c\x1dd"]}, id="only ASCII blanks part"
        ),
        pytest.param("q Q0 a_1 1 2 t_1\n", {"q": ["a_1"]}, id="underscores in ids"),
        pytest.param("q Q0 \0 1 2 \0\n\0 Q0 a 1 2 t\n", {"q": ["\0"], "\0": ["a"]}, id="NUL is an id as any other"),
        pytest.param('{"q": ["b", "a"], "n": []}', {"q": ["b", "a"], "n": []}, id="json lists"),
        pytest.param('{"q": {"b": 1, "a": 1, "c": 2}}', {"q": ["c", "a", "b"]}, id="json: ties by id, ascending"),
    ],
)
def test_rankings(text: str, expected: dict[str, list[str]]) -> None:
    run = read_run(stream(text))
    assert run == expected
    assert [*run] == [*expected]


def test_topics_come_one_at_a_time() -> None:
    text = "q Q0 a 1 2 t\nq Q0 b 2 1 t\nr Q0 a 1 2 t\n"
    assert list(iter_run(stream(text))) == [("q", ["a", "b"]), ("r", ["a"])]


def test_scattered_topic_comes_again_when_it_is_whole() -> None:
    text = "q Q0 a 1 2 t\nr Q0 a 1 2 t\nq Q0 b 2 1 t\n"
    assert list(iter_run(stream(text))) == [("q", ["a"]), ("r", ["a"]), ("q", ["a", "b"])]


def test_file_is_closed_where_the_rest_is_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 2 t\nr Q0 a 1 2 t\n", encoding="utf-8")
    topics = iter_run(path)
    assert next(topics) == ("q", ["a"])
    topics.close()  # type: ignore[attr-defined]  # an open file would be a ResourceWarning, which is an error here


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "f: the file holds no results", id="empty"),
        pytest.param("# nothing\n", "f: the file holds no results", id="comments only"),
        pytest.param("{}", "f: the file holds no results", id="json without topics"),
        pytest.param("q Q0 a 1 2 t\nq Q0 b 2 1\n", "f:2: " + SHAPE.format("5 fields"), id="no tag"),
        pytest.param("\nq\n", "f:2: " + SHAPE.format("1 field"), id="one field"),
        pytest.param("q Q0 a 1 2\nq Q0 b 2 1 7 8\n", "f:1: " + SHAPE.format("5 fields"), id="one less and one more"),
        pytest.param(
            "\nQ0 a 1 2 t\nq Q0 b 2 1 t\n", "f:2: " + SHAPE.format("5 fields"), id="a blank line and one less"
        ),
        pytest.param("q Q0 a 1 2 t\nq Q0 b", "f:2: " + SHAPE.format("3 fields"), id="cut off"),
        pytest.param("q Q0 a 1 2 t \0\nQ0 b 1 2 t\n", "f:2: " + SHAPE.format("5 fields"), id="NUL is no end of a line"),
        pytest.param(
            "q Q0 a 1 2 t\r\nq Q0 b 2 1 t\rr Q0 a 1 2 t\r",
            "f:2: a line ends with LF or CR LF, and not with CR alone; save the file with LF",
            id="lines of old systems",
        ),
        pytest.param("q Q0 a  2 t\n", "f:1: " + SHAPE.format("5 fields"), id="two blanks are one"),
        pytest.param("q Q0 a 1 2 \nq Q0 b 2 1 t\n", "f:1: " + SHAPE.format("5 fields"), id="a blank is no tag"),
        pytest.param("q Q0 a 1 true t\n", "f:1: the score must be a finite number, got 'true'", id="true of JSON"),
        pytest.param("q Q0 a 1 3,2 t\n", "f:1: the score must be a finite number, got '3,2'", id="two numbers"),
        pytest.param("q Q0 a 1 high t\n", "f:1: the score must be a finite number, got 'high'", id="score is a word"),
        pytest.param("q Q0 a 1 nan t\n", "f:1: the score must be a finite number, got 'nan'", id="score is nan"),
        pytest.param(
            "q Q0 a 1 -Infinity t\n", "f:1: the score must be a finite number, got '-Infinity'", id="infinite"
        ),
        pytest.param("q Q0 a 1 1e999 t\n", "f:1: the score must be a finite number, got '1e999'", id="too large"),
        pytest.param("q Q0 a 1 1_0 t\n", "f:1: the score must be a finite number, got '1_0'", id="score of Python"),
        pytest.param("q Q0 a 1 १ t\n", "f:1: the score must be a finite number, got '१'", id="score in Hindi"),
        pytest.param(
            "q Q0 a 1 3 t\nq Q0 b 2 2 t\n\nq Q0 a 3 1 t\n",
            "f:4: document 'a' of topic 'q' is here twice, first on line 1",
            id="ranked twice",
        ),
        pytest.param(
            "q Q0 a 1 3 t\nr Q0 a 1 3 t\nq Q0 b 2 2 t\nr Q0 b 1 3 t\nq Q0 a 2 2 t\n",
            "f:5: document 'a' of topic 'q' is here twice, first on line 1",
            id="ranked twice, scattered",
        ),
        pytest.param(
            "q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 x t\n",
            "f:2: document 'a' of topic 'q' is here twice, first on line 1",
            id="the first of two mistakes",
        ),
        pytest.param(
            b"q Q0 a 1 2 t\nq Q0 \xe4 2 1 t\n", "f:2: not UTF-8: byte 0xe4; save the file as UTF-8", id="latin-1"
        ),
        pytest.param(b"\xe4 Q0 a 2 1 t\n", "f:1: not UTF-8: byte 0xe4; save the file as UTF-8", id="latin-1 topic"),
        pytest.param(
            '{"q": ["a", "a"]}', "f:1: topic 'q': 'a' is here twice, at ranks 1 and 2", id="json: ranked twice"
        ),
        pytest.param(
            '{"q": [1, "1"]}', "f:1: topic 'q': '1' is here twice, at ranks 1 and 2", id="json: once as a number"
        ),
        pytest.param(
            '{"q": ["a", null]}', "f:1: topic 'q': an id is text or a whole number, got null at rank 2", id="json: null"
        ),
        pytest.param(
            '{"q": [""]}',
            "f:1: topic 'q': an id is text or a whole number, got an empty text at rank 1",
            id="json: empty id",
        ),
        pytest.param(
            '{"q": 1}',
            "f:1: topic 'q': must be a list of ids or a mapping id -> number, got a number",
            id="json: number",
        ),
        pytest.param('{"q": {"a": null}}', "f:1: topic 'q': 'a' must have a number, got null", id="json: null score"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str | bytes, message: str) -> None:
    assert mistake(read_run, text) == message


def test_file_that_changed_while_it_was_read() -> None:
    class Mended(io.BytesIO):
        """Its lines, which are asked for when something is wrong, are right."""

        def __iter__(self) -> Mended:
            return Mended(b"q Q0 a 1 2 t\n")

    with pytest.raises(FormatError, match=r"^f: the file changed while it was read$"):
        read_run(Mended(b"q Q0 a 1 x t\n"), name="f")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q": ["a b"]}, f"the document 'a b' {NO_FIELD}"),
        ({"q\t": ["a"]}, f"the topic 'q\\t' {NO_FIELD}"),
        ({"q": ["\ud800"]}, f"the document '\\ud800' {NO_FIELD}"),
        ({"#": ["a"]}, f"the topic '#' {NO_TOPIC}"),
        ({"q": ["a", "b", "a"]}, "topic 'q': 'a' is here twice, at ranks 1 and 3"),
    ],
)
def test_what_a_run_file_can_not_hold(run: dict[str, Sequence[str]], message: str) -> None:
    with pytest.raises(FormatError) as raised:
        write_run(run, io.StringIO())
    assert str(raised.value) == f"<stream>: {message}"


def test_topic_without_results_has_no_line_and_the_tag_is_the_callers() -> None:
    target = io.StringIO()
    write_run({"q": ["a"], "n": []}, target, tag="bm25")
    assert target.getvalue() == "q Q0 a 1 1 bm25\n"
    with pytest.raises(FormatError, match=r"^<stream>: the tag 'my bm25' can't be written to a TREC file: "):
        write_run({"q": ["a"]}, target, tag="my bm25")
