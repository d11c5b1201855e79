from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import FormatError, Problem
from pytest_recall.formats import read_jsonl, read_qrels, read_run, write_beir_qrels, write_qrels, write_run

if TYPE_CHECKING:
    from collections.abc import Callable

READERS = [read_qrels, read_run, lambda source: list(read_jsonl(source))]

RUN = "q1 Q0 a 1 2.5 tag\nq1 Q0 b 2 1.5 tag\nq2 Q0 ä 1 0.5 tag\n"
RANKINGS = {"q1": ["a", "b"], "q2": ["ä"]}


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def error_of(read: Callable[..., Any], *args: Any) -> str:
    with pytest.raises(FormatError) as raised:
        read(*args)
    return str(raised.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(RUN.encode(), id="as is"),
        pytest.param(RUN.encode("utf-8-sig"), id="BOM"),
        pytest.param(RUN.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(RUN.rstrip().encode(), id="last line not ended"),
        pytest.param(gzip.compress(RUN.encode("utf-8-sig")), id="gzipped"),
    ],
)
def test_path_and_streams_give_the_same(data: bytes) -> None:
    Path("run.txt").write_bytes(data)
    assert read_run("run.txt") == RANKINGS
    assert read_run(Path("run.txt")) == RANKINGS
    assert read_run(io.BytesIO(data)) == RANKINGS
    with Path("run.txt").open("rb") as file:
        assert read_run(file) == RANKINGS
        assert not file.closed


def test_text_stream() -> None:
    assert read_run(io.StringIO(RUN)) == RANKINGS


def test_text_stream_with_half_a_surrogate_pair() -> None:
    message = error_of(read_run, io.StringIO("q Q0 a 1 2 t\nq Q0 \ud800 2 1 t\n"))
    assert message == "<stream>:2: not UTF-8: byte 0xed; save the file as UTF-8"


def test_stream_is_read_from_where_it_stands() -> None:
    stream = io.BytesIO(b"header\n" + RUN.encode())
    stream.readline()
    assert read_run(stream) == RANKINGS


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_pipe(pack: Callable[[bytes], bytes]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as end:
        end.write(pack(RUN.encode()))
    with os.fdopen(reading, "rb") as pipe:
        assert read_run(pipe) == RANKINGS


@pytest.mark.parametrize("read", READERS)
def test_missing_file(read: Callable[[str], Any]) -> None:
    assert error_of(read, "f.txt") == "f.txt: there is no such file"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such devices")
@pytest.mark.parametrize("read", READERS)
def test_device(read: Callable[[str], Any]) -> None:
    assert error_of(read, "/dev/zero") == "/dev/zero: must be a file, and this is a device"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to open a directory as it refuses what is locked")
@pytest.mark.parametrize("read", READERS)
def test_directory(read: Callable[[str], Any]) -> None:
    Path("f.txt").mkdir()
    assert error_of(read, "f.txt") == "f.txt: must be a file, and this is a directory"


@pytest.mark.parametrize("read", READERS)
def test_no_permission(read: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path, *__: Any, **___: Any) -> IO[bytes]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert error_of(read, "f.txt") == "f.txt: the file can't be read: permission denied"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-12], id="cut off"),
        pytest.param(lambda data: data[:12] + b"\xff" * 8 + data[20:], id="overwritten"),
        pytest.param(lambda data: data + b"more", id="with something after it"),
    ],
)
def test_damaged_gzip(read: Callable[[str], Any], damage: Callable[[bytes], bytes]) -> None:
    whole = json.dumps({"q": {f"a{number}": number for number in range(99)}})
    Path("f.gz").write_bytes(damage(gzip.compress(whole.encode())))
    assert error_of(read, "f.gz") == "f.gz: the gzipped file is damaged or cut off"


def test_what_a_file_is_called() -> None:
    assert error_of(read_qrels, io.BytesIO()) == "<stream>: the file holds no judgments"
    Path("f.txt").touch()
    with Path("f.txt").open("rb") as file:
        assert error_of(read_qrels, file) == "f.txt: the file holds no judgments"
    with pytest.raises(FormatError, match=r"^qrels/test.tsv: the file holds no judgments$"):
        read_qrels("f.txt", name="qrels/test.tsv")


def test_error_keeps_its_place_when_it_is_pickled() -> None:
    error = pickle.loads(pickle.dumps(FormatError(Problem(path="f", line=3, message="wrong"))))  # noqa: S301 - our own
    assert str(error) == "f:3: wrong"
    assert error.problem == Problem(path="f", line=3, message="wrong")


WRITERS: list[tuple[Callable[..., None], Any, str]] = [
    (write_run, {"q": ["ä", "b"]}, "q Q0 ä 1 2 pytest-recall\nq Q0 b 2 1 pytest-recall\n"),
    (write_qrels, {"q": {"ä": 2, "b": -0.5}}, "q 0 ä 2\nq 0 b -0.5\n"),
    (write_beir_qrels, {"q": {"ä": 2, "b": 0}}, "query-id\tcorpus-id\tscore\nq\tä\t2\nq\tb\t0\n"),
]


@pytest.mark.parametrize(("write", "value", "text"), WRITERS)
def test_written_as_utf8_with_line_feeds(write: Callable[..., None], value: Any, text: str) -> None:
    write(value, "f.txt")
    assert Path("f.txt").read_bytes() == text.encode()
    stream = io.StringIO()
    write(value, stream)
    assert stream.getvalue() == text


@pytest.mark.parametrize(("write", "value"), [(write, value) for write, value, _ in WRITERS])
def test_not_writable(write: Callable[..., None], value: Any) -> None:
    message = error_of(write, value, "missing/f.txt")
    assert message == "missing/f.txt: the file can't be written: no such file or directory"


def test_half_a_surrogate_pair_is_not_writable() -> None:
    message = error_of(write_beir_qrels, {"q": {"\ud800": 1}}, "f.txt")
    assert message == "f.txt: '\\ud800' can't be written: it is half of a surrogate pair"
