"""What an item judges, as reports and baselines call it: a suite or a test, and a system."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_recall._text import shorten

__all__ = ["first_line", "is_marked", "name_of", "parameter_id", "system_of"]


def is_marked(item: pytest.Item) -> bool:
    """A test written in Python that its own mark, its class's or its module's holds to something."""
    if item.get_closest_marker("recall") is None or hasattr(item.parent, "gates"):
        return False
    # With a case as its argument the mark only parametrises.
    return "eval_case" not in getattr(item, "fixturenames", ())


def first_line(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Why a test or a file failed, in one line."""
    crash: Any = getattr(report.longrepr, "reprcrash", None)
    text = report.longreprtext if crash is None else crash.message
    return shorten(text.strip().partition("\n")[0], 500)


def name_of(item: pytest.Function) -> tuple[str, str]:
    """What the scores of a marked test stand under."""
    return item.nodeid.removesuffix(item.name) + item.originalname, parameter_id(item) or "default"


def parameter_id(item: pytest.Function) -> str:
    """The item's parameter id, without anyio's part, which only says what runs the item; empty without parameters."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return ""
    parts: list[str] = callspec.id.split("-")
    backend = callspec.params.get("anyio_backend")
    if backend is None:
        return "-".join(parts)
    # With options it is a pair, and its id is the user's or pytest's.
    pattern = rf"{re.escape(backend[0])}.*|anyio_backend\d+" if isinstance(backend, tuple) else re.escape(backend)
    loop = next((part for part in parts if re.fullmatch(pattern, part)), None)
    if loop is not None:
        parts.remove(loop)
    return "-".join(parts)


def system_of(item: pytest.Function, name: str) -> str:
    """Retriever name plus parameter id; ids that pytest made up are told, for they change with the list."""
    id = parameter_id(item)
    if not id:
        return name
    callspec: Any = getattr(item, "callspec", None)
    if any(re.search(rf"(^|-){re.escape(argument)}\d+($|-)", callspec.id) for argument in callspec.params):
        item.warn(
            pytest.PytestWarning(
                f"parameter id {callspec.id!r} was made up by pytest and names the system in the baseline: "
                f"give the fixture ids=[...]"
            )
        )
    return f"{name}[{id}]"
