"""Six metrics from lists of ids and dicts of grades, beside the libraries of the field.

The work is the same for all: recall@10, precision@10, hit_rate@10, mrr, ndcg@10 and map of every query, from Python
objects in memory, checks and conversion included. Times are medians of calls made in turn in one process; memory is the
peak of a process that makes one call. The means must agree to 1e-9 and every target be met, or the run fails.

    python benchmarks/metrics.py [--sizes 100x10 1000x100 ...] [--repeat 5] [--peers pytrec_eval ...]
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Qrels = dict[str, dict[str, int]]
    Rankings = dict[str, list[str]]
    Call = Callable[[], dict[str, float]]

METRICS = ("recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map")
SIZES = {"100x10": 1, "1000x100": 1, "1000x100 graded": 3, "10000x100": 1, "6980x1000": 1, "100000x10": 1}
PEERS = ("pytrec_eval", "ir_measures", "ranx")

# At most this share of the peer's time.
TARGETS = {
    "pytrec_eval": {
        "100x10": 0.9,
        "1000x100": 0.35,
        "1000x100 graded": 0.45,
        "10000x100": 0.35,
        "6980x1000": 0.2,
        "100000x10": 0.7,
    },
    "ranx": dict.fromkeys(SIZES, 0.1),
}


def work(size: str) -> tuple[Qrels, Rankings]:
    """About five relevant ids a query, some 60 % of them retrieved, near the top more often."""
    queries, depth = (int(part) for part in size.partition(" ")[0].split("x"))
    chance = random.Random(7)
    documents = max(20_000, depth * 20)
    pool = [f"doc_{number:07d}" for number in range(documents)]
    qrels: Qrels = {}
    rankings: Rankings = {}
    for number in range(queries):
        wanted = chance.choice((1, 2, 3, 4, 5, 5, 6, 7, 8, 9))
        start = chance.randrange(documents - depth - 40)
        ids = pool[start : start + depth]
        relevant = [
            ids[min(depth - 1, int(depth * chance.random() ** 2.5))]
            if chance.random() < 0.6
            else pool[start + depth + place]
            for place in range(wanted)
        ]
        query = f"query_{number:06d}"
        rankings[query] = ids
        qrels[query] = {id: chance.randint(1, SIZES.get(size, 1)) for id in relevant}
    return qrels, rankings


def scored(rankings: Rankings) -> dict[str, dict[str, float]]:
    """The rankings as the peers want them; made before the clock starts."""
    return {query: {id: float(len(ids) - rank) for rank, id in enumerate(ids)} for query, ids in rankings.items()}


def ours(qrels: Qrels, rankings: Rankings) -> Call:
    from pytest_recall import ranking_metrics

    def call() -> dict[str, float]:
        columns = ranking_metrics(qrels, rankings, metrics=METRICS, average=None)
        return {name: math.fsum(column.values()) / len(column) for name, column in columns.items()}

    return call


def pytrec_eval(qrels: Qrels, rankings: Rankings) -> Call:
    import pytrec_eval as library

    run = scored(rankings)
    names = dict(zip(METRICS, ("recall_10", "P_10", "success_10", "recip_rank", "ndcg_cut_10", "map"), strict=True))
    asked = {"recall.10", "P.10", "success.10", "recip_rank", "ndcg_cut.10", "map"}

    def call() -> dict[str, float]:
        values = list(library.RelevanceEvaluator(qrels, asked).evaluate(run).values())
        return {name: math.fsum(value[theirs] for value in values) / len(values) for name, theirs in names.items()}

    return call


def ir_measures(qrels: Qrels, rankings: Rankings) -> Call:
    import ir_measures as library
    from ir_measures import AP, RR, P, R, Success, nDCG

    run = scored(rankings)
    measures = dict(zip(METRICS, (R @ 10, P @ 10, Success @ 10, RR, nDCG @ 10, AP), strict=True))

    def call() -> dict[str, float]:
        values = library.calc_aggregate(list(measures.values()), qrels, run)
        return {name: values[measure] for name, measure in measures.items()}

    return call


def ranx(qrels: Qrels, rankings: Rankings) -> Call:
    from ranx import Qrels as TheirQrels
    from ranx import Run, evaluate

    run = scored(rankings)

    def call() -> dict[str, float]:
        return {name: float(value) for name, value in evaluate(TheirQrels(qrels), Run(run), list(METRICS)).items()}

    return call


LIBRARIES = {"ours": ours, "pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}


def measure(size: str, names: list[str], repeat: int) -> dict[str, Any]:
    """Seconds of each library, called in turn, and its means."""
    qrels, rankings = work(size)
    calls = {name: LIBRARIES[name](qrels, rankings) for name in names}
    means = {name: call() for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in names}
    gc.disable()
    for _ in range(repeat):
        for name, call in calls.items():
            gc.collect()
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {"seconds": {name: statistics.median(taken) for name, taken in times.items()}, "means": means}


def peak(size: str, name: str) -> dict[str, Any]:
    """Megabytes that one call adds to a process that holds the work."""
    call = LIBRARIES[name](*work(size))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    return {"megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def child(*arguments: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--child", *arguments], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def report(size: str, names: list[str], repeat: int) -> bool:
    """Print one size; whether everything agrees and every target is met."""
    small = size.startswith("100x")
    measured = child("time", size, str(repeat * 6 if small else repeat), *names)
    seconds, fine = measured["seconds"], True
    for name in names:
        mean = measured["means"]["ours"]
        off = max(abs(mean[metric] - measured["means"][name][metric]) for metric in METRICS)
        ratio = seconds["ours"] / seconds[name]
        target = TARGETS.get(name, {}).get(size)
        verdict = "" if target is None else f"at most {target}: {'ok' if ratio <= target else 'MISSED'}"
        fine = fine and off <= 1e-9 and (target is None or ratio <= target)
        memory = child("memory", size, name)["megabytes"]
        print(
            f"{size:<16} {name:<12} {seconds[name] * 1000:>9.2f} ms {ratio:>6.2f} {memory:>8.1f} MB  {verdict}"
            f"{'' if off <= 1e-9 else f'  DIFFERS by {off:g}'}".rstrip(),
            flush=True,
        )
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES), metavar="QUERIESxDEPTH")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        warnings.simplefilter("ignore")
        what, size, *rest = options.child
        print(json.dumps(measure(size, rest[1:], int(rest[0])) if what == "time" else peak(size, rest[0])))
        return 0
    print(f"{'size':<16} {'library':<12} {'median':>12} {'ours/':>6} {'added':>11}")
    fine = [report(size, ["ours", *options.peers], options.repeat) for size in options.sizes]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
