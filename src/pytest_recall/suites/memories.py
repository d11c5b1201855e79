"""The memories of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.drafts import fast
from pytest_recall.suites import getters
from pytest_recall.suites.frozen import frozen
from pytest_recall.suites.keys import MEMORY_KEYS, MEMORY_LINE_KEYS
from pytest_recall.suites.lines import never_plain, read_lines
from pytest_recall.suites.literals import literal
from pytest_recall.suites.model import Memory
from pytest_recall.suites.nodes import is_missing, line_of, quote
from pytest_recall.suites.plain import plain_memories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pytest_recall.suites.files import OtherFile
    from pytest_recall.suites.keys import Keys
    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems

__all__ = ["memories_of_lines", "memories_of_list"]

_Memory = fast(Memory)


def memories_of_list(nodes: Sequence[Node], problems: Problems) -> tuple[Memory, ...]:
    """The memories that a suite lists, in file order; one whose id is missing has an empty one."""
    reader = _MemoryReader(MEMORY_KEYS, problems, check_ids=True)
    memories = tuple(reader.read(node) for node in nodes)
    reader.check_successors({memory.id for memory in memories})
    return memories


def memories_of_lines(file: OtherFile, problems: Problems) -> tuple[Memory, ...]:
    """The memories of a JSON lines file, as `memories_of_list`; what else a line holds is other people's business."""
    # No reader sees what is plain: ids are compared as a whole, and one by one where some are equal.
    reader = _MemoryReader(MEMORY_LINE_KEYS, problems, check_ids=False)
    memories = read_lines(file, "memories", plain_memories, reader.read, problems)
    if memories == []:
        file.tell(problems, "no memories; a suite whose retriever has its own leaves the key out")
    ids = {memory.id for memory in memories or ()}
    if memories and len(ids) < len(memories):
        reader = _MemoryReader(MEMORY_LINE_KEYS, problems, check_ids=True)
        read_lines(file, "memories", never_plain, reader.read, problems)
    reader.check_successors(ids)
    return tuple(memories or ())


class _MemoryReader:
    """Reads memories from nodes.

    Args:
        keys: what a memory may hold.
        problems: where mistakes are noted.
        check_ids: an id that was read before is a mistake.
    """

    def __init__(self, keys: Keys, problems: Problems, *, check_ids: bool) -> None:
        self._keys = keys
        self._problems = problems
        self._check_ids = check_ids
        self._first: dict[str, Memory] = {}
        self._successors: list[tuple[Memory, Node]] = []

    def read(self, node: Node) -> Memory:
        """One memory; it must be the next of the file."""
        fields = self._keys.read(node, self._problems)
        memory = self._memory(node, fields)
        other = self._first.setdefault(memory.id, memory) if self._check_ids else memory
        if other is not memory and memory.id:
            self._problems.add(fields["id"][1], f"the id {quote(memory.id)} is here twice, first on line {other.line}")
        if memory.superseded_by is not None:
            self._successors.append((memory, fields["superseded_by"][1]))
        return memory

    def _memory(self, node: Node, fields: Mapping[str, Pair]) -> Memory:
        # Most memories have an id and a text only.
        problems = self._problems
        given: dict[str, Any] = {}
        for key, (_, value) in fields.items():
            if key in ("text", "title"):
                given[key] = getters.text(value, problems)
            elif key == "metadata":
                given[key] = frozen(literal(value, problems))
            elif key != "id" and not is_missing(value):
                given[key] = (
                    getters.text(value, problems) if key == "superseded_by" else getters.moment(value, problems)
                )
        if "text" not in fields and self._keys.table["text"].required:
            problems.add(node, "text is missing")
        return _Memory(id=getters.required_text(node, fields, "id", problems), line=line_of(node), **given)

    def check_successors(self, known: AbstractSet[str]) -> None:
        """See that each memory that replaced another is one of these; only where every id is known."""
        if "" not in known:
            _check_successors(self._successors, known, self._problems)


def _check_successors(successors: list[tuple[Memory, Node]], known: AbstractSet[str], problems: Problems) -> None:
    following: dict[str, str] = {}
    places: dict[str, Node] = {}
    for memory, node in successors:
        successor = memory.superseded_by or ""
        if successor == memory.id:
            problems.add(node, "a memory can't supersede itself")
        elif successor not in known:
            problems.add(node, f"unknown memory {quote(successor)}{problems.did_you_mean(successor, known)}")
        else:
            following[memory.id], places[memory.id] = successor, node
    for start in places:
        circle = _circle(start, following)
        if circle:
            problems.add(
                places[circle[0]], f"the memories supersede each other in a circle: {' -> '.join(map(quote, circle))}"
            )


def _circle(start: str, following: dict[str, str]) -> list[str]:
    """The ids on the way from one memory back to it, empty where there is none; no step is walked a second time."""
    way = [start]
    while (after := following.pop(way[-1], None)) is not None:
        way.append(after)
    return way[way.index(way[-1]) :] if way.count(way[-1]) > 1 else []
