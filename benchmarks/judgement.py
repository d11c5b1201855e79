"""How often the alpha gate is wrong: red without a true change, and green in spite of one.

Each trial records one noisy evaluation and judges another: MRR over ranks that move by chance, with no tolerance and
alpha 0.05. Without a true change the share of red trials must stay within alpha + 1 % where at least six cases differ,
or the run fails. With fewer no p can decide, so the tolerance alone does, and the table shows both. The tables are
those of docs/explanation/significance.md; every row is seeded by itself. Last comes how long p and interval take.

    python benchmarks/judgement.py [--trials 2000]
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from time import process_time

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds, Gate, Threshold
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.gates import Reference, judge
from pytest_recall.metrics import parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.stats import bootstrap_interval, sign_flip_p

ALPHA = 0.05
MRR = parse_metric("mrr")
GATE = Gate(name="mrr", thresholds=(Threshold(metric="mrr", bounds=Bounds(alpha=ALPHA)),))
SIZES = (10, 30, 60, 100, 300)
DROPS = (0.05, 0.1, 0.2)
TRIALS = 2000
POWER_TRIALS = 200
FEWEST_DIFFERING = 6


@dataclass(slots=True)
class Tally:
    """Trials by whether any p could decide them, and how many of these were red."""

    decidable: int = 0
    red: int = 0
    few: int = 0
    few_red: int = 0


def evaluation(chance: random.Random, home_ranks: list[int], lost: float) -> Evaluation:
    """Each case finds its answer at its own rank, one in five a rank off; a share of them loses it altogether."""
    scores = []
    for rank in home_ranks:
        moved = rank + (chance.choice((-1, 1)) if chance.random() < 0.2 else 0)
        scores.append(0.0 if chance.random() < lost else 1 / max(moved, 1))
    cases = [
        CaseResult(id=str(number), fingerprint=str(number), relevant={"r": 1}, scores={"mrr": score})
        for number, score in enumerate(scores)
    ]
    return Evaluation.of("suite", "retriever", Settings(k=10), [MRR], cases)


def trials(size: int, lost: float, count: int) -> Tally:
    """Judge `count` pairs of evaluations of `size` cases."""
    chance = random.Random(f"{size} {lost}")
    tally = Tally()
    for _ in range(count):
        home = [chance.choice((1, 1, 1, 2, 2, 3, 5, 9)) for _ in range(size)]
        before, now = evaluation(chance, home, 0.0), evaluation(chance, home, lost)
        pairing = Pairing(now, entry_of(before))
        change = pairing.change("mrr")
        assert change is not None, "every case is scored on both sides"
        red = judge(GATE, now, Reference(name="baseline", pairing=pairing))[0].failed
        if len(change.differing) >= FEWEST_DIFFERING:
            tally.decidable += 1
            tally.red += red
        else:
            tally.few += 1
            tally.few_red += red
    return tally


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"


def table_row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def unchanged_row(size: int, tally: Tally) -> str:
    red, few = share(tally.red, tally.decidable), share(tally.few_red, tally.few)
    return table_row(size, f"{red} of {tally.decidable:,}", f"{few} of {tally.few:,}")


def power_row(size: int) -> str:
    tallies = [trials(size, drop, POWER_TRIALS) for drop in DROPS]
    return table_row(size, *(share(tally.red + tally.few_red, POWER_TRIALS) for tally in tallies))


UNCHANGED_HEAD = "| cases | red where six or more differ | red where fewer differ |\n|---|---|---|"
POWER_HEAD = f"| cases |{''.join(f' {drop:.0%} lost |' for drop in DROPS)}\n|---|{'---|' * len(DROPS)}"


def six_metrics() -> float:
    """Seconds of processor time."""
    chance = random.Random(0)
    differences = [chance.uniform(-1, 1) for _ in range(1000)]
    start = process_time()
    for _ in range(6):
        sign_flip_p(differences)
        bootstrap_interval(differences)
    return process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=TRIALS, help="without a true change (default: %(default)s)")
    count = parser.parse_args().trials
    print(f"No true change, {count:,} trials:\n\n{UNCHANGED_HEAD}")
    too_often = []
    for size in SIZES:
        tally = trials(size, 0.0, count)
        print(unchanged_row(size, tally), flush=True)
        if tally.red > (ALPHA + 0.01) * tally.decidable:
            too_often.append(size)
    print(f"\nA share of the cases loses its answer, {POWER_TRIALS:,} trials:\n\n{POWER_HEAD}")
    for size in SIZES:
        print(power_row(size), flush=True)
    print(f"\np and interval of six metrics over 1,000 cases that all differ: {six_metrics():.2f} s")
    if too_often:
        print(f"\nred more often than alpha + 1 % with {too_often} cases")
    return 1 if too_often else 0


if __name__ == "__main__":
    sys.exit(main())
