"""A process that is killed while it updates leaves the old file or the new one."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.conftest import Require

KILLS = 200

# One process forks those that are killed, so that none of them spends its life importing.
SCRIPT = """
import os, random, signal, sys, time
from dataclasses import replace
from pathlib import Path
from pytest_recall.baseline import update_baseline
from tests.unit.baseline.builders import KEY, entry, text_of

path, chance = Path(sys.argv[1]), random.Random(0)
case = entry().cases["lease-end"]
low, high = (replace(entry(mrr), cases={f"case {n}": case for n in range(500)}) for mrr in (0.25, 0.75))
whole = {text_of({KEY: each}).encode(): name for name, each in {"low": low, "high": high}.items()}
update_baseline(path, {KEY: low})
start = time.perf_counter()
update_baseline(path, {KEY: high})
took = time.perf_counter() - start
found = []
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        while True:
            update_baseline(path, {KEY: low})
            update_baseline(path, {KEY: high})
    # Anywhere in the first three updates.
    time.sleep(chance.uniform(0, 3 * took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found.append(whole[path.read_bytes()])
update_baseline(path, {KEY: low})
print(len(found), *sorted(set(found)))
"""


def test_the_file_is_the_old_or_the_new_one_whenever_it_is_killed(
    tmp_path: Path, pytestconfig: pytest.Config, require: Require
) -> None:
    if not hasattr(os, "fork"):
        require.missing("no fork on this system")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "baseline.json"), str(KILLS)],
        capture_output=True,
        check=False,
        cwd=pytestconfig.rootpath,
        text=True,
    )
    # Each was found, so the kills did meet updates; and the last update was not held up by a lock of the dead.
    assert (done.stdout, done.stderr) == (f"{KILLS} high low\n", "")
