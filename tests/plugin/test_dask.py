"""Queries on two workers of a Dask cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

QUERIES = 2_000
MEMORIES = 50

SEARCH = """\
import hashlib
import os

class Index:
    def __init__(self, not_in=None):
        self.not_in, self.ids = not_in, None

    def search(self, query, k):
        assert os.getpid() != self.not_in, "asked in pytest's own process"
        if self.ids is None:
            self.ids = [f"m{number}" for number in range(50)]
        return sorted(self.ids, key=lambda id: hashlib.sha256(f"{id} {query}".encode()).digest())[:k]
"""

SERIAL = """\
import os
import pytest
from search import Index

@pytest.fixture(scope="session")
def retriever():
    return Index()

@pytest.fixture(scope="session")
def closure():
    return lambda query: [query]
"""

ON_DASK = """

@pytest.fixture(scope="session")
def eval_executor():
    from distributed import Client, LocalCluster
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()
"""


@pytest.fixture(scope="module", autouse=True)
def _dask(require: Require) -> None:
    # Imported before pytester remembers what was: Dask teaches Python to pickle exceptions, and can't do it twice.
    require.library("distributed")


def test_a_cluster_gives_the_serial_bytes_and_takes_a_closure(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(project.path))
    memories = "".join(f"  - {{id: m{number}}}\n" for number in range(MEMORIES))
    cases = "".join(f"  - {{query: q{number}, relevant: [m{number % MEMORIES}]}}\n" for number in range(QUERIES))
    project.write("s.eval.yaml", f"metrics: [recall@10, mrr, ndcg@10]\nmemories:\n{memories}cases:\n{cases}")
    project.write("c.eval.yaml", "retriever: closure\nmetrics: [mrr]\ncases:\n  - {query: a, relevant: [a]}\n")
    project.write("search.py", SEARCH)
    project.write("conftest.py", SERIAL)
    project.run(BASELINE, "--eval-update", own_process=True).assert_outcomes(passed=4)
    serial = project.baseline()
    (project.path / "baseline.json").unlink()
    project.write("conftest.py", SERIAL.replace("Index()", "Index(not_in=os.getpid())") + ON_DASK)
    project.run(BASELINE, "--eval-update", own_process=True).assert_outcomes(passed=4)
    assert project.baseline() == serial
