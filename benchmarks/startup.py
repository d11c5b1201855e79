"""What the plugin costs a pytest run that has no suites: ``python benchmarks/startup.py``.

Pairs of fresh processes, one with the plugin and one with ``-p no:recall``, take turns at one trivial test. The cost is
the difference of the two medians. Exit 1 when it is above the limit, or when a run imported what only suites need.
Other plugins in the environment add nothing but noise.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

LIMIT_MS = 8.0

TEST = "def test_nothing():\n    pass\n"
CONFTEST = """
import sys

def pytest_unconfigure(config):
    print("recall:", config.pluginmanager.hasplugin("recall"))
    print("imported:", *sorted({"orjson", "yaml"} & sys.modules.keys()))
"""

RUNS = {"with the plugin": (), "-p no:recall": ("-p", "no:recall")}


def run(directory: Path, arguments: tuple[str, ...]) -> float:
    """The milliseconds that one pytest process takes.

    Raises:
        SystemExit: the run failed, the plugin is not installed, or yaml or orjson was imported.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    start = perf_counter()
    process = subprocess.run(command, capture_output=True, check=False, cwd=directory, encoding="utf-8", env=env)
    took = (perf_counter() - start) * 1000
    lines = process.stdout.splitlines()
    if process.returncode or f"recall: {not arguments}" not in lines or "imported:" not in lines:
        sys.exit(f"not the run that was meant: {' '.join(command)}\n{process.stdout}{process.stderr}")
    return took


def measure(pairs: int) -> dict[str, list[float]]:
    """The milliseconds of each run, by its name."""
    took: dict[str, list[float]] = {name: [] for name in RUNS}
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        directory.joinpath("test_nothing.py").write_text(TEST, encoding="utf-8")
        directory.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")
        directory.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        for arguments in RUNS.values():  # untimed: these write bytecode
            run(directory, arguments)
        for _ in range(pairs):
            for name, arguments in RUNS.items():
                took[name].append(run(directory, arguments))
    return took


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="start-up cost of the plugin in a run without suites")
    parser.add_argument("--pairs", type=int, default=100, help="how many pairs of processes (default: %(default)s)")
    took = measure(parser.parse_args().pairs)
    print(f"{'run':<16} {'runs':>5} {'median ms':>10} {'quartiles ms':>16}")
    for name, times in took.items():
        low, _, high = quantiles(times)
        print(f"{name:<16} {len(times):>5} {median(times):>10.1f} {f'{low:.1f} to {high:.1f}':>16}")
    with_plugin, without = map(median, took.values())
    cost = with_plugin - without
    print(f"{'difference':<16} {'':>5} {cost:>10.1f} {f'limit {LIMIT_MS:.1f}':>16}")
    return int(cost > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
