"""From a suite file to a checked suite."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall.asking import Plan
from pytest_recall.errors import Problem, SuiteError
from pytest_recall.evaluation import Policy
from pytest_recall.suites import getters
from pytest_recall.suites.cases import CaseReader, WrittenCases
from pytest_recall.suites.files import Home
from pytest_recall.suites.items import Asked
from pytest_recall.suites.json_nodes import compose_json, is_json
from pytest_recall.suites.judged_queries import JudgedQueries
from pytest_recall.suites.keys import SUITE_KEYS
from pytest_recall.suites.labelled_cases import LabelledCaseReader
from pytest_recall.suites.labels import read_labels
from pytest_recall.suites.marks import read_marks
from pytest_recall.suites.model import Suite
from pytest_recall.suites.nodes import MappingNode, ScalarNode, describe, is_missing
from pytest_recall.suites.problems import Problems, TooManyProblemsError
from pytest_recall.suites.settings import read_settings
from pytest_recall.suites.source import read_text
from pytest_recall.suites.sources import read_cases, read_memories
from pytest_recall.suites.structure import check_structure
from pytest_recall.suites.thresholds import BoundsReader
from pytest_recall.suites.yaml_nodes import compose_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_recall.bounds import Gate
    from pytest_recall.suites.model import Memory
    from pytest_recall.suites.nodes import Node, Pair

__all__ = ["load_suite", "load_within"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

_LEAST_K = 10
# What other files of ours hold beside their format.
_OF_OURS = {"suites": "a baseline", "evaluations": "a report"}
_PLAN_KEYS = ("repeat", "warmup", "timeout", "concurrency", "batch")
_POLICY_KEYS = ("undefined", "duplicates", "gain", "relevance_threshold", "id_from", "min_score")


def load_suite(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None) -> Suite:
    """The suite in a ``*.eval.yaml``, ``*.eval.yml`` or ``*.eval.json`` file.

    Args:
        path: the file.
        root: the folder that names are relative to, and that files named by the suite are in; by default the working
            directory.

    Raises:
        SuiteError: the file, or one that it names, has mistakes; all of them, in file order.

    >>> from pathlib import Path
    >>> text = "{metrics: [mrr], cases: [{id: lease, query: when does the lease end?, relevant: [lease-2]}]}"
    >>> _ = Path("notes.eval.yaml").write_text(text, encoding="utf-8")
    >>> suite = load_suite("notes.eval.yaml")
    >>> suite.k, [gate.name for gate in suite.gates], suite.cases[0].relevant
    (10, ['mrr'], {'lease-2': 1.0})
    """
    path = Path(path)
    return load_within(path, Home(folder=path.parent, root=Path.cwd() if root is None else Path(root)))


def load_within(path: Path, home: Home) -> Suite:
    """The suite in a file that stands, for the files that it names, in another place than it does.

    Raises:
        SuiteError: as `load_suite`.
    """
    with _collector_paused():
        return _load(path, home)


def _name(path: Path, root: Path) -> str:
    try:
        return _absolute(path).relative_to(_absolute(root)).as_posix()
    except ValueError:
        return path.as_posix()


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows symbolic links, and names should not


def _load(path: Path, home: Home) -> Suite:
    name = _name(path, home.root)
    problems = Problems(name)
    root = _compose(read_text(path, name), name, problems, json=path.suffix == ".json")
    try:
        suite = _read(path, name, root, home, problems)
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
    if message := _no_suite(node):
        raise SuiteError([Problem(path=name, line=1, column=1, message=message)])
    assert isinstance(node, MappingNode), "anything else is no suite"
    if not as_json:
        try:
            check_structure(node, text, problems)
        except TooManyProblemsError:
            raise problems.error(node) from None
        if problems and not node.value:
            raise problems.error(node)
    return node


def _no_suite(node: Node | None) -> str:
    """Why a document is something else than a suite; empty where it may be one."""
    if node is None or (is_missing(node) and not node.value):
        return "the file is empty; a suite needs cases"
    if is_missing(node):
        return "the file holds null, and no suite; a suite needs cases"
    if not isinstance(node, MappingNode):
        return f"a suite must be a mapping with the key 'cases', got {describe(node)}"
    keys = {key.value for key, _ in node.value if isinstance(key, ScalarNode)}
    if "format" in keys and "cases" not in keys:
        return next((f"this is {kind}, and no suite" for key, kind in _OF_OURS.items() if key in keys), "")
    return ""


def _read(path: Path, name: str, root: Node, home: Home, problems: Problems) -> Suite:
    fields = SUITE_KEYS.read(root, problems)
    given = {key: node for key, (_, node) in fields.items() if not is_missing(node)}
    settings = read_settings(given, problems)
    labels = read_labels(given["labels"], problems) if "labels" in given else None
    if labels is not None:
        _refuse_keys_of_retrievers(fields, problems)
    names = None if labels is None else [spec.canonical for spec in labels]
    bounds = BoundsReader(settings["k"], names, problems)
    metrics = bounds.metrics(given["metrics"]) if "metrics" in given else None
    thresholds = bounds.thresholds(given["thresholds"]) if "thresholds" in given else ()
    each = bounds.of_cases(given["each"]) if "each" in given else ()
    marks = read_marks(given["marks"], problems) if "marks" in given else ()
    memories = read_memories(given["memories"], home, problems) if "memories" in given else ()

    before = len(problems)
    written = getters.required(root, fields, "cases", problems)
    known, gain = _known_ids(memories), settings["gain"]
    reader = (
        CaseReader(known, gain, bounds, problems) if labels is None else LabelledCaseReader(labels, bounds, problems)
    )
    queries = JudgedQueries(known, gain, problems) if labels is None else None
    cases = WrittenCases() if written is None else read_cases(written, home, reader, queries, problems)
    named = (*(metrics or ()), *thresholds, *each, *chain.from_iterable(cases.expect.values()))
    k = settings["k"] or max([_LEAST_K, *(named.metric.cutoff or 0 for named in named)])
    asked = Asked(
        k=k if labels is None else 1,
        policy=Policy(**{key: settings[key] for key in _POLICY_KEYS}),
        cases=cases,
        metrics=metrics,
        thresholds=thresholds,
        each=each,
        batched=settings["batch"] is not None,
        classified=labels is not None,
    )
    # What the cases define can only be told once each is as it was meant.
    gates = _gates(asked, root, problems) if len(problems) == before else ()
    return Suite(
        name=name,
        path=path,
        k=asked.k,
        metrics=asked.reported,
        scored=asked.scored(),
        memories=memories,
        cases=tuple(cases.cases),
        gates=gates,
        notes=cases.notes,
        retriever=settings["retriever"],
        policy=asked.policy,
        on_degraded=settings["on_degraded"],
        max_drop=settings["max_drop"],
        alpha=settings["alpha"],
        marks=marks,
        loop_scope=settings["async"],
        labels=labels or (),
    ).planned(Plan(**{key: settings[key] for key in _PLAN_KEYS}))


def _refuse_keys_of_retrievers(fields: Mapping[str, Pair], problems: Problems) -> None:
    for name, (key, value) in fields.items():
        if SUITE_KEYS.table[name].retrieval and not is_missing(value):
            problems.add(key, f"{name} is for retrievers, and labels make this the suite of a classifier")


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
