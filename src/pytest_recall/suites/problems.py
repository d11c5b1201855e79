"""The mistakes of one file, collected while it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_recall._text import shorten
from pytest_recall.errors import Problem, SuiteError, did_you_mean
from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode, is_missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pytest_recall.suites.nodes import Node

__all__ = ["Problems", "TooManyProblemsError"]

MOST_PROBLEMS = 10_000

# Searching near misses is slow: a large suite whose ids are all wrong gets suggestions for the first of them.
_MOST_COMPARISONS = 50_000
_LONGEST_SUGGESTED = 200

_ENTRIES = ("cases", "memories")
_LONGEST_ID = 40
_ID_KEYS = ("id", "key", "_id")


class TooManyProblemsError(Exception):
    """There are so many mistakes that reading on would only cost time; those found are told."""


class Problems:
    """Collects mistakes with the node each is about.

    Whoever finds a mistake notes it here, returns a stand-in and goes on, so that one reading finds them all. Where the
    node stands in the document is looked up at the end, so that reading a correct suite pays nothing for it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._found: dict[tuple[int, int, str], Node] = {}
        self._settled: set[int] = set()
        self._comparisons = _MOST_COMPARISONS
        self._hints: dict[tuple[str, frozenset[str]], str] = {}

    def __len__(self) -> int:
        return len(self._found)

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
            self._found.setdefault((node.start_mark.line, node.start_mark.column, message), node)
        if enough:
            self._settled.add(id(node))
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
        places = _places(root, {id(node) for node in self._found.values()})
        found = sorted(self._found.items(), key=lambda item: item[0][:2])
        problems = [
            Problem(path=self._path, line=line + 1, column=column + 1, where=places.get(id(node), ""), message=message)
            for (line, column, message), node in found[:MOST_PROBLEMS]
        ]
        if len(found) > MOST_PROBLEMS:
            problems.append(
                Problem(path=self._path, message=f"more than {MOST_PROBLEMS:,} mistakes, the rest is not shown")
            )
        return SuiteError(problems)


def _places(root: Node, wanted: set[int]) -> dict[int, str]:
    """Where the wanted nodes stand, such as ``cases[3].relevant (lease-end)``; an aliased one, where it is written."""
    found: dict[int, str] = {}
    seen = set()
    stack = [(root, "", "")]
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
