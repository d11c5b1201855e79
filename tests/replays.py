"""Reports of replayed agent runs, made of their steps."""

from __future__ import annotations

from pytest_recall.baseline import entry_of
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.gates import Reference, judge
from pytest_recall.metrics import parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.replay.evaluating import gates_of
from pytest_recall.reports import SuiteReport
from pytest_recall.steps import StepPair

METRICS = [parse_metric(name) for name in ("reproduced", "exact_match", "mean_similarity")]

ASKED = StepPair(kind="llm", recorded="llm request aa", now="llm request aa", answer='{"text": "look"}', same=True)
CHANGED = StepPair(kind="tool", recorded='tool find({"id":"a17"})', now='tool find({"id":"A17"})', answer="68.0")
LEFT_OUT = StepPair(kind="tool", recorded="tool refund({})", now=None, answer="raised OSError: off")
ADDED = StepPair(kind="llm", recorded=None, now="llm request bb")
FINAL = StepPair(kind="final", recorded="68.00", now="68.00", same=True)
OTHER_FINAL = StepPair(kind="final", recorded="68.00", now=None)


def run_of(*steps: StepPair, suite: str = "tests/refund.eval.capture.json") -> Evaluation:
    """A run whose numbers follow from whether its steps are the same."""
    same, final = all(pair.same for pair in steps), steps[-1]
    scores = {"reproduced": float(same), "exact_match": float(final.same), "mean_similarity": 1.0 if same else 0.5}
    case = CaseResult(
        id="run", query="what do I get back?", fingerprint="f", answer=final.now, scores=scores, steps=steps
    )
    return Evaluation.of(suite, "agent", Settings(k=1), METRICS, [case])


def replayed(*steps: StepPair, suite: str = "tests/refund.eval.capture.json", compared: bool = False) -> SuiteReport:
    """The run, judged; beside a baseline in which it was reproduced where it is compared."""
    evaluation = run_of(*steps, suite=suite)
    pairing = Pairing(evaluation, entry_of(run_of(ASKED, FINAL))) if compared else None
    reference = Reference(name="baseline.json", pairing=pairing) if compared else None
    gates = gates_of(recorded=compared)
    verdicts = [verdict for gate in gates for verdict in judge(gate, evaluation, reference)]
    return SuiteReport(evaluation=evaluation, verdicts=tuple(verdicts), pairing=pairing)
