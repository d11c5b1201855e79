"""From a suite file to a checked suite."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall.errors import Problem, SuiteError
from pytest_recall.evaluation import Policy
from pytest_recall.suites import getters
from pytest_recall.suites.cases import CaseReader
from pytest_recall.suites.items import Asked
from pytest_recall.suites.json_nodes import compose_json, is_json
from pytest_recall.suites.keys import SUITE_KEYS
from pytest_recall.suites.marks import read_marks
from pytest_recall.suites.memories import read_memories
from pytest_recall.suites.model import Suite
from pytest_recall.suites.nodes import MappingNode, SequenceNode, describe, is_missing
from pytest_recall.suites.problems import Problems, TooManyProblemsError
from pytest_recall.suites.settings import read_settings
from pytest_recall.suites.source import read_text
from pytest_recall.suites.structure import check_structure
from pytest_recall.suites.thresholds import BoundsReader
from pytest_recall.suites.yaml_nodes import compose_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_recall.bounds import Gate
    from pytest_recall.suites.model import Memory
    from pytest_recall.suites.nodes import Node, Pair

__all__ = ["load_suite"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

_LEAST_K = 10
_POLICY_KEYS = ("undefined", "duplicates", "gain", "relevance_threshold", "id_from", "min_score")
_FILE_KEYS = ("path", "queries", "qrels")


def load_suite(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None) -> Suite:
    """The suite in a ``*.eval.yaml``, ``*.eval.yml`` or ``*.eval.json`` file.

    Args:
        path: the file.
        root: the folder that names are relative to; by default the working directory.

    Raises:
        SuiteError: the file has mistakes; all of them, in file order.
    """
    path = Path(path)
    name = _name(path, Path.cwd() if root is None else Path(root))
    with _collector_paused():
        return _load(path, name)


def _name(path: Path, root: Path) -> str:
    try:
        return _absolute(path).relative_to(_absolute(root)).as_posix()
    except ValueError:
        return path.as_posix()


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows symbolic links, and names should not


def _load(path: Path, name: str) -> Suite:
    problems = Problems(name)
    root = _compose(read_text(path, name), name, problems, json=path.suffix == ".json")
    try:
        suite = _read(path, name, root, problems)
    except TooManyProblemsError:
        raise problems.error(root) from None
    if problems:
        raise problems.error(root)
    return suite


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes many objects and no garbage, so collecting in between only costs time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compose(text: str, name: str, problems: Problems, *, json: bool) -> Node:
    """The root of the document, a mapping whose aliases end."""
    as_json = json or is_json(text)
    node = compose_json(text, name) if as_json else compose_yaml(text, name)
    if node is None or is_missing(node):
        raise SuiteError([Problem(path=name, line=1, column=1, message="the file is empty; a suite needs cases")])
    if not isinstance(node, MappingNode):
        message = f"a suite must be a mapping with the key 'cases', got {describe(node)}"
        raise SuiteError([Problem(path=name, line=1, column=1, message=message)])
    if not as_json:
        try:
            check_structure(node, text, problems)
        except TooManyProblemsError:
            raise problems.error(node) from None
        if problems and not node.value:
            raise problems.error(node)
    return node


def _read(path: Path, name: str, root: Node, problems: Problems) -> Suite:
    fields = SUITE_KEYS.read(root, problems)
    given = {key: node for key, (_, node) in fields.items() if not is_missing(node)}
    settings = read_settings(given, problems)
    bounds = BoundsReader(settings["k"], problems)
    metrics = bounds.metrics(given["metrics"]) if "metrics" in given else None
    thresholds = bounds.thresholds(given["thresholds"]) if "thresholds" in given else ()
    each = bounds.of_cases(given["each"]) if "each" in given else ()
    marks = read_marks(given["marks"], problems) if "marks" in given else ()
    memories = read_memories(_inline(given["memories"], problems), problems) if "memories" in given else ()

    before = len(problems)
    reader = CaseReader(_known_ids(memories), settings["gain"], bounds, problems)
    cases = [reader.read(node) for node in _case_nodes(root, fields, problems)]
    named = (*(metrics or ()), *thresholds, *each, *(named for case in cases for named in case.expect))
    asked = Asked(
        k=settings["k"] or max([_LEAST_K, *(named.metric.cutoff or 0 for named in named)]),
        policy=Policy(**{key: settings[key] for key in _POLICY_KEYS}),
        cases=cases,
        metrics=metrics,
        thresholds=thresholds,
        each=each,
    )
    # What the cases define can only be told once each is as it was meant.
    gates = _gates(asked, root, problems) if len(problems) == before else ()
    return Suite(
        name=name,
        path=path,
        k=asked.k,
        metrics=asked.reported(),
        scored=asked.scored(),
        memories=memories,
        cases=tuple(case.case for case in cases),
        gates=gates,
        retriever=settings["retriever"],
        policy=asked.policy,
        max_drop=settings["max_drop"],
        alpha=settings["alpha"],
        marks=marks,
    )


def _case_nodes(root: Node, fields: Mapping[str, Pair], problems: Problems) -> list[Node]:
    node = getters.required(root, fields, "cases", problems)
    if node is None:
        return []
    nodes = _inline(node, problems)
    if isinstance(node, SequenceNode) and not nodes:
        problems.add(node, "no cases, so there is nothing to ask")
    return nodes


def _inline(node: Node, problems: Problems) -> list[Node]:
    """The entries of a list; a mapping would name the files that hold them."""
    if isinstance(node, MappingNode):
        elsewhere = [key for key, _ in node.value if key.value in _FILE_KEYS]
        if elsewhere:
            problems.add(
                elsewhere[0], f"{elsewhere[0].value}: not available in this version; write the list into the suite"
            )
            return []
    return getters.elements(node, problems)


def _known_ids(memories: tuple[Memory, ...]) -> frozenset[str] | None:
    """The ids that cases may name, None where the suite has no memories or doesn't know all their ids."""
    ids = frozenset(memory.id for memory in memories)
    return None if not ids or "" in ids else ids


def _gates(asked: Asked, root: Node, problems: Problems) -> tuple[Gate, ...]:
    asked.check(problems)
    gates = asked.gates(problems)
    if not gates and not problems:
        problems.add(root, "the suite judges nothing; name a metric in metrics or thresholds")
    return gates
