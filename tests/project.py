"""A small project whose retriever has its rankings written down, and pytest run over it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

# pytester forgets the modules that a run in this process imported, and yaml's C part can't be imported twice.
import pytest_recall.plugin.collection  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest

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

    def run(self, *arguments: str, own_process: bool = False) -> pytest.RunResult:
        """Runs pytest here; in a process of its own where it starts workers or loops."""
        quiet = ("-p", "no:randomly", "-p", "no:cacheprovider")
        if own_process:
            return self.pytester.runpytest_subprocess(*quiet, *arguments)
        return self.pytester.runpytest_inprocess(*quiet, *arguments)

    def baseline(self, name: str = "baseline.json") -> str:
        return (self.path / name).read_text(encoding="utf-8")
