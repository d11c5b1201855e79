"""Suites of 10,000 cases: running them, an item a case, reading them; 100,000 cases as JSON lines.

Everything is measured beside what it can't be faster than: reading beside the bare parser, runs beside pytest without
suites. Times are processor time, the least of several tries made in turn; reading is measured with the garbage
collector on for both sides, as it is by default, and off for both, which has no limit. Runs are processes of their own
with no other plugins, and find the bytecode of the first. Exit 1 when a target is missed.

    python benchmarks/suites.py [--repeat 7] [--runs 3] [--only run each read lines]
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CASES, MEMORIES, LINES = 10_000, 2_000, 100_000

READ_RATIO = 0.6
LINES_RATIO = 4.0
EACH_RATIO = 1.6
RUN_SECONDS, RUN_MEGABYTES = 2.0, 150.0

HEAD = """\
k: 10
metrics: [recall@5, mrr, ndcg@10]
thresholds: {recall@5: 0, mrr: {min: 0}}
"""
CONFTEST = """\
import pytest

@pytest.fixture(scope="module")
def retriever():
    return lambda query, k: ["memory-0001", "memory-0002", "memory-0003"]
"""
BARE = "def test_nothing(): pass\n"


class Cost(NamedTuple):
    """Of one process."""

    seconds: float
    megabytes: float


def words(chance: random.Random, amount: int) -> str:
    return " ".join(chance.choice(VOCABULARY) for _ in range(amount))


def vocabulary() -> list[str]:
    chance = random.Random(3)
    return ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(2000)]


VOCABULARY = vocabulary()


def suite(extra: str = "") -> str:
    """About 1 MB of YAML, as people write it: a line a memory, a line a case, most of them tagged."""
    chance = random.Random(7)
    memories = [f"  - {{id: memory-{number:04d}, text: {words(chance, 10)}}}\n" for number in range(MEMORIES)]
    cases = []
    for number in range(CASES):
        relevant = ", ".join(f"memory-{chance.randrange(MEMORIES):04d}" for _ in range(chance.choice((1, 1, 2, 3))))
        tags = f", tags: [group-{number % 7}]" if number % 3 else ""
        cases.append(f"  - {{query: {words(chance, 5)} {number}, relevant: [{relevant}]{tags}}}\n")
    return "".join((HEAD, extra, "memories:\n", *memories, "cases:\n", *cases))


# What a case has beside its query and what is relevant.
FORMS: dict[str, dict[str, Any]] = {
    "bare": {},
    "tagged": {"tags": ["legal", "old"], "kind": "fact"},
    "with arguments": {"args": {"user": "alice"}},
}


def json_lines(more: Mapping[str, Any], count: int) -> bytes:
    import orjson

    chance = random.Random(7)
    cases = (
        {"query": f"{words(chance, 5)} {number}", "relevant": [f"memory-{chance.randrange(MEMORIES):04d}"], **more}
        for number in range(count)
    )
    return b"".join(orjson.dumps(case) + b"\n" for case in cases)


def least(repeat: int, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of processor time, by name."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            gc.collect()
            start = time.process_time()
            made = call()
            best[name] = min(best[name], (time.process_time() - start) * 1000)
            del made
    return best


def compare(title: str, times: Mapping[str, float], most: float, unit: str = "ms") -> bool:
    """Print the two times and their ratio; whether it is small enough."""
    (ours, our_time), (theirs, their_time) = times.items()
    ratio = our_time / their_time
    verdict = "" if most == inf else f", at most {most}: {'ok' if ratio <= most else 'MISSED'}"
    print(
        f"{title:<34} {ours} {our_time:,.2f} {unit}, {theirs} {their_time:,.2f} {unit}: {ratio:.2f}{verdict}",
        flush=True,
    )
    return ratio <= most


def read(directory: Path, options: argparse.Namespace) -> bool:
    import yaml

    from pytest_recall.suites import load_suite

    text = suite()
    path = directory / "read.eval.yaml"
    path.write_text(text, encoding="utf-8")
    calls = {"load_suite": lambda: load_suite(path), "yaml.load": lambda: yaml.load(text, yaml.CSafeLoader)}
    print(f"{CASES:,} cases, {MEMORIES:,} memories, {len(text) / 1e6:.2f} MB of YAML")
    return compare_both_ways("read", options.repeat, calls, READ_RATIO)


def compare_both_ways(title: str, repeat: int, calls: Mapping[str, Callable[[], object]], most: float) -> bool:
    """With the collector on for both, as it is by default, which has the limit; and off for both."""
    fine = compare(f"{title}, collector on", least(repeat, calls), most)
    gc.disable()
    compare(f"{title}, collector off", least(repeat, calls), inf)
    gc.enable()
    return fine


def lines(directory: Path, options: argparse.Namespace) -> bool:
    import orjson

    from pytest_recall.suites import load_suite

    path = directory / "lines.eval.yaml"
    path.write_text("metrics: [mrr]\ncases: {path: cases.jsonl}\n", encoding="utf-8")
    source = directory / "cases.jsonl"
    calls: dict[str, Callable[[], object]] = {
        "load_suite": lambda: load_suite(path, root=directory),
        "orjson.loads": lambda: [orjson.loads(line) for line in written],
    }
    fine = True
    for form, more in FORMS.items():
        written = json_lines(more, LINES).splitlines(keepends=True)
        source.write_bytes(b"".join(written))
        # Only bare lines have a limit.
        most = LINES_RATIO if form == "bare" else inf
        fine = compare_both_ways(f"{LINES:,} lines, {form}", options.repeat, calls, most) and fine
    took = []
    for count in (LINES // 10, LINES):
        source.write_bytes(json_lines({}, count))
        took.append(least(options.repeat, {"load_suite": calls["load_suite"]})["load_suite"])
    print(f"ten times the lines in {took[1] / took[0]:.1f} times the time")
    return fine


def project(directory: Path, name: str, files: Mapping[str, str]) -> Path:
    folder = directory / name
    folder.mkdir()
    for file, text in {"pytest.ini": "[pytest]\n", **files}.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def pytest(folder: Path, *arguments: str) -> Cost:
    """One run, with the plugin and no other; what it costs.

    Raises:
        SystemExit: it was not green.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_recall.plugin", *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONDONTWRITE"))}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            sys.exit(f"not the run that was meant: {folder.name}\n{output.read().decode()[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def cheapest(folders: list[Path], runs: int) -> list[Cost]:
    """The least time and memory of each, run in turn."""
    rounds = [[pytest(folder) for folder in folders] for _ in range(runs)]
    return [Cost(*map(min, zip(*costs, strict=True))) for costs in zip(*rounds, strict=True)]


def run(directory: Path, options: argparse.Namespace) -> bool:
    bare = project(directory, "bare", {"test_bare.py": BARE})
    whole = project(directory, "whole", {"conftest.py": CONFTEST, "whole.eval.yaml": suite()})
    alone, cost = cheapest([bare, whole], options.runs)
    fine = cost.seconds <= RUN_SECONDS and cost.megabytes <= RUN_MEGABYTES
    print(
        f"{'the whole run':<34} {cost.seconds:.2f} s, {cost.megabytes:.0f} MB (one bare test {alone.seconds:.2f} s, "
        f"{alone.megabytes:.0f} MB), at most {RUN_SECONDS:g} s, {RUN_MEGABYTES:g} MB: {'ok' if fine else 'MISSED'}",
        flush=True,
    )
    return fine


def each(directory: Path, options: argparse.Namespace) -> bool:
    tests = "".join(f"def test_{number}(): pass\n" for number in range(CASES))
    trivial = project(directory, "trivial", {"test_trivial.py": tests})
    items = project(directory, "each", {"conftest.py": CONFTEST, "each.eval.yaml": suite("each: {hit_rate@10: 0}\n")})
    theirs, ours = cheapest([trivial, items], options.runs)
    return compare(
        f"{CASES:,} items of `each`", {"ours": ours.seconds, "trivial tests": theirs.seconds}, EACH_RATIO, "s"
    )


# Runs come first, and what is only read with is imported there: Linux counts the memory of the process that starts
# another as the other's.
PARTS = {"run": run, "each": each, "read": read, "lines": lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7, help="tries of each reading (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="tries of each run of pytest (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        fine = [part(Path(temporary), options) for name, part in PARTS.items() if name in options.only]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
