"""Items that run in processes of their own, which are no workers of pytest-xdist."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.project import Project

FORKING = """\
import json, os
from pathlib import Path
import pytest
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    hook, config = item.config.hook, item.config
    reader, writer = os.pipe()
    if not os.fork():
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        told = [hook.pytest_report_to_serializable(config=config, report=report) for report in reports]
        os.write(writer, json.dumps(told).encode("ascii"))
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="ascii") as told:
        for report in json.load(told):
            hook.pytest_runtest_logreport(report=hook.pytest_report_from_serializable(config=config, data=report))
    return True

@pytest.fixture
def retriever():
    return json.loads((Path(__file__).parent / "rankings.json").read_text()).__getitem__
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_for_each_item_records_what_one_for_all_does(project: Project) -> None:
    project.write("notes.eval.yaml", NOTES + "thresholds: {mrr: 0.1}\neach: {hit_rate@1: 0}\n")
    project.rankings({"q1": ["a", "b"], "q2": ["a", "b"]})
    project.run(BASELINE, "--eval-update").assert_outcomes(passed=4)
    recorded = project.baseline()
    (project.path / "baseline.json").unlink()
    project.write("conftest.py", FORKING)
    # What is told of each item arrives, though no two were in one process.
    project.run(BASELINE, "--eval-update").assert_outcomes(passed=4)
    assert project.baseline() == recorded
