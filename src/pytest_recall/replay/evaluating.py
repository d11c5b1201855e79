"""A replay as an evaluation of one case, so that it is judged, recorded and reported like any other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_recall._text import shorten
from pytest_recall.bounds import Bounds, Gate, Threshold
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.metrics import parse_metric
from pytest_recall.replay.metrics import JUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.replay.capture import Capture
    from pytest_recall.replay.metrics import EvalMetrics

__all__ = ["CASE_ID", "evaluation_of", "gates_of"]

CASE_ID = "run"


def gates_of(*, recorded: bool) -> tuple[Gate, ...]:
    """What a capture's items judge: each metric, and where no baseline holds the capture, that it is reproduced."""
    bounds = {} if recorded else {"reproduced": Bounds(min=1.0)}
    thresholds = (Threshold(metric=metric, bounds=bounds.get(metric, Bounds())) for metric in JUDGED)
    return tuple(Gate(name=each.metric.replace("_", "-"), thresholds=(each,)) for each in thresholds)


def evaluation_of(capture: Capture, outcome: EvalMetrics | str, *, suite: str, system: str) -> Evaluation:
    """What an agent scored on a capture.

    Args:
        capture: what was replayed.
        outcome: how it came out; a sentence where the agent raised before it diverged.
        suite: path of the capture.
        system: what the agent is called.
    """
    case = CaseResult(id=CASE_ID, query=capture.input, fingerprint=capture.fingerprint, relevant=None)
    if isinstance(outcome, str):
        case = replace(case, scores=dict.fromkeys(JUDGED), error=outcome)
    else:
        scores = {metric: getattr(outcome, metric) for metric in JUDGED}
        case = replace(case, scores=scores, answer=outcome.final_text, steps=outcome.steps)
    metrics = [parse_metric(metric) for metric in JUDGED]
    return Evaluation.of(suite, system, Settings(k=1), metrics, [case], notes=tuple(_notes(outcome)))


def _notes(outcome: EvalMetrics | str) -> Iterator[str]:
    """Why there is no final text, where the agent had diverged before."""
    if isinstance(outcome, str) or outcome.final_text is not None:
        return
    if outcome.error is None:
        yield "the agent asked for more than was recorded, and was stopped there"
    else:
        yield f"after it had diverged the agent raised {shorten(outcome.error, 200)}"
