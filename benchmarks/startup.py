"""What the plugin costs a pytest run that has no suites: ``python benchmarks/startup.py``.

Fresh processes take turns at one trivial test: with none of the plugins that are measured, with ours, and with each of
its peers that is installed. What a plugin costs is the difference of two medians. Exit 1 when ours costs more than the
limit, or when a run imported what only suites need. Other plugins in the environment add nothing but noise.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

LIMIT_MS = 8.0

OURS = "pytest-recall"
PEERS = ("pytest-benchmark", "syrupy", "deepeval")

TEST = "def test_nothing():\n    pass\n"
CONFTEST = """
import sys

def pytest_unconfigure(config):
    print("recall:", config.pluginmanager.hasplugin("recall"))
    print("imported:", *sorted({"orjson", "yaml"} & sys.modules.keys()))
"""


def entry_points() -> dict[str, list[str]]:
    """The names that pytest knows our plugin and its installed peers by."""
    found: dict[str, list[str]] = {}
    for name in (OURS, *PEERS):
        with suppress(PackageNotFoundError):
            found[name] = [point.name for point in distribution(name).entry_points if point.group == "pytest11"]
    return found


def without(plugins: dict[str, list[str]], kept: str | None) -> tuple[str, ...]:
    """The arguments that leave all of them out but one."""
    names = [name for plugin, points in plugins.items() if plugin != kept for name in points]
    return tuple(argument for name in names for argument in ("-p", f"no:{name}"))


def run(directory: Path, plugin: str | None, arguments: tuple[str, ...]) -> float:
    """The milliseconds that one pytest process takes.

    Raises:
        SystemExit: the run failed, our plugin is not there as it should, or it imported yaml or orjson.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    start = perf_counter()
    process = subprocess.run(command, capture_output=True, check=False, cwd=directory, encoding="utf-8", env=env)
    took = (perf_counter() - start) * 1000
    lines = process.stdout.splitlines()
    peer = plugin in PEERS
    if process.returncode or f"recall: {plugin == OURS}" not in lines or not (peer or "imported:" in lines):
        sys.exit(f"not the run that was meant: {' '.join(command)}\n{process.stdout}{process.stderr}")
    return took


def measure(rounds: int) -> dict[str | None, list[float]]:
    """The milliseconds of each run, by the plugin that it has."""
    plugins = entry_points()
    runs = {plugin: without(plugins, plugin) for plugin in (None, *plugins)}
    took: dict[str | None, list[float]] = {plugin: [] for plugin in runs}
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        directory.joinpath("test_nothing.py").write_text(TEST, encoding="utf-8")
        directory.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")
        directory.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        for plugin, arguments in runs.items():  # untimed: these write bytecode
            run(directory, plugin, arguments)
        for _ in range(rounds):
            for plugin, arguments in runs.items():
                took[plugin].append(run(directory, plugin, arguments))
    return took


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="start-up cost of the plugin in a run without suites")
    parser.add_argument("--pairs", type=int, default=100, help="how many processes of each (default: %(default)s)")
    took = measure(parser.parse_args().pairs)
    base = median(took[None])
    print(f"{'run with':<16} {'runs':>5} {'median ms':>10} {'quartiles ms':>16} {'cost ms':>8}")
    for plugin, times in took.items():
        low, middle, high = quantiles(times)
        cost = "" if plugin is None else f"{middle - base:.1f}"
        print(f"{plugin or 'none':<16} {len(times):>5} {middle:>10.1f} {f'{low:.1f} to {high:.1f}':>16} {cost:>8}")
    ours = median(took[OURS]) - base
    print(f"{OURS} costs {ours:.1f} ms, at most {LIMIT_MS:.1f}: {'ok' if ours <= LIMIT_MS else 'MISSED'}")
    return int(ours > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
