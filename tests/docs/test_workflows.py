"""The workflow of GitHub runs the sessions of nox, all of the matrix and nothing else."""

from __future__ import annotations

import importlib.util
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from types import ModuleType

    from tests.conftest import Require

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]


@pytest.fixture(scope="module")
def noxfile(require: Require) -> ModuleType:
    require.library("nox")
    spec = importlib.util.spec_from_file_location("noxfile", ROOT / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_matrix_is_that_of_nox(noxfile: ModuleType) -> None:
    axes = JOBS["matrix"]["strategy"]["matrix"]
    command = JOBS["matrix"]["steps"][-1]["run"]
    sessions = []
    for values in product(*axes.values()):
        session = command
        for axis, value in zip(axes, values, strict=True):
            session = session.replace(f"${{{{ matrix.{axis} }}}}", value)
        sessions.append(session)
    assert sorted(sessions) == sorted(f'python -m nox --session "matrix({each.id})"' for each in noxfile.MATRIX)


def test_corners_meet_every_value_of_every_axis(noxfile: ModuleType) -> None:
    corners = [each for each in noxfile.MATRIX if "corner" in each.tags]
    assert len(corners) == len(noxfile.CORNERS) == 8
    axes = (noxfile.PYTHONS, noxfile.PYTESTS, (False, True), (False, True))
    for values, met in zip(axes, zip(*noxfile.CORNERS, strict=True), strict=True):
        assert set(met) == set(values)


def test_all_other_sessions_are_checks(noxfile: ModuleType) -> None:
    sessions = {name for name, each in vars(noxfile).items() if hasattr(each, "should_warn")}
    # What coverage finds is for those who work on it.
    assert {*JOBS["checks"]["strategy"]["matrix"]["session"], "matrix", "coverage"} == sessions


def test_a_job_may_only_read_and_runs_actions_of_a_major_version() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for job in JOBS.values():
        assert "permissions" not in job
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v0"))
