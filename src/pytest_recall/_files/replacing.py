"""A file into its place: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from typing import TYPE_CHECKING

from pytest_recall._files.places import is_endless

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["reason", "replace"]


def replace(target: Path, data: bytes) -> None:
    """Write a file, so that a reader, or a kill at any moment, finds the old one or the new one. Its mode is kept.

    Raises:
        OSError: the system refuses, or there is a pipe or a device; what was there is as before.
    """
    # The file would take its place, if only for somebody who may do anything.
    if is_endless(target):
        raise OSError(errno.EINVAL, "this is a pipe or a device")
    mode = _mode(target)
    temporary = target.with_name(f".pytest-recall-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                temporary.chmod(mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def reason(error: OSError) -> str:
    """What the system says, in the voice of our messages."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def _mode(target: Path) -> int | None:
    """The mode of the file, None where there is none; a read-only one is refused, though it could be replaced."""
    try:
        with target.open("r+b") as file:
            return stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Not every system can; the new file is whole either way."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
