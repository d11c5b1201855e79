"""Recorded agent runs: record one, commit the capture, and see where the agent does something else later."""

from __future__ import annotations

from pytest_recall.replay.capture import Capture, LlmStep, ToolStep
from pytest_recall.replay.driving import (
    Agent,
    eval_capture_determinism,
    eval_capture_determinism_async,
    eval_capture_live,
    eval_capture_live_async,
)
from pytest_recall.replay.metrics import EvalMetrics, LiveEvalMetrics, Regression, check_regression
from pytest_recall.replay.raised import ReplayedError
from pytest_recall.replay.recorder import Llm, Recorder, Tools
from pytest_recall.replay.redaction import redact
from pytest_recall.steps import Divergence, StepPair

__all__ = [
    "Agent",
    "Capture",
    "Divergence",
    "EvalMetrics",
    "LiveEvalMetrics",
    "Llm",
    "LlmStep",
    "Recorder",
    "Regression",
    "ReplayedError",
    "StepPair",
    "ToolStep",
    "Tools",
    "check_regression",
    "eval_capture_determinism",
    "eval_capture_determinism_async",
    "eval_capture_live",
    "eval_capture_live_async",
    "redact",
]
