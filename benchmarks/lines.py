"""What reading cases from JSON lines costs, in the time of ``orjson.loads`` over the same lines.

    python benchmarks/lines.py [--cases 100000] [--rounds 9]

The two take turns, with the garbage collector paused as `load_suite` pauses it; each counts by its fastest round.
Exit 1 when a suite of bare cases is above the limit, or ten times as many take much more than ten times as long.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import orjson

from pytest_recall import load_suite

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 4.0
GROWTH = 15.0
MEMORIES = 2000

SUITES: dict[str, dict[str, Any]] = {
    "bare": {},
    "tagged": {"tags": ["legal", "old"], "kind": "fact"},
    "with arguments": {"args": {"user": "alice"}},
}


def write(directory: Path, more: dict[str, Any], count: int) -> list[bytes]:
    """A suite of so many cases; the lines of its cases."""
    corpus = ({"_id": f"doc-{i:05d}", "text": f"number {i}"} for i in range(MEMORIES))
    cases = (
        {
            "id": f"case-{i:05d}",
            "query": f"topic {i % 97} item {i}",
            "relevant": [f"doc-{i % MEMORIES:05d}", f"doc-{i * 7 % MEMORIES:05d}"],
            **more,
        }
        for i in range(count)
    )
    for name, records in (("corpus", corpus), ("cases", cases)):
        text = "".join(f"{json.dumps(record)}\n" for record in records)
        directory.joinpath(f"{name}.jsonl").write_text(text, encoding="utf-8")
    suite = "memories: {path: corpus.jsonl}\ncases: {path: cases.jsonl}\n"
    directory.joinpath("notes.eval.yaml").write_text(suite, encoding="utf-8")
    return directory.joinpath("cases.jsonl").read_bytes().splitlines()


def seconds(work: Callable[[], object]) -> float:
    """The processor time of one call; what it made is thrown away after that."""
    start = process_time()
    made = work()
    took = process_time() - start
    del made
    return took


def measure(more: dict[str, Any], count: int, rounds: int) -> tuple[float, float]:
    """The fastest seconds of parsing the lines, and of loading the suite."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        lines = write(directory, more, count)
        parsing, loading = [], []
        for _ in range(rounds):
            parsing.append(seconds(lambda: [orjson.loads(line) for line in lines]))
            loading.append(seconds(lambda: load_suite(directory / "notes.eval.yaml", root=directory)))
        return min(parsing), min(loading)


def main() -> int:
    """Print a row for each suite; 1 when the first is above the limit, or grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    gc.disable()
    ratios = []
    for name, more in SUITES.items():
        parsing, loading = measure(more, options.cases, options.rounds)
        ratios.append(loading / parsing)
        print(f"{name:16}{parsing * 1000:8.0f} ms to parse{loading * 1000:8.0f} ms to load{ratios[-1]:8.2f} times")
    _, few = measure(SUITES["bare"], options.cases // 10, options.rounds)
    _, many = measure(SUITES["bare"], options.cases, options.rounds)
    print(f"ten times the cases in {many / few:.1f} times the time")
    return int(ratios[0] > LIMIT or many / few > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
