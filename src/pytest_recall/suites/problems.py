"""The mistakes of a suite and of the files it names, collected while they are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_recall._text import shorten
from pytest_recall.errors import Problem, SuiteError, did_you_mean
from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode, is_missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pytest_recall.suites.nodes import Node

__all__ = ["Problems", "TooManyProblemsError"]

MOST_PROBLEMS = 10_000

# Searching near misses is slow: a large suite whose ids are all wrong gets suggestions for the first of them.
_MOST_COMPARISONS = 50_000
_LONGEST_SUGGESTED = 200

_ENTRIES = ("cases", "memories", "queries")
_LONGEST_ID = 40
_ID_KEYS = ("id", "key", "_id")


class TooManyProblemsError(Exception):
    """There are so many mistakes that reading on would only cost time; those found are told."""


class _Place(NamedTuple):
    """Where a mistake stands, in the order in which mistakes are told; column 0 is all of the line.

    Attributes:
        file: counted from 0, which is the suite itself.
    """

    file: int
    line: int
    column: int


class Problems:
    """Collects mistakes with the node each is about.

    Whoever finds a mistake notes it here, returns a stand-in and goes on, so that one reading finds them all. Where the
    node stands in the document is looked up at the end, so that reading a correct suite pays nothing for it.
    """

    def __init__(self, path: str) -> None:
        self._files = [path]
        self._found: dict[tuple[_Place, str], Node | None] = {}
        self._roots: list[tuple[Node, str]] = []
        # Kept, for the id of a node that is gone may become another's.
        self._settled: dict[int, Node] = {}
        self._comparisons = _MOST_COMPARISONS
        self._hints: dict[tuple[str, frozenset[str]], str] = {}

    def __len__(self) -> int:
        return len(self._found)

    def expect_file(self, name: str) -> None:
        """Mistakes in another file follow, after those of the files before it."""
        if name not in self._files:
            self._files.append(name)

    def file_of(self, node: Node) -> str | None:
        """The name of the other file that a node stands in, None for the suite itself."""
        name = node.start_mark.name
        return name if name in self._files[1:] else None

    def add(self, node: Node, message: str, *, enough: bool = False) -> None:
        """Note what is wrong with a node; one that is used through several aliases is told once.

        Args:
            node: where the mistake is.
            message: what is wrong and what would be right.
            enough: nothing that follows from it need be told of this node.

        Raises:
            TooManyProblemsError: nobody would read more.
        """
        if id(node) not in self._settled:
            mark = node.start_mark
            file = self._files.index(self.file_of(node) or self._files[0])
            self._note(_Place(file, mark.line + 1, mark.column + 1), message, node)
        if enough:
            self.settle(node)

    def settle(self, node: Node) -> None:
        """Nothing more need be told of a node, for what is told of another explains it."""
        self._settled[id(node)] = node

    def add_problem(self, problem: Problem) -> None:
        """Note what is wrong with a line of another file, where there is no node."""
        assert problem.line is not None, "all of a file is told where the suite names it"
        place = _Place(self._files.index(problem.path), problem.line, problem.column or 0)
        self._note(place, problem.message, None)

    def add_root(self, node: Node, path: str) -> None:
        """Have nodes below this one told by their place below `path`, such as ``cases[3]``."""
        self._roots.append((node, path))

    def _note(self, place: _Place, message: str, node: Node | None) -> None:
        self._found.setdefault((place, message), node)
        if len(self._found) > MOST_PROBLEMS:
            raise TooManyProblemsError

    def did_you_mean(self, word: str, candidates: Collection[str]) -> str:
        """The suggestion that ends a message about an unknown `word`, while there is time for one."""
        asked = word, frozenset(candidates)
        if asked not in self._hints and len(word) <= _LONGEST_SUGGESTED:
            self._comparisons -= len(candidates)
            self._hints[asked] = did_you_mean(word, candidates) if self._comparisons >= 0 else ""
        return self._hints.get(asked, "")

    def error(self, root: Node) -> SuiteError:
        """Every mistake noted so far, in file order, each with its place below `root`."""
        wanted = {id(node) for node in self._found.values() if node is not None}
        places = _places([(root, ""), *self._roots], wanted)
        found = sorted(self._found.items(), key=lambda item: item[0][0])
        problems = [
            Problem(
                path=self._files[place.file],
                line=place.line,
                column=place.column or None,
                where=places.get(id(node), ""),
                message=message,
            )
            for (place, message), node in found[:MOST_PROBLEMS]
        ]
        if len(found) > MOST_PROBLEMS:
            problems.append(
                Problem(path=self._files[0], message=f"more than {MOST_PROBLEMS:,} mistakes, the rest is not shown")
            )
        return SuiteError(problems)


def _places(roots: Iterable[tuple[Node, str]], wanted: set[int]) -> dict[int, str]:
    """Where the wanted nodes stand, such as ``cases[3].relevant (lease-end)``; an aliased one, where it is written."""
    found: dict[int, str] = {}
    seen = set()
    stack = [(root, path, _label(root, path)) for root, path in roots]
    while stack:
        node, path, label = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in wanted:
            found[id(node)] = path + label
        stack.extend(
            reversed([(child, place, label or _label(child, place)) for child, place in _children(node, path)])
        )
    return found


def _children(node: Node, path: str) -> Iterator[tuple[Node, str]]:
    """The nodes directly below one, with their paths; keys and listed scalars keep that of their collection."""
    if isinstance(node, SequenceNode):
        for index, child in enumerate(node.value):
            counted = path in _ENTRIES or not isinstance(child, ScalarNode)
            yield child, f"{path}[{index}]" if counted else path
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield key, path
            yield value, _below(path, key)


def _below(path: str, key: Node) -> str:
    name = shorten(str(key.value), _LONGEST_ID) if isinstance(key, ScalarNode) else "?"
    if not re.fullmatch(r"[\w@:=-]+", name):
        return f"{path}[{name!r}]"
    return f"{path}.{name}" if path else name


def _label(node: Node, path: str) -> str:
    """The id of a case or a memory, as its places end with it."""
    if not isinstance(node, MappingNode) or not re.fullmatch(rf"({'|'.join(_ENTRIES)})\[\d+\]", path):
        return ""
    for key, value in node.value:
        if key.value in _ID_KEYS and isinstance(value, ScalarNode) and value.value.strip() and not is_missing(value):
            return f" ({shorten(value.value, _LONGEST_ID)})"
    return ""
