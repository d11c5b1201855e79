"""Suites from the few lines that a test is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.errors import SuiteError
from pytest_recall.suites import load_suite

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_recall.suites import Suite

MEMORIES = "memories: [{id: a, text: alpha}, {id: b, text: beta}]\n"
CASES = "cases: [{query: first, relevant: [a]}]\n"


def load(folder: Path, text: str, name: str = "notes.eval.yaml") -> Suite:
    """The suite in a text."""
    path = folder / name
    path.write_bytes(text.encode())
    return load_suite(path, root=folder)


def mistakes(folder: Path, text: str, name: str = "notes.eval.yaml") -> list[str]:
    """The mistakes in a text, without the name of the file."""
    with pytest.raises(SuiteError) as raised:
        load(folder, text, name)
    return [line.removeprefix(f"{name}:") for line in str(raised.value).splitlines()]
