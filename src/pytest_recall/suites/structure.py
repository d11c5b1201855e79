"""What holds for a whole YAML document: tags that are allowed, aliases that end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode, quote
from pytest_recall.suites.yaml_nodes import MAX_DEPTH, TOO_DEEP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["check_structure"]

MAX_EXPANSION = 1_000_000

# What may be an anchor, a tag or an escaped surrogate; a document without them needs no walk. Each begins with the
# character itself, because re finds a literal beginning much faster.
_SUSPICIOUS = tuple(
    re.compile(pattern) for pattern in (r"&(?<![^\s\[{,:]&)[^\s,]", r"!(?<![^\s\[{,:]!)[^\s,]", r"\\u", r"\\U")
)
_SURROGATE = re.compile("[\ud800-\udfff]")

_TAG_PREFIX = "tag:yaml.org,2002:"


def check_structure(root: Node, text: str, problems: Problems) -> None:
    """Refuse tags other than ``!!str``, aliases that refer to themselves, and aliases that expand without measure.

    A collection at fault is emptied, so that whoever reads the document afterwards comes to an end.
    """
    if not any(pattern.search(text) for pattern in _SUSPICIOUS):
        return
    sizes = _Sizes(problems)
    for node in _children_first(root, problems):
        _check_tag(node, problems)
        sizes.add(node)


def _check_tag(node: Node, problems: Problems) -> None:
    if isinstance(node, ScalarNode):
        if _SURROGATE.search(node.value):
            problems.add(node, "a lone surrogate escape names no character", enough=True)
        if node.tag == f"{_TAG_PREFIX}str":
            # An explicit text is one, whatever it looks like.
            node.style = node.style or '"'
            return
    if node.tag is not None:
        tag = node.tag.replace(_TAG_PREFIX, "!!", 1)
        problems.add(node, f"the tag {quote(tag)} is not allowed, only !!str is", enough=True)


def _below(node: Node) -> list[Node]:
    if isinstance(node, SequenceNode):
        return list(node.value)
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return []


def _children_first(root: Node, problems: Problems) -> Iterator[Node]:
    """Every distinct node once, after those below it; a node that is below itself is emptied."""
    entered, left = {id(root)}, set()
    stack = [(root, iter(_below(root)))]
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            left.add(id(node))
            yield node
        elif id(child) not in entered:
            entered.add(id(child))
            stack.append((child, iter(_below(child))))
        elif id(child) not in left:
            problems.add(child, "an alias in here refers back to it", enough=True)
            node.value = []


class _Sizes:
    """How large and how deep nodes are once their aliases are followed, without following any twice."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._known: dict[int, tuple[int, int, int]] = {}
        self._counted: set[int] = set()

    def add(self, node: Node) -> None:
        """Measure a node whose children are measured."""
        size, repeated, depth = 1, 0, 0
        for child in _below(node):
            child_size, child_repeated, child_depth = self._known[id(child)]
            size += child_size
            repeated += child_size if id(child) in self._counted else child_repeated
            depth = max(depth, child_depth)
            self._counted.add(id(child))
        if repeated > MAX_EXPANSION or depth >= MAX_DEPTH:
            much = f"expands to more than {MAX_EXPANSION:,} entries through its aliases"
            deep = f"{TOO_DEEP} through its aliases"
            self._problems.add(node, much if repeated > MAX_EXPANSION else deep, enough=True)
            node.value = []
            size, repeated, depth = 1, 0, 0
        self._known[id(node)] = size, repeated, depth + 1
