"""Values that mean nothing to a suite: arguments and metadata, handed on as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.suites.getters import INTEGER, NUMBER, is_not_finite, mapping, number
from pytest_recall.suites.nodes import MISSING, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["arguments", "literal"]

_WORDS = {
    **dict.fromkeys(MISSING),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_LONGEST_INTEGER = 1000


def literal(node: Node, problems: Problems) -> Any:
    """The value of a node by YAML 1.2's rules: null, booleans, numbers; the rest, and whatever is quoted, is text."""
    if isinstance(node, ScalarNode):
        return node.value if node.style else _plain(node, problems)
    if isinstance(node, SequenceNode):
        return [literal(child, problems) for child in node.value]
    return arguments(node, problems)


def arguments(node: Node, problems: Problems) -> dict[str, Any]:
    """A mapping of literals."""
    return {key: literal(value, problems) for key, (_, value) in mapping(node, problems).items()}


def _plain(node: ScalarNode, problems: Problems) -> Any:
    written = node.value
    if written in _WORDS:
        return _WORDS[written]
    if len(written) <= _LONGEST_INTEGER and INTEGER.fullmatch(written):
        return int(written)
    if NUMBER.fullmatch(written) or is_not_finite(written):
        return number(node, problems)
    return written
