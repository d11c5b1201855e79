"""A small project with a suite and a retriever whose rankings are written down."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

# pytester forgets the modules that a run in this process imported, and yaml's C part can't be imported twice.
import pytest_recall.plugin.collection  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NOTES = """\
k: 3
metrics: [recall@3, mrr]
memories:
  - {id: a, text: alpha}
  - {id: b, text: beta}
  - {id: c, text: gamma}
  - {id: d, text: delta}
cases:
  - {id: one, query: q1, relevant: [a]}
  - {id: two, query: q2, relevant: [b]}
"""

CONFTEST = """\
import json
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def retriever():
    rankings = json.loads(Path(__file__).with_name("rankings.json").read_text())
    return lambda query, k: rankings[query]
"""


class Project:
    """Files in a folder of its own, and pytest run over them."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester

    @property
    def path(self) -> Path:
        return self.pytester.path

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def rankings(self, rankings: Mapping[str, Sequence[str]]) -> None:
        """The retriever of the project: query → ids."""
        self.write("conftest.py", CONFTEST)
        self.write("rankings.json", json.dumps(rankings))

    def run(self, *arguments: str, workers: bool = False) -> pytest.RunResult:
        """Runs pytest here; in a process of its own where it starts workers."""
        quiet = ("-p", "no:randomly", "-p", "no:cacheprovider")
        if workers:
            return self.pytester.runpytest_subprocess(*quiet, *arguments)
        return self.pytester.runpytest_inprocess(*quiet, *arguments)

    def baseline(self, name: str = "baseline.json") -> str:
        return (self.path / name).read_text(encoding="utf-8")


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)


@pytest.fixture
def notes(project: Project) -> Project:
    """The project with a suite of two cases, both answered at rank 1."""
    project.write("notes.eval.yaml", NOTES)
    project.rankings({"q1": ["a", "b"], "q2": ["b", "a"]})
    return project
