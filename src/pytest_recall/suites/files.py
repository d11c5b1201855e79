"""The files that a suite names for its memories and cases."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall._files.places import is_endless
from pytest_recall.errors import Problem
from pytest_recall.suites import getters
from pytest_recall.suites.nodes import describe, quote

if TYPE_CHECKING:
    from pytest_recall.errors import FormatError
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["Home", "OtherFile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFile:
    """A file beside a suite.

    Attributes:
        path: where it is, without symbolic links.
        name: POSIX path from the root, as messages show it.
        node: where the suite names it.
    """

    path: Path
    name: str
    node: Node

    def tell(self, problems: Problems, message: str, line: int | None = None, column: int | None = None) -> None:
        """Note what is wrong with a line, or where the suite names it what is wrong with all of it."""
        if line is None:
            problems.add(self.node, f"{self.name}: {message}")
        else:
            problems.add_problem(Problem(path=self.name, line=line, column=column, message=message))

    def tell_error(self, problems: Problems, error: FormatError) -> None:
        """As `tell`, what whoever reads formats found."""
        self.tell(problems, error.problem.message, error.problem.line, error.problem.column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a suite stands, and what bounds the files it may name.

    Attributes:
        folder: of the suite.
        root: nothing outside of it is opened.
    """

    folder: Path
    root: Path

    def find(self, node: Node, problems: Problems) -> OtherFile | None:
        """The file that a text names, None where it names none that may be opened."""
        before = len(problems)
        written = getters.text(node, problems)
        if len(problems) > before:
            return None
        if not written.strip() or "\0" in written:
            problems.add(node, f"must be a path, got {describe(node)}")
            return None
        root = Path(os.path.realpath(self.root))
        path = Path(os.path.realpath(self.folder / written))
        if root not in (path, *path.parents):
            outside = f"leads to {str(path)!r}, outside of {str(root)!r}, so it is not opened"
            problems.add(node, f"{quote(written)} {outside}")
            return None
        if is_endless(path):
            problems.add(node, f"{quote(written)} must be a file, and this is a pipe or a device")
            return None
        return OtherFile(path=path, name=path.relative_to(root).as_posix(), node=node)
