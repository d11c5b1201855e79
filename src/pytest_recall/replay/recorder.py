"""Records a live run: the agent calls its model and tools through here."""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from pytest_recall import _json
from pytest_recall.errors import RecallError
from pytest_recall.replay.capture import Capture, LlmStep, ToolStep, digest
from pytest_recall.replay.redaction import Redactor, redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_recall.replay.capture import Step

__all__ = ["Llm", "Recorder", "Tools"]


class Llm(Protocol):
    """A model: messages → ``{"text": …, "tool_calls": [{"name": …, "arguments": …}]}``, or an awaitable of it.

    >>> def llm(messages):
    ...     return {"text": "", "tool_calls": [{"name": "add", "arguments": {"a": 2, "b": 2}}]}
    >>> llm([{"role": "user", "content": "2 + 2?"}])["tool_calls"][0]["name"]
    'add'
    """

    def __call__(self, messages: Any, /) -> Any: ...


class Tools(Protocol):
    """All tools: the name of one and its arguments → its output, or an awaitable of it.

    >>> def tools(name, arguments):
    ...     return sum(arguments.values())
    >>> tools("add", {"a": 2, "b": 2})
    4
    """

    def __call__(self, name: str, arguments: Any, /) -> Any: ...


class Recorder:
    """Hand `llm` and `tools` of it to the agent, then ask it for the `capture`.

    Secrets are redacted in all that is kept; the agent itself gets what the model and the tools gave.

    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> recorder.llm([{"role": "user", "content": "2 + 2?"}])["text"]
    '4'
    >>> recorder.capture("2 + 2?", "4").steps[0].response
    {'text': '4', 'tool_calls': []}
    """

    def __init__(self, llm: Llm, tools: Tools) -> None:
        self._llm, self._tools = llm, tools
        self._steps: list[Step | None] = []
        self._redactor = Redactor()
        self._problem: str | None = None

    def llm(self, messages: Any, /) -> Any:
        """The model's answer to some messages, an awaitable where the model gives one."""
        request = digest(self._redactor.asked(self._json("the messages", messages)))

        def step(response: Any, error: str | None, latency_ms: float, *, awaited: bool) -> Step:
            if error is None and not isinstance(response, dict):
                raise self._refuse(f"the model answered with a {type(response).__name__}, and must with a dict")
            kept = None if error is not None else self._redactor.given(self._json("the model's answer", response))
            return LlmStep(
                request_sha256=request,
                response=kept,
                error=error,
                latency_ms=latency_ms,
                tokens=_tokens(kept),
                awaited=awaited,
            )

        return self._recorded(lambda: self._llm(messages), step)

    def tools(self, name: str, arguments: Any, /) -> Any:
        """A tool's output, an awaitable where the tools give one."""
        given = self._redactor.asked(self._json(f"the arguments of {name!r:.80}", arguments))

        def step(output: Any, error: str | None, latency_ms: float, *, awaited: bool) -> Step:
            kept = (
                None if error is not None else self._redactor.given(self._json(f"the output of {name!r:.80}", output))
            )
            return ToolStep(
                name=name, arguments=given, output=kept, error=error, latency_ms=latency_ms, awaited=awaited
            )

        return self._recorded(lambda: self._tools(name, arguments), step)

    def capture(self, input: str, final_text: str) -> Capture:  # noqa: A002  # the word of the format
        """What was recorded since the recorder was made.

        Args:
            input: what the agent was asked.
            final_text: what it answered.

        Raises:
            RecallError: something was no text or no JSON, or a call has not ended.
        """
        for name, text in (("input", input), ("final_text", final_text)):
            if not isinstance(text, str):
                raise RecallError(f"{name} must be text, not {type(text).__name__}")
        if self._problem is not None:
            raise RecallError(self._problem)
        steps = tuple(step for step in self._steps if step is not None)
        if len(steps) != len(self._steps):
            raise RecallError("a call has not ended: await all calls before the capture is taken")
        # What the agent starts from can hold no secret that came up later, for it was not taken out of its first steps.
        return Capture(input=redact(input), steps=steps, final_text=self._redactor.asked(final_text))

    def _recorded(self, call: Callable[[], Any], step: Callable[..., Step]) -> Any:
        """The result of a call, or an awaitable of it; its step stands where the call began."""
        place, start = len(self._steps), perf_counter()
        self._steps.append(None)

        def keep(result: Any, error: str | None = None, *, awaited: bool = False) -> None:
            self._steps[place] = step(result, error, (perf_counter() - start) * 1000, awaited=awaited)

        async def later(awaitable: Awaitable[Any]) -> Any:
            try:
                result = await awaitable
            except Exception as error:
                keep(None, self._named(error), awaited=True)
                raise
            keep(result, awaited=True)
            return result

        try:
            result = call()
        except Exception as error:
            keep(None, self._named(error))
            raise
        if inspect.isawaitable(result):
            return later(result)
        keep(result)
        return result

    def _named(self, error: Exception) -> str:
        text: str = self._redactor.given(str(error))
        kind = type(error)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        return f"{module}{kind.__qualname__}: {text}".removesuffix(": ")

    def _json(self, what: str, value: Any) -> Any:
        try:
            _json.canonical(value).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise self._refuse(f"{what} can't be kept, for a capture holds JSON: {error}") from None
        return value

    def _refuse(self, problem: str) -> RecallError:
        """An error that is told again when the capture is asked for, since an agent may catch what its tools raise."""
        self._problem = self._problem or problem
        return RecallError(problem)


def _tokens(response: Any) -> int | None:
    """How many tokens a response says it used, as ``tokens`` or ``usage.total_tokens``."""
    if not isinstance(response, dict):
        return None
    usage = response.get("usage")
    tokens = response.get("tokens", usage.get("total_tokens") if isinstance(usage, dict) else None)
    return tokens if type(tokens) is int else None
