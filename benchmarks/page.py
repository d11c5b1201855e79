"""How long the page of ten thousand cases takes to make, and to open in a headless Chromium.

    python benchmarks/page.py [--cases 10000] [--rounds 5]

The best of the rounds counts. Exit 1 where it takes more than two seconds until the page is loaded and, once scrolled
to them, its cases are there.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from time import process_time

from playwright.sync_api import sync_playwright

from pytest_recall.baseline import entry_of
from pytest_recall.case_scores import CaseScores
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.gates import Verdict
from pytest_recall.metrics import JudgedRanking, Judgments, parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.reports import SuiteReport, files

LIMIT_MS = 2000
K = 10
METRICS = [parse_metric(name) for name in ("recall@5", "mrr", "ndcg@10", "hit_rate@1", "precision@5")]
LOADED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"


def evaluation(cases: int, step: int) -> Evaluation:
    """Case n has its relevant memory at rank n · step modulo 13, which is beyond the ranking now and then."""
    return Evaluation.of(
        "tests/handbook.eval.yaml",
        "retriever",
        Settings(k=K),
        METRICS,
        [case(number, number * step % 13) for number in range(cases)],
    )


def case(number: int, place: int) -> CaseResult:
    wanted = f"memory-{number % 2000:04d}"
    ranking = [f"memory-{(number * 7 + other) % 2000:04d}" for other in range(1, K + 1)]
    ranking = [id for id in ranking if id != wanted]
    ranking[place:place] = [wanted] if place < K else []
    judged = JudgedRanking(Judgments(grades={wanted: 1.0}), ranking[:K])
    return CaseResult(
        id=f"case-{number:05d}",
        query=f"what was decided about topic {number % 97} in meeting {number}?",
        fingerprint=str(number),
        tags=(f"topic-{number % 7}", "short" if number % 2 else "long"),
        relevant={wanted: 1.0},
        ranking=tuple(ranking[:K]),
        scores=CaseScores(METRICS, [judged], "exclude").of(0),
        latency_ms=number % 40 + 0.5,
        line=number,
    )


def write(path: Path, cases: int) -> float:
    """The page of an evaluation beside its baseline; the processor seconds it took."""
    now, before = evaluation(cases, 5), evaluation(cases, 3)
    verdicts = tuple(Verdict(metric=name, value=summary.value) for name, summary in now.metrics.items())
    report = SuiteReport(evaluation=now, verdicts=verdicts, pairing=Pairing(now, entry_of(before)))
    start = process_time()
    files.write(path, [report])
    return process_time() - start


def measure(path: Path, rounds: int) -> tuple[float, float]:
    """The milliseconds until the load event ended, and until the first rows of cases were there; of each the best."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        times = []
        for _ in range(rounds):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            loaded = page.evaluate(LOADED)
            page.locator(".cases").scroll_into_view_if_needed()
            page.locator(".expand").first.wait_for()
            times.append((loaded, page.evaluate("performance.now()")))
            page.close()
        browser.close()
    return min(loaded for loaded, _ in times), min(shown for _, shown in times)


def main() -> int:
    """Print the times; 1 when opening takes too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, "page.html")
        seconds = write(path, options.cases)
        size = path.stat().st_size
        loaded, shown = measure(path, options.rounds)
    print(f"{options.cases:,} cases: made in {seconds:.1f} s, {size / 1e6:.1f} MB")
    print(f"load event after {loaded:.0f} ms, rows after {shown:.0f} ms")
    return int(max(loaded, shown) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
