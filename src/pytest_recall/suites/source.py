"""From a file to its text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_recall._files.places import is_endless
from pytest_recall.errors import Problem, SuiteError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_text"]

MAX_MIB = 64


def read_text(path: Path, name: str) -> str:
    """The text of a UTF-8 file, without a byte order mark.

    Args:
        path: the file.
        name: what messages call it.

    Raises:
        SuiteError: it can't be read, is too large or not UTF-8.
    """
    if is_endless(path):
        raise SuiteError([Problem(path=name, message="a suite is a file, and this is a pipe or a device")])
    data = _read_bytes(path, name)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise SuiteError([_not_utf8(name, data, error.start)]) from None


def _read_bytes(path: Path, name: str) -> bytes:
    most = MAX_MIB * 2**20
    try:
        with path.open("rb") as file:
            # It may grow meanwhile, so what came is measured too.
            data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    except OSError as error:
        raise SuiteError([Problem(path=name, message=f"can't be read: {error.strerror or error}")]) from None
    if data is None or len(data) > most:
        advice = "move its memories or cases into a file of JSON lines"
        raise SuiteError([Problem(path=name, message=f"larger than {MAX_MIB} MiB, the most a suite may be; {advice}")])
    return data


def _not_utf8(name: str, data: bytes, offset: int) -> Problem:
    start = data.rfind(b"\n", 0, offset) + 1
    return Problem(
        path=name,
        line=data.count(b"\n", 0, offset) + 1,
        column=len(data[start:offset].decode("utf-8")) + 1,
        message=f"not UTF-8: byte 0x{data[offset]:02x} at offset {offset}; save the file as UTF-8",
    )
