"""What it takes to ask queries: ``python benchmarks/retrieval.py [--only overhead]``.

``overhead``: microseconds that `evaluate` adds to each of 1,000 queries, over a bare loop around a retriever that has
its answer ready, by what it returns and how much of it, with the default five metrics. Reading makes a ranking of what
was returned, scoring a case's result of its ranking; the rest calls, measures latency and sums up. Processor time, the
fastest of rounds in which all parts take turns; exit 1 when ten ids take more than the limit.

``concurrency``: 200 queries of 20 ms each, one at a time and in eight threads; exit 1 unless the threads take less
than a second.

``executor``: 2,000 queries that each keep a processor busy for a few milliseconds, here and on a Dask cluster of two
worker processes, which starts before the clock does; exit 1 unless both give the same baseline, byte for byte.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_recall.asked import Asked, results_of
from pytest_recall.asking import Plan
from pytest_recall.baseline import Baseline, entry_of, render
from pytest_recall.evaluation import Policy
from pytest_recall.metrics import default_metrics, parse_metric
from pytest_recall.retrieval import Reader
from pytest_recall.running import evaluate
from pytest_recall.suites import Case, Suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.evaluation import Evaluation

LIMIT_US = 15.0
ROUNDS = 20

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


@dataclass(slots=True)
class Hit:
    """What most search libraries return."""

    id: str
    score: float


FORMS: dict[str, Callable[[str, int], Any]] = {
    "ids": lambda id, _: id,
    "pairs": lambda id, rank: (id, 1 / rank),
    "dicts": lambda id, rank: {"id": id, "score": 1 / rank, "text": "what is stored"},
    "objects": lambda id, rank: Hit(id, 1 / rank),
}


def overhead() -> bool:
    print(f"{'µs a query':<10} {'k':>5} {'bare':>8} {'added':>8} {'reading':>8} {'scoring':>8} {'rest':>8}")
    added = {(form, k): _overhead(form, k) for k in (10, 100) for form in FORMS}
    return added["ids", 10] <= LIMIT_US


def _overhead(form: str, k: int) -> float:
    metrics = tuple(metric for metric in default_metrics(k) if metric.family == "ranking")
    asked = replace(suite_of(1_000), k=k, metrics=metrics, scored=metrics)
    results = [FORMS[form](id, rank) for rank, id in enumerate(MEMORIES[:k], 1)]

    def retriever(query: str, k: int) -> list[Any]:  # noqa: ARG001  # as retrievers are
        return results

    def read() -> list[Asked]:
        reader = Reader(k, Policy())
        return [Asked(case=case, reading=reader.read(results, case.query), latency_ms=1.0) for case in asked.cases]

    readings = read()
    took = _fastest(
        {
            "bare": lambda: [retriever(case.query, k) for case in asked.cases],
            "evaluate": lambda: evaluate(asked, retriever),
            "reading": read,
            "scoring": lambda: results_of(readings, metrics, Policy()),
        }
    )
    bare, whole, reading, scoring = (seconds * 1e6 / len(asked.cases) for seconds in took.values())
    added = whole - bare
    rest = added - reading - scoring
    print(f"{form:<10} {k:>5} {bare:>8.2f} {added:>8.1f} {reading:>8.1f} {scoring:>8.1f} {rest:>8.1f}")
    return added


def _fastest(parts: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of processor time of each part, which take turns."""
    taken: dict[str, list[float]] = {part: [] for part in parts}
    for _ in range(ROUNDS):
        for part, call in parts.items():
            gc.collect()
            start = time.process_time()
            call()
            taken[part].append(time.process_time() - start)
    return {part: min(seconds) for part, seconds in taken.items()}


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


SECTIONS = {"overhead": overhead, "concurrency": concurrency, "executor": executor}


def main() -> int:
    """Run the sections that were asked for, all by default."""
    parser = argparse.ArgumentParser(description="what it takes to ask queries")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="a section to run (repeatable)")
    results = [SECTIONS[name]() for name in parser.parse_args().only or SECTIONS]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
