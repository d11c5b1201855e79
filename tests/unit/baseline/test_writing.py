from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_recall.baseline import Baseline, Update, read_baseline, render, update_baseline
from pytest_recall.errors import BaselineError
from tests.unit.baseline.builders import KEY, entry, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

OTHER = ("tests/other.eval.yaml", "retriever")
SECOND = ("tests/support.eval.yaml", "retriever[bm25]")

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Not there yet, in a folder of its own."""
    return tmp_path / "baseline.json"


@pytest.fixture
def recorded(path: Path) -> Path:
    update_baseline(path, {KEY: entry(0.5)})
    return path


def update(**changes: Any) -> Update:
    return Update(**{"added": (), "replaced": (), "unchanged": (), "dropped": (), "written": True, **changes})


def contents(path: Path) -> dict[str, bytes]:
    """Every file beside the baseline, itself included."""
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def test_first_recording_makes_the_file(path: Path) -> None:
    entries = {KEY: entry(), OTHER: entry(0.25)}
    assert update_baseline(path, entries) == update(added=(OTHER, KEY))
    assert contents(path) == {"baseline.json": text_of(entries).encode()}


def test_an_entry_is_replaced_whole_and_the_others_stay(path: Path) -> None:
    update_baseline(path, {KEY: entry(0.5), OTHER: entry(0.25)})
    new = entry(0.75, k=5, metrics={}, cases={})
    assert update_baseline(path, {KEY: new, SECOND: entry()}) == update(added=(SECOND,), replaced=(KEY,))
    assert read_baseline(path).entries == {KEY: new, OTHER: entry(0.25), SECOND: entry()}


def test_recording_the_same_again_does_not_touch_the_file(recorded: Path) -> None:
    # Another layout of the same values is no reason to write either.
    recorded.write_bytes(recorded.read_bytes().replace(b"\n", b"\r\n"))
    data, before = recorded.read_bytes(), recorded.stat()
    assert update_baseline(recorded, {KEY: entry(0.5)}) == update(unchanged=(KEY,), written=False)
    after = recorded.stat()
    assert (recorded.read_bytes(), after.st_ino, after.st_mtime_ns) == (data, before.st_ino, before.st_mtime_ns)


def test_nothing_to_record_makes_no_file(path: Path) -> None:
    assert update_baseline(path, {}) == update(written=False)
    assert not path.exists()


def test_only_missing_entries_are_added(recorded: Path) -> None:
    done = update_baseline(recorded, {KEY: entry(0.25), OTHER: entry()}, only_missing=True)
    assert done == update(added=(OTHER,), unchanged=(KEY,))
    assert read_baseline(recorded).entries == {KEY: entry(0.5), OTHER: entry()}


def test_entries_of_a_dropped_suite_go_unless_they_are_recorded_now(path: Path) -> None:
    update_baseline(path, {KEY: entry(), SECOND: entry(), OTHER: entry()})
    done = update_baseline(path, {KEY: entry()}, drop=lambda key: key[0] == KEY[0])
    assert done == update(unchanged=(KEY,), dropped=(SECOND,))
    assert set(read_baseline(path).entries) == {KEY, OTHER}


def error_of(path: Path) -> str:
    with pytest.raises(BaselineError) as raised:
        update_baseline(path, {KEY: entry(0.25)})
    return str(raised.value)


def test_an_unreadable_file_is_not_written_over(path: Path) -> None:
    path.write_bytes(b"<<<<<<< HEAD\n")
    assert error_of(path) == f"{path}:1: merge conflict markers at line 1; resolve them, or delete it and record again"
    assert contents(path) == {"baseline.json": b"<<<<<<< HEAD\n"}


def test_missing_folder(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "baseline.json"
    assert error_of(path) == f"{path}: there is no folder {str(path.parent)!r}; make it first"


@needs_modes
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_mode_of_the_file_is_kept(mode: int, recorded: Path) -> None:
    recorded.chmod(mode)
    assert update_baseline(recorded, {KEY: entry(0.25)}).written
    assert stat.S_IMODE(recorded.stat().st_mode) == mode


@needs_modes
def test_mode_of_a_new_file_follows_the_umask(path: Path) -> None:
    umask = os.umask(0o027)
    try:
        update_baseline(path, {KEY: entry()})
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(recorded: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "baseline.json"
    link.parent.mkdir()
    link.symlink_to(recorded)
    update_baseline(link, {OTHER: entry()})
    assert link.is_symlink()
    assert set(read_baseline(recorded).entries) == {KEY, OTHER}
    assert list(contents(link)) == ["baseline.json"]


def test_a_link_to_nothing_makes_what_it_leads_to(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.json"
    path.symlink_to(target)
    update_baseline(path, {KEY: entry()})
    assert path.is_symlink()
    assert read_baseline(target).entries == {KEY: entry()}


def full(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


def full_when_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", full)


def full_when_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", full)


@pytest.mark.parametrize("fill", [full_when_synced, full_when_replaced])
@pytest.mark.parametrize("fixture", ["path", "recorded"])
def test_a_full_disk_leaves_everything_as_it_was(
    fill: Callable[[pytest.MonkeyPatch], None],
    fixture: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path: Path = request.getfixturevalue(fixture)
    before = contents(path)
    fill(monkeypatch)
    assert error_of(path) == f"{path}: the file can't be written: no space left on device"
    assert contents(path) == before


def test_a_write_that_fails_half_way_leaves_everything_as_it_was(recorded: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no limit to the size of a file")
    before = contents(recorded)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        message = error_of(recorded)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message == f"{recorded}: the file can't be written: file too large"
    assert contents(recorded) == before


def test_an_interrupt_leaves_everything_as_it_was(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> NoReturn:
        raise KeyboardInterrupt

    before = contents(recorded)
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        update_baseline(recorded, {KEY: entry(0.25)})
    assert contents(recorded) == before


def refuse(*_: object) -> NoReturn:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_read_only_file_is_refused(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may write everything, so the refusal is played.
    real_open, before = Path.open, contents(recorded)
    monkeypatch.setattr(Path, "open", lambda self, mode: refuse() if mode == "r+b" else real_open(self, mode))
    message = error_of(recorded)
    monkeypatch.undo()
    assert message == f"{recorded}: the file can't be written: permission denied"
    assert contents(recorded) == before


@needs_modes
def test_a_pipe_that_is_made_meanwhile_keeps_its_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interfere(baseline: Baseline) -> str:
        os.mkfifo(path)
        return render(baseline)

    monkeypatch.setattr("pytest_recall.baseline.writing.render", interfere)
    with pytest.raises(BaselineError) as raised:
        update_baseline(path, {KEY: entry()})
    assert str(raised.value) == f"{path}: the file can't be written: this is a pipe or a device"
    assert path.is_fifo()


def test_a_folder_that_cannot_be_synced_is_no_failure(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda name, *rest: refuse() if Path(name).is_dir() else real_open(name, *rest))
    assert update_baseline(path, {KEY: entry()}).written


def test_the_lock_of_another_user_will_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where fs.protected_regular is set, Linux refuses O_CREAT for another's file in a shared folder; also to root.
    real_open = os.open
    update_baseline(path, {KEY: entry()})
    monkeypatch.setattr(os, "open", lambda name, flags, *_: refuse() if flags & os.O_CREAT else real_open(name, flags))
    assert update_baseline(path, {}) == update(written=False)


UPDATES = """
import sys
from pathlib import Path
from pytest_recall.baseline import update_baseline
from tests.unit.baseline.builders import entry

path, process, updates = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.read()  # until all have started
for number in range(updates):
    update_baseline(path, {(f"{process}.eval.yaml", f"system {number}"): entry(number / 100)})
"""


@pytest.mark.parametrize(("processes", "updates"), [(2, 20), (8, 5)])
def test_processes_that_update_at_once_lose_nothing(processes: int, updates: int, path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", UPDATES, str(path), str(process), str(updates)],
            stdin=subprocess.PIPE,
            env=environment,
        )
        for process in range(processes)
    ]
    for started in running:
        assert started.stdin is not None
        started.stdin.close()
    assert [started.wait() for started in running] == [0] * processes
    assert read_baseline(path).entries == {
        (f"{process}.eval.yaml", f"system {number}"): entry(number / 100)
        for process in range(processes)
        for number in range(updates)
    }
    assert list(contents(path)) == ["baseline.json"]
