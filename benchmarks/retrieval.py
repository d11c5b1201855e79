"""What it takes to ask queries: ``python benchmarks/retrieval.py [--only concurrency]``.

``concurrency``: 200 queries of 20 ms each, one at a time and in eight threads; exit 1 unless the threads take less
than a second.

``executor``: 2,000 queries that each keep a processor busy for a few milliseconds, here and on a Dask cluster of two
worker processes, which starts before the clock does; exit 1 unless both give the same baseline, byte for byte.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_recall.asking import Plan
from pytest_recall.baseline import Baseline, entry_of, render
from pytest_recall.metrics import parse_metric
from pytest_recall.running import evaluate
from pytest_recall.suites import Case, Suite

if TYPE_CHECKING:
    from pytest_recall.evaluation import Evaluation

MEMORIES = [f"m{number}" for number in range(2_000)]


def suite_of(queries: int) -> Suite:
    """Queries of which each has one relevant memory."""
    metrics = tuple(parse_metric(name) for name in ("recall@10", "mrr", "ndcg@10"))
    cases = tuple(
        Case(id=f"q{number}", query=f"q{number}", relevant={MEMORIES[number % len(MEMORIES)]: 1})
        for number in range(queries)
    )
    path = Path("bench.eval.yaml")
    return Suite(name=path.name, path=path, k=10, metrics=metrics, scored=metrics, memories=(), cases=cases, gates=())


class Remote:
    """Waits, as for a server."""

    def __call__(self, query: str, k: int) -> list[str]:
        time.sleep(0.02)
        return [f"{query}-{rank}" for rank in range(k)]


class Busy:
    """Sorts all memories by a digest, whatever the query."""

    def __call__(self, query: str, k: int) -> list[str]:
        return sorted(MEMORIES, key=lambda id: hashlib.blake2b(f"{id} {query}".encode()).digest())[:k]


def baseline(evaluation: Evaluation) -> str:
    return render(Baseline(entries={("bench", "retriever"): entry_of(evaluation)}))


def concurrency() -> bool:
    asked, took = suite_of(200), {}
    for name, plan in {"serial": Plan(), "concurrency: 8": Plan(concurrency=8)}.items():
        start = time.perf_counter()
        evaluate(asked.planned(plan), Remote())
        took[name] = time.perf_counter() - start
        print(f"200 queries of 20 ms, {name:<16} {took[name]:>8.2f} s")
    return took["concurrency: 8"] < 1


def executor() -> bool:
    from distributed import Client, LocalCluster

    asked = suite_of(2_000)
    start = time.perf_counter()
    serial = evaluate(asked, Busy())
    print(f"2,000 busy queries, serial             {time.perf_counter() - start:>8.2f} s")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        start = time.perf_counter()
        spread = evaluate(asked, Busy(), executor=client.get_executor())
        print(f"2,000 busy queries, two Dask workers   {time.perf_counter() - start:>8.2f} s")
    same = baseline(serial) == baseline(spread)
    print("the same baseline" if same else "another baseline")
    return same


SECTIONS = {"concurrency": concurrency, "executor": executor}


def main() -> int:
    """Run the sections that were asked for, all by default."""
    parser = argparse.ArgumentParser(description="what it takes to ask queries")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="a section to run (repeatable)")
    results = [SECTIONS[name]() for name in parser.parse_args().only or SECTIONS]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
