"""Today's agent, driven by doubles that are scripted from a recorded run of it."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_recall._text import shorten
from pytest_recall.answers.similarity import edit_similarity
from pytest_recall.errors import RecallError
from pytest_recall.replay.metrics import Divergence, EvalMetrics, LiveEvalMetrics
from pytest_recall.replay.redaction import redact
from pytest_recall.replay.script import Script, ScriptEnded, next_alike, next_of_kind
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Sequence

    from pytest_recall.replay.capture import Capture, Step
    from pytest_recall.replay.recorder import Llm, Tools

__all__ = ["Agent", "eval_capture_determinism", "eval_capture_live"]

_SHOWN = 120
_END, _NOTHING = "the end", "nothing"


class Agent(Protocol):
    """What is replayed: ``agent(input, llm, tools)`` returns its final text, or an awaitable of it.

    >>> def agent(input, llm, tools):
    ...     return llm([{"role": "user", "content": input}])["text"]
    >>> agent("2 + 2?", lambda messages: {"text": "4", "tool_calls": []}, lambda name, arguments: None)
    '4'
    """

    def __call__(self, input: str, llm: Llm, tools: Tools, /) -> str | Awaitable[str]: ...  # noqa: A002


def eval_capture_determinism(capture: Capture, agent: Agent) -> EvalMetrics:
    """Drive today's agent with the recorded answers, and hold each step to what was recorded.

    Up to the first divergence the agent gets exactly what it got then. After it, a call is answered by the recorded
    step that asks the same, else by the next one of the same tool or kind, so that the rest can still be compared;
    where none is left the run ends.

    Raises:
        RecallError: the agent returns no text, or asks with what is no JSON.
        Exception: whatever the agent raises before it diverges.

    >>> from pytest_recall.replay import Recorder
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> eval_capture_determinism(capture, agent).reproduced
    1.0
    """
    run = _Run.of(capture, agent, Script(capture.steps, next_alike))
    first = next(run.divergences, None)
    return EvalMetrics(
        reproduced=float(first is None),
        exact_match=float(run.final_text == capture.final_text),
        mean_similarity=run.similarity,
        recorded_latency_ms=capture.latency_ms,
        recorded_total_tokens=capture.tokens,
        divergence=first,
        recorded_steps=tuple(map(str, capture.steps)),
        steps=tuple(map(str, run.steps)),
        final_text=run.final_text,
        error=run.error,
    )


def eval_capture_live(capture: Capture, agent: Agent) -> LiveEvalMetrics:
    """Drive today's agent by call order: its n-th model call gets the n-th recorded answer, tools likewise.

    Raises:
        RecallError: the agent returns no text, or asks with what is no JSON.
        Exception: whatever the agent raises before it diverges.

    >>> from pytest_recall.replay import Recorder
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> eval_capture_live(capture, agent).similarity
    1.0
    """
    script = Script(capture.steps, next_of_kind)
    run = _Run.of(capture, agent, script)
    return LiveEvalMetrics(
        final_match=run.final_text == capture.final_text,
        similarity=run.similarity,
        steps_recorded=len(capture.steps),
        steps_now=len(run.steps),
        exhausted=script.exhausted,
        divergences=tuple(run.divergences),
        error=run.error,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What an agent did with a script."""

    capture: Capture
    steps: Sequence[Step]
    final_text: str | None
    error: str | None

    @classmethod
    def of(cls, capture: Capture, agent: Agent, script: Script) -> _Run:
        final_text = error = None
        try:
            answered = _answer(agent, capture.input, script)
            if not isinstance(answered, str):
                raise RecallError(f"the agent must return its final text, and returned a {type(answered).__name__}")
            final_text = redact(answered)
        except ScriptEnded:
            pass
        except Exception as raised:
            # Before it diverged the agent itself is at fault; afterwards it was given what it did not ask for.
            if next(_divergences(capture.steps, script.now), None) is None:
                raise
            error = f"{type(raised).__name__}: {raised}".removesuffix(": ")
        return cls(capture=capture, steps=script.now, final_text=final_text, error=error)

    @property
    def divergences(self) -> Iterator[Divergence]:
        yield from _divergences(self.capture.steps, self.steps)
        missing = self.capture.steps[len(self.steps) :]
        if missing:
            yield Divergence(step=len(self.steps) + 1, kind=missing[0].kind, recorded=str(missing[0]), now=_END)
        if self.final_text != self.capture.final_text:
            now = _NOTHING if self.final_text is None else repr(shorten(self.final_text, _SHOWN))
            yield Divergence(
                step=len(self.capture.steps) + 1,
                kind="final",
                recorded=repr(shorten(self.capture.final_text, _SHOWN)),
                now=now,
            )

    @property
    def similarity(self) -> float:
        recorded, now = [step.asked for step in self.capture.steps], [step.asked for step in self.steps]
        aligned = 2 * _common(recorded, now) / (len(recorded) + len(now)) if recorded or now else 1.0
        return mean([aligned, edit_similarity(self.capture.final_text, self.final_text or "")])


def _divergences(recorded: Sequence[Step], now: Sequence[Step]) -> Iterator[Divergence]:
    """Each step made now that is not what was recorded at its place."""
    for index, step in enumerate(now):
        other = recorded[index] if index < len(recorded) else None
        if other is None or other.asked != step.asked:
            yield Divergence(
                step=index + 1,
                kind=(other or step).kind,
                recorded=_END if other is None else str(other),
                now=str(step),
            )


def _answer(agent: Agent, asked: str, script: Script) -> Any:
    answered = agent(asked, script.llm, script.tools)
    if not inspect.isawaitable(answered):
        return answered

    async def answer() -> Any:
        return await answered

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer())
    # The caller's own loop waits here, so the agent gets one in a thread of its own.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, answer()).result()


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    """Length of the longest common subsequence."""
    lengths = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for place, other in enumerate(right, 1):
            before, lengths[place] = (
                lengths[place],
                (before + 1 if one == other else max(lengths[place], lengths[place - 1])),
            )
    return lengths[-1]
