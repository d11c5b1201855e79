"""What a path leads to, where it is no file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_device", "is_endless"]


def is_endless(path: Path) -> bool:
    """Whether it is no file and no folder: nobody may ever write to a pipe, and a device may have no end."""
    mode = _mode(path)
    return mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_device(path: Path) -> bool:
    """Whether it is a device; a shell hands over what a command prints as a pipe, which ends."""
    mode = _mode(path)
    return mode is not None and (stat.S_ISCHR(mode) or stat.S_ISBLK(mode))


def _mode(path: Path) -> int | None:
    """None for what is not there or can't be looked at, which is told by whoever opens it."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None
