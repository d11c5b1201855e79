"""The labels that make a suite that of a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.labels import LabelSpec, folded_name
from pytest_recall.suites import getters
from pytest_recall.suites.nodes import MappingNode, describe, is_missing, line_of, quote

if TYPE_CHECKING:
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["read_labels"]


def read_labels(node: Node, problems: Problems) -> tuple[LabelSpec, ...]:
    """Each label with its aliases, in file order; no two labels may share a name."""
    if not isinstance(node, MappingNode):
        shape = "must be a mapping from each label to its aliases, such as {refund: [money back], shipping: []}"
        problems.add(node, f"{shape}, got {describe(node)}")
        return ()
    written = getters.mapping(node, problems)
    if not written:
        problems.add(node, "no labels, so there is nothing to tell apart")
    specs, names = [], _Names(problems)
    for label, (key, value) in written.items():
        names.add(label, label, key)
        aliases = [] if is_missing(value) else getters.elements(value, problems)
        told = [alias for child in aliases if names.add(alias := getters.text(child, problems), label, child)]
        if label.strip():
            specs.append(LabelSpec(label, told))
    return tuple(specs)


class _Names:
    """What names a label, and which."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._owners: dict[str, tuple[str, Node]] = {}

    def add(self, name: str, label: str, node: Node) -> bool:
        """Whether a name can be that of a label."""
        if not name.strip():
            self._problems.add(node, "the name of a label is blank")
            return False
        owner, first = self._owners.setdefault(folded_name(name), (label, node))
        if owner != label:
            taken = f"{quote(name)} names {quote(owner)} already, on line {line_of(first)}"
            self._problems.add(node, f"{taken}, so an output that holds it names neither")
        return True
