"""Today's agent, driven by doubles that are scripted from a recorded run of it."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_recall.answers.similarity import edit_similarity
from pytest_recall.errors import RecallError
from pytest_recall.replay.alignment import common_places, pairs_of
from pytest_recall.replay.capture import Capture
from pytest_recall.replay.metrics import EvalMetrics, LiveEvalMetrics
from pytest_recall.replay.script import Script, ScriptEnded, next_alike, next_of_kind
from pytest_recall.stats import mean
from pytest_recall.steps import Divergence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from pytest_recall.replay.capture import Step
    from pytest_recall.replay.recorder import Llm, Tools

__all__ = [
    "Agent",
    "eval_capture_determinism",
    "eval_capture_determinism_async",
    "eval_capture_live",
    "eval_capture_live_async",
]

# A failing test shows the user's own lines.
__tracebackhide__ = True


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
        RecallError: the agent returns no text, or asks with what is no JSON or calls with other arguments, which
            is told again at the end where the agent caught it.
        Exception: whatever the agent raises before it diverges.

    >>> from pytest_recall.replay import Recorder
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> eval_capture_determinism(capture, agent).reproduced
    1.0
    """
    return _Run.of(capture, agent, next_alike).drive(agent).determinism


async def eval_capture_determinism_async(capture: Capture, agent: Agent) -> EvalMetrics:
    """As `eval_capture_determinism`, on the running event loop.

    >>> import asyncio
    >>> from pytest_recall.replay import Capture
    >>> async def agent(input, llm, tools): return "4"
    >>> capture = Capture(input="2 + 2?", steps=(), final_text="4")
    >>> asyncio.run(eval_capture_determinism_async(capture, agent)).reproduced
    1.0
    """
    return (await _Run.of(capture, agent, next_alike).drive_async(agent)).determinism


def eval_capture_live(capture: Capture, agent: Agent) -> LiveEvalMetrics:
    """Drive today's agent by call order: its n-th model call gets the n-th recorded answer, tools likewise.

    Raises:
        RecallError: the agent returns no text, or asks with what is no JSON or calls with other arguments, which
            is told again at the end where the agent caught it.
        Exception: whatever the agent raises before it diverges.

    >>> from pytest_recall.replay import Recorder
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> eval_capture_live(capture, agent).similarity
    1.0
    """
    return _Run.of(capture, agent, next_of_kind).drive(agent).live


async def eval_capture_live_async(capture: Capture, agent: Agent) -> LiveEvalMetrics:
    """As `eval_capture_live`, on the running event loop.

    >>> import asyncio
    >>> from pytest_recall.replay import Capture
    >>> async def agent(input, llm, tools): return "4"
    >>> capture = Capture(input="2 + 2?", steps=(), final_text="4")
    >>> asyncio.run(eval_capture_live_async(capture, agent)).final_match
    True
    """
    return (await _Run.of(capture, agent, next_of_kind).drive_async(agent)).live


@dataclass(slots=True)
class _Run:
    """What an agent does with a script."""

    capture: Capture
    script: Script
    final_text: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, capture: Capture, agent: Agent, choose: Callable[[Step, Sequence[Step]], Step | None]) -> _Run:
        if not isinstance(capture, Capture):
            raise RecallError(f"a capture must be a Capture, such as Capture.read gives, not {_of_type(capture)}")
        if not callable(agent):
            raise RecallError(f"an agent is called as agent(input, llm, tools), not {_of_type(agent)}")
        return cls(capture, Script(capture.steps, choose))

    def drive(self, agent: Agent) -> _Run:
        try:
            self._end(_answer(agent, self.capture.input, self.script))
        except BaseException as raised:
            if not self._keeps(raised):
                raise
        finally:
            self.script.close()
        return self

    async def drive_async(self, agent: Agent) -> _Run:
        try:
            answered = agent(self.capture.input, self.script.llm, self.script.tools)
            self._end(await _in_time(answered) if inspect.isawaitable(answered) else answered)
        except BaseException as raised:
            if not self._keeps(raised):
                raise
        finally:
            self.script.close()
        return self

    def _keeps(self, raised: BaseException) -> bool:
        """Whether what was raised is a part of the result.

        Before it diverged the agent itself is at fault; afterwards it was given what it did not ask for.
        """
        if _is_end(raised):
            return True
        if not isinstance(raised, Exception) or next(_divergences(self.capture.steps, self.script.now), None) is None:
            if mixed_up := self.script.mixed_up(raised):
                raise RecallError(mixed_up) from raised
            return False
        self.error = f"{type(raised).__name__}: {raised}".removesuffix(": ")
        return True

    def _end(self, answered: Any) -> None:
        if self.script.problem is not None:
            # Told again, since an agent may catch what its tools raise.
            raise RecallError(self.script.problem)
        if not isinstance(answered, str):
            raise RecallError(f"the agent must return its final text, and returned a {type(answered).__name__}")
        self.final_text = self.script.redactor.asked(answered)

    @property
    def determinism(self) -> EvalMetrics:
        first = next(self._divergences(), None)
        return EvalMetrics(
            reproduced=float(first is None),
            exact_match=float(self.final_text == self.capture.final_text),
            mean_similarity=self._similarity,
            recorded_latency_ms=self.capture.latency_ms,
            recorded_total_tokens=self.capture.tokens,
            divergence=first,
            steps=pairs_of(self.capture, self.script.now, self.final_text),
            final_text=self.final_text,
            error=self.error,
        )

    @property
    def live(self) -> LiveEvalMetrics:
        return LiveEvalMetrics(
            final_match=self.final_text == self.capture.final_text,
            similarity=self._similarity,
            steps_recorded=len(self.capture.steps),
            steps_now=len(self.script.now),
            exhausted=self.script.exhausted,
            divergences=tuple(self._divergences()),
            error=self.error,
        )

    def _divergences(self) -> Iterator[Divergence]:
        recorded, now = self.capture.steps, self.script.now
        yield from _divergences(recorded, now)
        missing = recorded[len(now) :]
        if missing:
            yield Divergence(step=len(now) + 1, kind=missing[0].kind, recorded=str(missing[0]), now=None)
        if self.final_text != self.capture.final_text:
            yield Divergence(
                step=len(recorded) + 1, kind="final", recorded=self.capture.final_text, now=self.final_text
            )

    @property
    def _similarity(self) -> float:
        recorded, now = [step.asked for step in self.capture.steps], [step.asked for step in self.script.now]
        aligned = 2 * len(common_places(recorded, now)) / (len(recorded) + len(now)) if recorded or now else 1.0
        return mean([aligned, edit_similarity(self.capture.final_text, self.final_text or "")])


def _of_type(value: object) -> str:
    return f"{type(value).__name__} {value!r:.80}"


def _is_end(raised: BaseException) -> bool:
    """The script ended, in the agent itself or in all tasks of a group that it started."""
    grouped: tuple[BaseException, ...] = getattr(raised, "exceptions", ())
    return isinstance(raised, ScriptEnded) or (bool(grouped) and all(map(_is_end, grouped)))


def _divergences(recorded: Sequence[Step], now: Sequence[Step]) -> Iterator[Divergence]:
    """Each step made now that is not what was recorded at its place."""
    for index, step in enumerate(now):
        other = recorded[index] if index < len(recorded) else None
        if other is None or other.asked != step.asked:
            yield Divergence(
                step=index + 1, kind=(other or step).kind, recorded=None if other is None else str(other), now=str(step)
            )


async def _in_time(answered: Awaitable[Any]) -> Any:
    """What is awaited, once the tasks that it left behind have begun: what they ask for is asked by the agent."""
    answer = await answered
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # of another kind
        return answer
    await asyncio.sleep(0)
    return answer


def _answer(agent: Agent, asked: str, script: Script) -> Any:
    answered = agent(asked, script.llm, script.tools)
    if not inspect.isawaitable(answered):
        return answered

    async def answer() -> Any:
        return await _in_time(answered)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer())
    # The caller's own loop waits here, so the agent gets one in a thread of its own.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, answer()).result()
