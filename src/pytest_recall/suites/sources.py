"""Where a suite's memories and cases stand: in the suite, or in files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.suites import getters
from pytest_recall.suites.cases import NO_CASES, WrittenCases
from pytest_recall.suites.keys import CASES_FILE_KEYS, MEMORIES_FILE_KEYS
from pytest_recall.suites.memories import memories_of_lines, memories_of_list
from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode, describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.suites.cases import CaseReader
    from pytest_recall.suites.files import Home, OtherFile
    from pytest_recall.suites.judged_queries import JudgedQueries
    from pytest_recall.suites.keys import Keys
    from pytest_recall.suites.model import Memory
    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems

__all__ = ["read_cases", "read_memories"]


def read_memories(node: Node, home: Home, problems: Problems) -> tuple[Memory, ...]:
    """The memories under their key, in file order; one whose id is missing has an empty one."""
    if isinstance(node, SequenceNode):
        return memories_of_list(node.value, problems)
    if not _names_files(node, MEMORIES_FILE_KEYS):
        problems.add(node, f"must be a list, or {{path: FILE}}, got {describe(node)}")
        return ()
    file = _file("path", node, MEMORIES_FILE_KEYS.read(node, problems), home, problems)
    return () if file is None else memories_of_lines(file, problems)


def read_cases(
    node: Node, home: Home, reader: CaseReader, queries: JudgedQueries | None, problems: Problems
) -> WrittenCases:
    """The cases under their key, in file order.

    Args:
        node: the value of the key.
        home: where the suite stands.
        reader: for cases as suites have them.
        queries: for queries whose judgments are in a file of their own; None in the suite of a classifier.
        problems: where mistakes are noted.
    """
    if isinstance(node, SequenceNode):
        if not node.value:
            problems.add(node, NO_CASES)
        return reader.of_list(node.value)
    if not _names_files(node, CASES_FILE_KEYS):
        forms = "{path: FILE}, or {queries: FILE, qrels: FILE}" if queries is not None else "{path: FILE}"
        problems.add(node, f"must be a list, or {forms}, got {describe(node)}")
        return WrittenCases()
    fields = CASES_FILE_KEYS.read(node, problems)
    if queries is not None and "path" not in fields:
        asked, judged = (_file(key, node, fields, home, problems) for key in ("queries", "qrels"))
        return WrittenCases() if asked is None or judged is None else queries.read(asked, judged)
    if queries is None:
        advice = "is for retrievers; with labels name one file by path"
    else:
        advice = "beside path; name one file by path, or two by queries and qrels"
    for key, (key_node, _) in fields.items():
        if key != "path":
            problems.add(key_node, f"{key} {advice}")
    file = _file("path", node, fields, home, problems) if "path" in fields else None
    return WrittenCases() if file is None else reader.of_lines(file)


def _names_files(node: Node, keys: Keys) -> bool:
    return isinstance(node, MappingNode) and any(
        isinstance(key, ScalarNode) and key.value in keys.names for key, _ in node.value
    )


def _file(key: str, node: Node, fields: Mapping[str, Pair], home: Home, problems: Problems) -> OtherFile | None:
    value = getters.required(node, fields, key, problems)
    return None if value is None else home.find(value, problems)
