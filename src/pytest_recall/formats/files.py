"""From a path or a stream to bytes that can be read twice, and from a text to a file."""

from __future__ import annotations

import codecs
import os
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Union, cast

from pytest_recall._files.places import is_device
from pytest_recall._files.replacing import reason
from pytest_recall.errors import FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["File", "Source", "Target", "opened", "unwritable", "write_text"]

Source = Union[str, "os.PathLike[str]", IO[bytes], IO[str]]
"""A path or an open stream; a binary one that can seek costs least."""

Target = Union[str, "os.PathLike[str]", IO[str]]
"""A path or an open text stream."""

BLOCK = 1 << 16

DAMAGED = "the gzipped file is damaged or cut off"

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class File:
    """An open file under the name that messages call it by.

    Attributes:
        stream: can seek.
        start: offset of the first byte after a byte order mark.
    """

    stream: IO[bytes]
    name: str
    start: int

    def read(self) -> bytes:
        """All of it."""
        self.stream.seek(self.start)
        return self.stream.read()

    def first_byte(self) -> bytes:
        """The first byte that is no blank, empty when there is none near the start."""
        self.stream.seek(self.start)
        return self.stream.read(BLOCK).lstrip()[:1]

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number, counted from 1."""
        self.stream.seek(self.start)
        return enumerate(self.stream, 1)

    def blocks(self) -> Iterator[bytes]:
        """Whole lines, many at a time."""
        self.stream.seek(self.start)
        while block := self.stream.read(BLOCK) + self.stream.readline():
            yield block

    def decode(self, data: bytes, line: int = 1) -> str:
        """The text of bytes that begin on a line.

        Raises:
            FormatError: they are not UTF-8.
        """
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line += data.count(b"\n", 0, error.start)
            message = f"not UTF-8: byte 0x{data[error.start]:02x}; save the file as UTF-8"
            raise self.error(message, line) from None

    def error(self, message: str, line: int | None = None, column: int | None = None, where: str = "") -> FormatError:
        """What to raise about a place in this file."""
        return FormatError(Problem(path=self.name, line=line, column=column, where=where, message=message))


@contextmanager
def opened(source: Source, name: str | None = None) -> Iterator[File]:
    """The file behind a source, closed at the end if it was opened here.

    Args:
        source: what to read; a stream is read from where it stands.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: it can't be read, now or later.
    """
    called = name if name is not None else _name_of(source)
    # It may have no end.
    if isinstance(source, (str, os.PathLike)) and is_device(Path(source)):
        raise FormatError(Problem(path=called, message="must be a file, and this is a device"))
    try:
        with ExitStack() as stack:
            stream = _unpacked(_seekable(source, stack), stack)
            start = stream.tell()
            if stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
                start = stream.tell()
            yield File(stream, called, start)
    except FileNotFoundError:
        problem = "there is no such file"
    except IsADirectoryError:
        problem = "must be a file, and this is a directory"
    except (EOFError, zlib.error):
        problem = DAMAGED
    except OSError as error:
        # Without a number it is gzip's own, of bytes that are none of a gzipped file.
        problem = DAMAGED if error.errno is None else f"the file can't be read: {reason(error)}"
    else:
        return
    raise FormatError(Problem(path=called, message=problem))


def _name_of(source: Source | Target) -> str:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _seekable(source: Source, stack: ExitStack) -> IO[bytes]:
    if isinstance(source, (str, os.PathLike)):
        stream: IO[bytes] = stack.enter_context(Path(source).open("rb"))  # noqa: SIM115 - the stack closes it
    elif isinstance(source.read(0), str):
        return BytesIO(cast("IO[str]", source).read().encode("utf-8", "surrogatepass"))
    else:
        stream = cast("IO[bytes]", source)
    return stream if stream.seekable() else _spooled(stream, stack)


def _spooled(stream: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """What a pipe gives, on disk."""
    from shutil import copyfileobj  # noqa: PLC0415 - only pipes need it
    from tempfile import TemporaryFile  # noqa: PLC0415

    spool = stack.enter_context(TemporaryFile())  # noqa: SIM115 - the stack closes it
    copyfileobj(stream, spool)
    spool.seek(0)
    return spool


def _unpacked(stream: IO[bytes], stack: ExitStack) -> IO[bytes]:
    start = stream.tell()
    packed = stream.read(len(_GZIP)) == _GZIP
    stream.seek(start)
    if not packed:
        return stream
    from gzip import GzipFile  # noqa: PLC0415 - only gzipped files need it

    return cast("IO[bytes]", stack.enter_context(GzipFile(fileobj=stream)))


def write_text(text: str, target: Target) -> None:
    """Write a text as UTF-8 with LF, whatever the platform.

    Raises:
        FormatError: the file can't be written.
    """
    if not isinstance(target, (str, os.PathLike)):
        target.write(text)
        return
    try:
        Path(target).write_text(text, encoding="utf-8", newline="\n")
    except UnicodeEncodeError as error:
        raise unwritable(
            target, f"{error.object[error.start]!r} can't be written: it is half of a surrogate pair"
        ) from None
    except OSError as error:
        raise unwritable(target, f"the file can't be written: {reason(error)}") from error


def unwritable(target: Target, message: str) -> FormatError:
    """What to raise about something that a file can't hold."""
    return FormatError(Problem(path=_name_of(target), message=message))
