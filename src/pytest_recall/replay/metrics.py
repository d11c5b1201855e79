"""How far an agent does what it did when it was recorded, and whether that got worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall.errors import RecallError

if TYPE_CHECKING:
    from pytest_recall.steps import Divergence, StepPair

__all__ = ["JUDGED", "EvalMetrics", "LiveEvalMetrics", "Regression", "check_regression"]

JUDGED = ("reproduced", "exact_match", "mean_similarity")
"""The metrics that are compared; latency and tokens of a recording are information."""

# Rounding is no regression.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalMetrics:
    """How far today's agent reproduces a recording.

    Attributes:
        reproduced: 1 when every step asks what was recorded and the final text is equal, else 0.
        exact_match: 1 when the final text is equal, else 0.
        mean_similarity: mean of 2 · LCS / (steps recorded + steps now), the steps aligned by what they ask, and the
            edit similarity of the final texts.
        recorded_latency_ms: of the recording; not judged.
        recorded_total_tokens: of the recording; not judged.
        divergence: the first one, None when there is none.
        steps: what was asked then beside what is asked now, the final texts last.
        final_text: what the agent answers now, None when it did not come so far.
        error: what it raised after it had diverged.

    >>> from pytest_recall.replay import Recorder, eval_capture_determinism
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> metrics = eval_capture_determinism(capture, lambda input, llm, tools: "4")
    >>> metrics.reproduced, metrics.exact_match, metrics.mean_similarity, metrics.divergence.kind
    (0.0, 1.0, 0.5, 'llm')
    """

    reproduced: float
    exact_match: float
    mean_similarity: float
    recorded_latency_ms: float
    recorded_total_tokens: int
    divergence: Divergence | None
    steps: tuple[StepPair, ...]
    final_text: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvalMetrics:
    """What today's agent does when it is answered in the order of the recording.

    Attributes:
        final_match: the final text is equal.
        similarity: as `EvalMetrics.mean_similarity`.
        steps_recorded: how many steps were recorded.
        steps_now: how many are made now.
        exhausted: the agent asked for more than was recorded, and was stopped there.
        divergences: every step that asks something else, and the final text.
        error: what the agent raised after it had diverged.

    >>> from pytest_recall.replay import Recorder, eval_capture_live
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> metrics = eval_capture_live(capture, agent)
    >>> metrics.final_match, metrics.steps_recorded, metrics.steps_now, metrics.exhausted
    (True, 1, 1, False)
    """

    final_match: bool
    similarity: float
    steps_recorded: int
    steps_now: int
    exhausted: bool
    divergences: tuple[Divergence, ...]
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A metric that got worse by more than the tolerance.

    >>> from pytest_recall.replay import Recorder, eval_capture_determinism
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> before, now = (eval_capture_determinism(capture, each) for each in (agent, lambda input, llm, tools: "4"))
    >>> check_regression(before, now)[0]
    Regression(metric='reproduced', baseline=1.0, current=0.0, drop=1.0)
    """

    metric: str
    baseline: float
    current: float
    drop: float


def check_regression(baseline: EvalMetrics, current: EvalMetrics, tolerance: float = 0.0) -> list[Regression]:
    """The judged metrics that dropped by more than `tolerance`; latency and tokens never do.

    Raises:
        RecallError: one of the two is no EvalMetrics, or the tolerance is no number from 0.

    >>> from pytest_recall.replay import Recorder, eval_capture_determinism
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> now = eval_capture_determinism(capture, agent)
    >>> check_regression(now, now)
    []
    """
    for name, metrics in (("baseline", baseline), ("current", current)):
        if not isinstance(metrics, EvalMetrics):
            kind = type(metrics).__name__
            raise RecallError(f"{name} must be an EvalMetrics, such as eval_capture_determinism gives, not {kind}")
    if type(tolerance) not in (int, float) or not 0 <= tolerance < float("inf"):
        raise RecallError(f"tolerance must be a number from 0, got {tolerance!r:.80}")
    pairs = [(metric, getattr(baseline, metric), getattr(current, metric)) for metric in JUDGED]
    return [
        Regression(metric=metric, baseline=before, current=now, drop=before - now)
        for metric, before, now in pairs
        if before - now > tolerance + _ROUNDING
    ]
