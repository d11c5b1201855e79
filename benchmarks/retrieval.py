"""What `evaluate` adds to a retriever: microseconds a query over a bare loop, by what the retriever returns.

1,000 cases with the default five metrics and a retriever that has its answer ready. Reading is what makes a ranking of
what was returned; scoring makes a case's result of its ranking; the rest calls, measures latency and sums up. All are
taken in turn in one process, in processor time, and the fastest of each counts. Exit 1 when ids at k = 10 are above the
limit.

    python benchmarks/retrieval.py [--cases 1000] [--repeat 30] [--depths 10 100]
"""

from __future__ import annotations

import argparse
import gc
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from pytest_recall.evaluation import Policy
from pytest_recall.metrics import default_metrics
from pytest_recall.retrieval import Reader
from pytest_recall.running import Asked, evaluate, results_of
from pytest_recall.suites import Case, Suite

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_US = 15.0
LIMITED = ("ids", 10)


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


def work(cases: int, k: int) -> Suite:
    """Each case has three relevant ids, two of which come back."""
    metrics = tuple(metric for metric in default_metrics(k) if metric.family == "ranking")
    ids = [name(number) for number in range(1, k + 1)]
    asked = tuple(
        Case(
            id=f"case {number}",
            query=f"what is known of {number}?",
            relevant=dict.fromkeys((ids[number % k], ids[(number * 7 + 1) % k], "another"), 1.0),
        )
        for number in range(cases)
    )
    return Suite(
        name="work", path=Path("work"), k=k, metrics=metrics, scored=metrics, memories=(), cases=asked, gates=()
    )


def name(number: int) -> str:
    return f"doc_{number:07d}"


def measure(suite: Suite, form: Callable[[str, int], Any], repeat: int) -> dict[str, float]:
    """Microseconds a query of each part, the fastest of its repeats."""
    k, policy = suite.k, Policy()
    results = [form(name(rank), rank) for rank in range(1, k + 1)]

    def retriever(query: str, k: int) -> list[Any]:  # noqa: ARG001 - as retrievers are
        return results

    def read() -> list[Asked]:
        reader = Reader(k, policy)
        return [Asked(case=case, reading=reader.read(results, case.query), latency_ms=1.0) for case in suite.cases]

    asked = read()
    parts: dict[str, Callable[[], object]] = {
        "bare": lambda: [retriever(case.query, k) for case in suite.cases],
        "evaluate": lambda: evaluate(suite, retriever),
        "reading": read,
        "scoring": lambda: results_of(asked, suite.scored, policy),
    }
    rounds = [{part: clock(call) for part, call in parts.items()} for _ in range(repeat)]
    return {part: min(each[part] for each in rounds) * 1e6 / len(suite.cases) for part in parts}


def clock(call: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    call()
    return process_time() - start


def report(form: str, k: int, cases: int, repeat: int) -> bool:
    """Print one line; whether its limit is met."""
    took = measure(work(cases, k), FORMS[form], repeat)
    added = took["evaluate"] - took["bare"]
    rest = added - took["reading"] - took["scoring"]
    verdict = ""
    if (form, k) == LIMITED:
        verdict = f"  at most {LIMIT_US:g}: {'ok' if added <= LIMIT_US else 'MISSED'}"
    print(
        f"{form:<8} {k:>5} {took['bare']:>8.2f} {added:>8.1f} {took['reading']:>8.1f} {took['scoring']:>8.1f} "
        f"{rest:>8.1f}{verdict}",
        flush=True,
    )
    return (form, k) != LIMITED or added <= LIMIT_US


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--depths", type=int, nargs="+", default=[10, 100], metavar="K")
    options = parser.parse_args()
    print(f"{'µs':<8} {'k':>5} {'bare':>8} {'added':>8} {'reading':>8} {'scoring':>8} {'rest':>8}")
    fine = [report(form, k, options.cases, options.repeat) for k in options.depths for form in FORMS]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
