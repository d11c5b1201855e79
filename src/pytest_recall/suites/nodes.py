"""The nodes a suite is composed of, whether it was written as YAML or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MISSING",
    "MappingNode",
    "Node",
    "Pair",
    "ScalarNode",
    "SequenceNode",
    "alternatives",
    "describe",
    "is_missing",
    "line_of",
    "quote",
]

Pair: TypeAlias = tuple[Node, Node]

# What stands for nothing when it isn't quoted.
MISSING = frozenset({"", "~", "null", "Null", "NULL"})

_LONGEST_QUOTE = 60


def is_missing(node: Node) -> bool:
    """Whether nothing was written: an unquoted ``null``, ``~`` or an empty place."""
    # The style of a plain scalar is '' from libyaml and None from pure Python.
    return isinstance(node, ScalarNode) and not node.style and node.value in MISSING


def line_of(node: Node) -> int:
    """The line a node begins on, counted from 1."""
    return node.start_mark.line + 1


def quote(text: str) -> str:
    """The text as messages show it, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…")


def alternatives(words: Iterable[str]) -> str:
    """``a, b or c``."""
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last


def describe(node: Node) -> str:
    """What a node is, for a message that expected something else."""
    if isinstance(node, SequenceNode):
        return "a list"
    if isinstance(node, MappingNode):
        return "a mapping"
    if is_missing(node):
        return "nothing"
    text = quote(str(node.value))
    return f"the text {text}" if isinstance(node, ScalarNode) and node.style else text
