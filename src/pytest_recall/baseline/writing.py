"""A baseline into its file: merged under a lock, and in one step."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall._files.replacing import reason, replace
from pytest_recall.baseline.model import Baseline, Entry, Key
from pytest_recall.baseline.reading import read_baseline
from pytest_recall.baseline.rendering import render
from pytest_recall.errors import BaselineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Update", "update_baseline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What an update did, key by key, sorted.

    Attributes:
        unchanged: handed in, and left as the file has them.
        dropped: removed because nothing makes them any more.
        written: whether the file changed.
    """

    added: tuple[Key, ...]
    replaced: tuple[Key, ...]
    unchanged: tuple[Key, ...]
    dropped: tuple[Key, ...]
    written: bool


def update_baseline(
    path: Path,
    entries: Mapping[Key, Entry],
    *,
    only_missing: bool = False,
    drop: Callable[[Key], bool] | None = None,
) -> Update:
    """Record entries in a baseline file; other entries stay value for value, also those another process adds meanwhile.

    Args:
        path: need not exist, its folder must. A file is made or touched only when some entry changes.
        entries: each replaces the one of its key whole.
        only_missing: keep an entry that the file has already.
        drop: whether to remove an entry, given its key; those handed in stay.

    Raises:
        BaselineError: what is there can't be read or the file can't be written; it is as before.
    """
    # A link stays a link: what it leads to is replaced.
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise BaselineError(f"{path}: there is no folder {str(target.parent)!r}; make it first")
    try:
        with _locked(target):
            recorded = _recorded(path).entries
            new = {key: entry for key, entry in entries.items() if not (only_missing and key in recorded)}
            gone = {key for key in recorded if drop is not None and key not in entries and drop(key)}
            merged = {key: entry for key, entry in {**recorded, **new}.items() if key not in gone}
            written = merged != recorded
            if written:
                replace(target, render(Baseline(entries=merged)).encode())
    except OSError as error:
        raise BaselineError(f"{path}: the file can't be written: {reason(error)}") from error
    changed = {key for key in entries if recorded.get(key) != merged[key]}
    return Update(
        added=tuple(sorted(changed - recorded.keys())),
        replaced=tuple(sorted(changed & recorded.keys())),
        unchanged=tuple(sorted(entries.keys() - changed)),
        dropped=tuple(sorted(gone)),
        written=written,
    )


def _recorded(path: Path) -> Baseline:
    try:
        return read_baseline(path)
    except BaselineError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return Baseline()
        raise


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Nobody else updates the file meanwhile. The lock ends with its process, however that ends."""
    digest = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
    descriptor = _open_lock(Path(tempfile.gettempdir(), f"pytest-recall-{digest}.lock"))
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _open_lock(name: Path) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_CREAT, 0o666)
    except PermissionError:
        # Another user's: Linux won't have it "created" again in a shared folder, but reading is enough for a lock.
        return os.open(name, os.O_RDONLY)


if sys.platform == "win32":  # pragma: no cover - the other half is what runs elsewhere
    import msvcrt

    def _lock(descriptor: int) -> None:
        while True:
            # Gives up after ten seconds.
            with contextlib.suppress(OSError):
                return msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
