"""``pytest-recall score`` beside ir_measures' command, on a TREC run of 6,980 queries with 1,000 results each.

Both are whole processes that read the same two files and print the same six means, run in turn. What counts is the
least processor time, which other processes change little, and the largest memory. Exit 1 when the means differ or a
target is missed.

    python benchmarks/score.py [--repeat 3] [--queries 6980] [--depth 1000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from metrics import work

LEAST_SPEEDUP = 4.0
MOST_MEMORY = 0.1

# Ours → theirs.
METRICS = {
    "recall@10": "R@10",
    "precision@10": "P@10",
    "hit_rate@10": "Success@10",
    "mrr": "RR",
    "ndcg@10": "nDCG@10",
    "map": "AP",
}


def write(folder: Path, queries: int, depth: int) -> tuple[str, str]:
    """The files, as a system would have written them."""
    qrels, rankings = work(f"{queries}x{depth}")
    with folder.joinpath("qrels.txt").open("w") as file:
        file.writelines(f"{query} 0 {id} {grade}\n" for query, judged in qrels.items() for id, grade in judged.items())
    with folder.joinpath("run.txt").open("w") as file:
        file.writelines(
            f"{query} Q0 {id} {rank} {depth - rank + 0.5} bm25\n"
            for query, ids in rankings.items()
            for rank, id in enumerate(ids, 1)
        )
    return str(folder / "qrels.txt"), str(folder / "run.txt")


def run(command: list[str]) -> tuple[float, float, dict[str, float]]:
    """Processor seconds, megabytes and printed values of a process."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    rows = [line.split("\t") for line in printed.splitlines()]
    seconds = usage.ru_utime + usage.ru_stime
    return seconds, usage.ru_maxrss / 1024, {row[0]: float(row[-1]) for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    scripts = Path(sys.executable).parent
    with TemporaryDirectory() as folder:
        files = write(Path(folder), options.queries, options.depth)
        commands = {
            "pytest-recall": [str(scripts / "pytest-recall"), "score", *files, "-m", *METRICS],
            "ir_measures": [str(scripts / "ir_measures"), *files, *METRICS.values()],
        }
        runs = [{name: run(command) for name, command in commands.items()} for _ in range(options.repeat)]
    seconds = {name: min(each[name][0] for each in runs) for name in commands}
    megabytes = {name: max(each[name][1] for each in runs) for name in commands}
    for name in commands:
        print(f"{name:<14} {seconds[name]:>7.2f} s {megabytes[name]:>9.1f} MB")
    ours, theirs = runs[0]["pytest-recall"][2], runs[0]["ir_measures"][2]
    # Both print four decimals.
    same = all(abs(ours[metric] - theirs[name]) <= 1.01e-4 for metric, name in METRICS.items())
    speedup = seconds["ir_measures"] / seconds["pytest-recall"]
    memory = megabytes["pytest-recall"] / megabytes["ir_measures"]
    print(
        f"{speedup:.1f} times as fast (at least {LEAST_SPEEDUP:g}), "
        f"{memory:.2f} of its memory (at most {MOST_MEMORY:g})"
    )
    print("the same means" if same else f"other means: {ours} and {theirs}")
    return 0 if same and speedup >= LEAST_SPEEDUP and memory <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
