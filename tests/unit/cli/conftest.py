from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_recall.cli import main

if TYPE_CHECKING:
    from pathlib import Path

LEASE = "memories: [{id: a, text: alpha}]\ncases: [{query: first, relevant: [a]}]\n"


class Shell:
    """A working directory, and the command line in it."""

    def __init__(self, path: Path, captured: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.path = path
        self._captured = captured
        self._patch = patch

    def write(self, name: str, text: str | bytes = LEASE) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def run(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        """Exit code, standard output and standard error of ``pytest-recall ARGUMENTS``."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code: int = main(arguments)
        except SystemExit as exited:
            code = int(exited.code or 0)
        return (code, *self._captured.readouterr())


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Shell(tmp_path, capsys, monkeypatch)
