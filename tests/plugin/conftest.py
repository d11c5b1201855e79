"""The suite that most tests of the plugin run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project

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


@pytest.fixture
def notes(project: Project) -> Project:
    """The project with a suite of two cases, both answered at rank 1."""
    project.write("notes.eval.yaml", NOTES)
    project.rankings({"q1": ["a", "b"], "q2": ["b", "a"]})
    return project
