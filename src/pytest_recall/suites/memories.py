"""The memories of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.suites import getters
from pytest_recall.suites.frozen import frozen
from pytest_recall.suites.keys import MEMORY_KEYS
from pytest_recall.suites.literals import literal
from pytest_recall.suites.model import Memory
from pytest_recall.suites.nodes import is_missing, line_of, quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems

__all__ = ["read_memories"]


def read_memories(nodes: list[Node], problems: Problems) -> tuple[Memory, ...]:
    """The memories, in file order; one whose id is missing has an empty one."""
    first: dict[str, Memory] = {}
    successors: list[tuple[Memory, Node]] = []
    memories = []
    for node in nodes:
        fields = MEMORY_KEYS.read(node, problems)
        memory = _memory(node, fields, problems)
        memories.append(memory)
        other = first.setdefault(memory.id, memory)
        if other is not memory and memory.id:
            problems.add(fields["id"][1], f"the id {quote(memory.id)} is here twice, first on line {other.line}")
        if memory.superseded_by is not None:
            successors.append((memory, fields["superseded_by"][1]))
    if "" not in first:
        _check_successors(successors, first, problems)
    return tuple(memories)


def _memory(node: Node, fields: Mapping[str, Pair], problems: Problems) -> Memory:
    # Most memories have an id and a text only.
    given: dict[str, Any] = {}
    for key, (_, value) in fields.items():
        if key in ("text", "title"):
            given[key] = getters.text(value, problems)
        elif key == "metadata":
            given[key] = frozen(literal(value, problems))
        elif key != "id" and not is_missing(value):
            given[key] = getters.text(value, problems) if key == "superseded_by" else getters.moment(value, problems)
    return Memory(id=getters.required_text(node, fields, "id", problems), line=line_of(node), **given)


def _check_successors(successors: list[tuple[Memory, Node]], known: Mapping[str, Memory], problems: Problems) -> None:
    for memory, node in successors:
        successor = memory.superseded_by or ""
        if successor == memory.id:
            problems.add(node, "a memory can't supersede itself")
        elif successor not in known:
            problems.add(node, f"unknown memory {quote(successor)}{problems.did_you_mean(successor, known)}")
