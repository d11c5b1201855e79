"""Inputs of public bug reports, brought into a project of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Require

Changes = tuple[tuple[str, str], ...]

CONFTEST = """\
import pytest
from {module} import retrieve

@pytest.fixture(scope="module")
def retriever():
    return retrieve
"""


class Reported(Project):
    """A project with one folder of reported inputs to take files from."""

    def __init__(self, pytester: pytest.Pytester, directory: Path) -> None:
        super().__init__(pytester)
        self.directory = directory

    def bring(self, number: str, *suites: str, changes: Changes = (), retriever: str | None = "retriever") -> Reported:
        """Copy suites of a folder, and the module that holds its `retrieve(query, k)`.

        Args:
            number: of the folder.
            suites: names of files; all of the folder when none is given.
            changes: (old, new) texts, for the suites that hold the old one; some suite must.
            retriever: name of the module; None where the folder has none, and the test writes `retriever.py`.
        """
        (self.folder,) = self.directory.glob(f"{number}-*")
        paths = [self.folder / name for name in suites] or sorted(self.folder.glob("*.eval.*"))
        texts = {path.name: path.read_bytes() for path in paths}
        for old, new in changes:
            assert any(old.encode() in text for text in texts.values()), f"{old!r} is in none of {[*texts]}"
            texts = {name: text.replace(old.encode(), new.encode()) for name, text in texts.items()}
        for name, text in texts.items():
            (self.path / name).write_bytes(text)
        if retriever is None:
            self.write("conftest.py", CONFTEST.format(module="retriever"))
        else:
            self.retriever(retriever)
        return self

    def retriever(self, module: str) -> None:
        """Let a module of the folder answer from now on."""
        self.write(f"{module}.py", (self.folder / f"{module}.py").read_text(encoding="utf-8"))
        self.write("conftest.py", CONFTEST.format(module=module))

    def recorded(self) -> dict[str, Any]:
        """What an updating run records of the only suite."""
        self.run("--eval-baseline=recorded.json", "--eval-update")
        (suite,) = json.loads(self.baseline("recorded.json"))["suites"].values()
        entry: dict[str, Any] = suite["systems"]["retriever"]
        return entry


@pytest.fixture(scope="session")
def arrays(require: Require) -> None:
    """numpy and pandas, which can't be imported twice, before pytester begins to forget what is imported."""
    require.library("numpy")
    require.library("pandas")


@pytest.fixture
def reported(pytester: pytest.Pytester, shared_data: Path) -> Reported:
    return Reported(pytester, shared_data / "cases")
