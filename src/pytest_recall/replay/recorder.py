"""Records a live run: the agent calls its model and tools through here."""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from pytest_recall.errors import RecallError
from pytest_recall.replay.calling import called_by_agents
from pytest_recall.replay.capture import Capture, LlmStep, ToolStep, digest, why_not_kept
from pytest_recall.replay.raised import attributes_of, name_of
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
        for name, called in (("llm", llm), ("tools", tools)):
            if not callable(called):
                raise RecallError(f"{name} must be called, and is a {type(called).__name__} {called!r:.80}")
        self._llm, self._tools = llm, tools
        self._steps: list[Step | None] = []
        self._redactor = Redactor()
        self._problem: str | None = None

    @called_by_agents
    def llm(self, messages: Any) -> Any:
        """The model's answer to some messages, an awaitable where the model gives one."""
        request = digest(self._redactor.asked(self._json("the messages", messages)))

        def step(response: Any, **ended: Any) -> Step:
            kept = None if "error" in ended else self._response(response)
            return LlmStep(request_sha256=request, response=kept, tokens=_tokens(kept), **ended)

        return self._recorded("the model", lambda: self._llm(messages), step)

    @called_by_agents
    def tools(self, name: str, arguments: Any) -> Any:
        """A tool's output, an awaitable where the tools give one."""
        if not (name and isinstance(name, str)):
            raise self._refuse(f"the name of a tool must be text, got {name!r:.80}")
        self._json(f"the name {name!r:.80} of a tool", name)
        given = self._redactor.asked(self._json(f"the arguments of {name!r:.80}", arguments))

        def step(output: Any, **ended: Any) -> Step:
            what = f"the output of {name!r:.80}"
            kept = None if "error" in ended else self._redactor.given(self._json(what, output))
            return ToolStep(name=name, arguments=given, output=kept, **ended)

        return self._recorded(f"{name!r:.80}", lambda: self._tools(name, arguments), step)

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
            if problem := _problem_of(name, text):
                raise RecallError(problem)
        if self._problem is not None:
            raise RecallError(self._problem)
        steps = tuple(step for step in self._steps if step is not None)
        if len(steps) != len(self._steps):
            raise RecallError("a call has not ended: await all calls before the capture is taken")
        # What the agent starts from can hold no secret that came up later, for it was not taken out of its first steps.
        return Capture(input=redact(input), steps=steps, final_text=self._redactor.asked(final_text))

    def _recorded(self, what: str, call: Callable[[], Any], step: Callable[..., Step]) -> Any:
        """The result of a call, or an awaitable of it; its step stands where the call began."""
        place, start = len(self._steps), perf_counter()
        self._steps.append(None)

        def keep(result: Any, error: Exception | None = None, *, awaited: bool = False) -> None:
            latency_ms = (perf_counter() - start) * 1000
            raised = {} if error is None else self._raised(what, error)
            self._steps[place] = step(result, latency_ms=latency_ms, awaited=awaited, **raised)

        def end(error: BaseException, *, awaited: bool = False) -> None:
            if isinstance(error, Exception):
                keep(None, error, awaited=awaited)
            else:
                self._refuse(f"the call of {what} ended with {type(error).__name__}, which a capture can't hold")

        async def later(awaitable: Awaitable[Any]) -> Any:
            try:
                result = await awaitable
            except BaseException as error:
                end(error, awaited=True)
                raise
            keep(result, awaited=True)
            return result

        try:
            result = call()
        except BaseException as error:
            end(error)
            raise
        if inspect.isawaitable(result):
            return later(result)
        keep(result)
        return result

    def _response(self, response: Any) -> Any:
        if not isinstance(response, dict):
            raise self._refuse(f"the model answered with a {type(response).__name__}, and must with a dict")
        return self._redactor.given(self._json("the model's answer", response))

    def _raised(self, what: str, error: Exception) -> dict[str, Any]:
        attributes: dict[str, Any] = self._redactor.given(attributes_of(error))
        text: str = self._redactor.given(self._json(f"the error of {what}", str(error)))
        return {"error": f"{name_of(error)}: {text}".removesuffix(": "), "error_attributes": attributes or None}

    def _json(self, what: str, value: Any) -> Any:
        if problem := _problem_of(what, value):
            raise self._refuse(problem)
        return value

    def _refuse(self, problem: str) -> RecallError:
        """An error that is told again when the capture is asked for, since an agent may catch what its tools raise."""
        self._problem = self._problem or problem
        return RecallError(problem)


def _problem_of(what: str, value: Any) -> str | None:
    reason = why_not_kept(value)
    return None if reason is None else f"{what} can't be kept, for a capture holds JSON: {reason}"


def _tokens(response: Any) -> int | None:
    """How many tokens a response says it used, as ``tokens`` or ``usage.total_tokens``."""
    if not isinstance(response, dict):
        return None
    usage = response.get("usage")
    tokens = response.get("tokens", usage.get("total_tokens") if isinstance(usage, dict) else None)
    return tokens if type(tokens) is int and tokens >= 0 else None
