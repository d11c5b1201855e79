"""Much of everything: time and memory at growing sizes, and the same update again and again.

Many suites of 20 cases, one suite of very many cases, very many items of `each`, and updates of one baseline in a row,
each run a process of its own with no other plugins. What a size costs is what the dearer of two runs takes, one that
records and one that compares, beyond a run of one bare test, in processor time and peak memory; ten times the size may
cost at most 15 times as much. Exit 1 when it costs more, when later updates take longer than the first, or when one
leaves anything behind.

    python benchmarks/soak.py [--only suites cases each updates] [--largest 100000]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from suites import BARE, CONFTEST, Cost, json_lines, project, pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SIZES = {"suites": (10, 100, 1_000), "cases": (1_000, 10_000, 100_000), "each": (1_000, 10_000)}
MOST_FOR_TEN_TIMES = 15.0
UPDATES = 50
MOST_FOR_THE_LAST = 1.3

METRICS = "metrics: [recall@5, mrr, ndcg@10]\nthresholds: {mrr: {min: 0}}\n"
BASELINE = "--eval-baseline=baseline.json"
TURNING = """\
import pathlib, pytest

@pytest.fixture(scope="module")
def retriever():
    turn = pathlib.Path(__file__).with_name("turn").read_text()
    return lambda query, k: [f"memory-{int(turn):04d}"]
"""


def suites(count: int) -> dict[str, str]:
    cases = "".join(f"  - {{query: question {case}, relevant: [memory-{case:04d}]}}\n" for case in range(20))
    text = f"{METRICS}memories:\n{memories(20)}cases:\n{cases}"
    return {f"suite_{number:04d}.eval.yaml": text for number in range(count)}


def memories(count: int) -> str:
    return "".join(f"  - {{id: memory-{number:04d}, text: what memory {number} says}}\n" for number in range(count))


def cases(count: int) -> dict[str, str]:
    return {
        "one.eval.yaml": f"{METRICS}cases: {{path: cases.jsonl}}\n",
        "cases.jsonl": json_lines({}, count).decode(),
    }


def each(count: int) -> dict[str, str]:
    return {**cases(count), "one.eval.yaml": "metrics: [mrr]\neach: {mrr: 0}\ncases: {path: cases.jsonl}\n"}


FILES: dict[str, Callable[[int], Mapping[str, str]]] = {"suites": suites, "cases": cases, "each": each}


def grow(directory: Path, part: str, bare: Cost, largest: int) -> bool:
    """Print what each size costs; whether ten times the size costs few enough times as much."""
    before, fine = None, True
    for size in (size for size in SIZES[part] if size <= largest):
        files = {"conftest.py": CONFTEST, **FILES[part](size)}
        folder = project(directory, f"{part}-{size}", files)
        recorded, compared = pytest(folder, BASELINE, "--eval-update"), pytest(folder, BASELINE)
        cost = Cost(*map(max, recorded, compared))
        own = Cost(cost.seconds - bare.seconds, cost.megabytes - bare.megabytes)
        print(f"{size:>7,} {part:<8} {cost.seconds:>7.2f} s {cost.megabytes:>6.0f} MB", end="", flush=True)
        if before is not None:
            times = (own.seconds / before.seconds, own.megabytes / max(before.megabytes, 1.0))
            fine = fine and max(times) <= MOST_FOR_TEN_TIMES
            print(f"   ten times the size: {times[0]:.1f} times the time, {times[1]:.1f} times the memory", end="")
        print(flush=True)
        before = own
    return fine


def update(directory: Path) -> bool:
    """Updates that each change the baseline."""
    folder = project(directory, "updates", {"conftest.py": TURNING, **suites(20), "turn": "0"})
    costs, sizes = [], set()
    for turn in range(UPDATES):
        (folder / "turn").write_text(str(turn % 2), encoding="utf-8")
        costs.append(pytest(folder, BASELINE, "--eval-update"))
        recorded = (folder / "baseline.json").read_bytes()
        sizes.add((turn % 2, len(recorded)))
        json.loads(recorded)
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    first, last = (median(cost.seconds for cost in part) for part in (costs[:10], costs[-10:]))
    print(
        f"{UPDATES:>7} updates  {first:>7.2f} s at first, {last:.2f} s at last, "
        f"{max(cost.megabytes for cost in costs):.0f} MB at most, left behind: {', '.join(left) or 'nothing'}"
    )
    return last <= first * MOST_FOR_THE_LAST and len(sizes) == 2 and not left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parts = [*SIZES, "updates"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, metavar="PART")
    parser.add_argument("--largest", type=int, default=100_000, help="size to stop at (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        # The first run writes the bytecode that all others find.
        pytest(project(directory, "first", {"conftest.py": CONFTEST, **suites(1)}), BASELINE, "--eval-update")
        bare = pytest(project(directory, "bare", {"test_bare.py": BARE}))
        print(f"      1 test     {bare.seconds:>7.2f} s {bare.megabytes:>6.0f} MB")
        fine = [
            update(directory) if part == "updates" else grow(directory, part, bare, options.largest)
            for part in options.only
        ]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
