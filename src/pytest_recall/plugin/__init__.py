"""The pytest plugin. Only hooks live here, and none does any work in a run without suites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.plugin import hookspecs
from pytest_recall.plugin.fixtures import (
    answerer,
    classifier,
    eval_case,
    eval_executor,
    eval_memories,
    eval_suite,
    lexical_retriever,
    recall,
    retriever,
)
from pytest_recall.plugin.options import add_options, check_options, is_capture_file, is_suite_file

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pytest_recall.plugin.collection import GateFile

__all__ = [
    "answerer",
    "classifier",
    "eval_case",
    "eval_executor",
    "eval_memories",
    "eval_suite",
    "lexical_retriever",
    "recall",
    "retriever",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "recall(FILE, min_mrr=0.8, max_drop=0.02, ...): holds what a test records, or a suite, to retrieval gates; "
        "every item of a *.eval.yaml suite carries it",
    )
    check_options(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GateFile | None:
    if not is_suite_file(file_path, parent.config):
        return None
    if is_capture_file(file_path):
        from pytest_recall.plugin.captures import CaptureFile  # noqa: PLC0415  # as below

        return CaptureFile.from_parent(parent, path=file_path)
    from pytest_recall.plugin.collection import EvalFile  # noqa: PLC0415  # yaml is loaded with the first suite

    return EvalFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "eval_case" in metafunc.fixturenames and metafunc.definition.get_closest_marker("recall") is not None:
        from pytest_recall.plugin.marked import parametrize_cases  # noqa: PLC0415

        parametrize_cases(metafunc)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if any(map(_may_record, items)):
        from pytest_recall.plugin.marked import MarkedTests  # noqa: PLC0415
        from pytest_recall.plugin.session import EvalSession  # noqa: PLC0415

        config.pluginmanager.register(MarkedTests(EvalSession.of(config)), "recall-marked-tests")


def _may_record(item: pytest.Item) -> bool:
    """A test, and no item of a suite, that carries the mark or asks for the fixture `recall`."""
    if hasattr(item.parent, "gates"):
        return False
    return "recall" in getattr(item, "fixturenames", ()) or item.get_closest_marker("recall") is not None
