"""The lines of a JSON lines file: the plain ones at once, every other as located nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from yaml.error import Mark

from pytest_recall.errors import FormatError, Problem, SuiteError
from pytest_recall.formats.files import opened
from pytest_recall.suites.json_nodes import compose_json
from pytest_recall.suites.nodes import MappingNode, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_recall.formats.files import File
    from pytest_recall.suites.files import OtherFile
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["never_plain", "read_lines"]

Entry = TypeVar("Entry")

_SHAPE = "JSON lines are UTF-8 text with one mapping a line"


def read_lines(
    other: OtherFile,
    places: str,
    plain: Callable[[Sequence[bytes], int], list[Entry] | None],
    careful: Callable[[Node], Entry],
    problems: Problems,
) -> list[Entry] | None:
    """What the lines of a file say, in file order; blank lines are skipped.

    Args:
        other: the file, gzipped or not.
        places: what messages call the entries: ``cases`` for ``cases[0]``.
        plain: the entries of lines and the number of the first; None where one of them wants care.
        careful: the entry of one line, a stand-in where it has mistakes.
        problems: where mistakes are noted.

    Returns:
        None where nothing is known of what the file was to say.
    """
    problems.expect_file(other.name)
    try:
        with opened(other.path, other.name) as file:
            reader = _Reader(file, places, plain, careful, problems)
            first = 1
            for block in file.blocks():
                lines = block.removesuffix(b"\n").split(b"\n")
                reader.read(lines, first)
                first += len(lines)
    except FormatError as error:
        other.tell_error(problems, error)
        return None
    return reader.entries


def never_plain(_lines: Sequence[bytes], _first: int) -> None:
    """For a file whose every line is to be read as nodes: where an id is here twice they tell where it was first."""


class _Reader(Generic[Entry]):
    def __init__(
        self,
        file: File,
        places: str,
        plain: Callable[[Sequence[bytes], int], list[Entry] | None],
        careful: Callable[[Node], Entry],
        problems: Problems,
    ) -> None:
        self._file = file
        self._places = places
        self._plain = plain
        self._careful = careful
        self._problems = problems
        self.entries: list[Entry] = []

    def read(self, lines: Sequence[bytes], first: int) -> None:
        """Lines that are not all plain are halved, down to those that are not."""
        entries = self._plain(lines, first)
        if entries is not None:
            self.entries += entries
        elif len(lines) > 1:
            half = len(lines) // 2
            self.read(lines[:half], first)
            self.read(lines[half:], first + half)
        elif lines[0].strip():
            self._read_with_care(lines[0], first)

    def _read_with_care(self, line: bytes, number: int) -> None:
        before, place = len(self._problems), len(self.entries)
        node = self._compose(line, number)
        try:
            self.entries.append(self._careful(node))
        finally:  # also where there are too many mistakes to go on
            if len(self._problems) > before:
                self._problems.add_root(node, f"{self._places}[{place}]")

    def _compose(self, line: bytes, number: int) -> Node:
        """The mapping in a line; of one that is none nothing more is told than that.

        Raises:
            FormatError: it is the first, so this is no JSON lines file at all.
        """
        try:
            node = compose_json(self._file.decode(line, number), self._file.name, number)
            if isinstance(node, MappingNode):
                return node
            message = f"must be a mapping, got {'nothing' if node is None else describe(node)}"
            problem = Problem(path=self._file.name, line=number, column=1, message=message)
        except SuiteError as error:
            (problem,) = error.problems
        except FormatError as error:
            problem = error.problem
        if not self.entries:
            raise FormatError(replace(problem, message=f"{problem.message}; {_SHAPE}"))
        empty = MappingNode("", [], Mark(self._file.name, 0, number - 1, (problem.column or 1) - 1, None, 0))
        self._problems.add(empty, problem.message, enough=True)
        return empty
