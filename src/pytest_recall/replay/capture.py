"""A recorded agent run: what the model was asked and said, what the tools were given and returned."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pytest_recall import _json
from pytest_recall.formats.files import opened, write_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.formats.files import Source, Target

__all__ = ["FORMAT", "Capture", "LlmStep", "Step", "ToolStep", "digest", "why_not_kept"]

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmStep:
    """One answer of the model.

    Attributes:
        request_sha256: digest of the messages, secrets redacted.
        response: what the model said, None where the call raised.
        error: what it raised, as ``module.Type: text``, without the module for what is Python's own.
        error_attributes: what else is JSON of the error, None where there is nothing.
        latency_ms: how long it took.
        tokens: how many it used, None where the response does not say.
        awaited: the agent awaited the call.

    >>> str(LlmStep(request_sha256="0f3a" * 16, response={"text": "4", "tool_calls": []}))
    'llm request 0f3a0f3a0f3a'
    """

    kind: ClassVar[Literal["llm"]] = "llm"

    request_sha256: str
    response: Mapping[str, Any] | None = None
    error: str | None = None
    error_attributes: Mapping[str, Any] | None = None
    latency_ms: float = 0.0
    tokens: int | None = None
    awaited: bool = False

    @property
    def asked(self) -> tuple[str, ...]:
        """What two steps have in common when they ask the same."""
        return (self.kind, self.request_sha256)

    @property
    def answer(self) -> Any:
        """What the caller gets."""
        return self.response

    def __str__(self) -> str:
        return f"llm request {self.request_sha256[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """One call of a tool.

    Attributes:
        name: of the tool.
        arguments: what it was given, secrets redacted.
        output: what it returned, secrets redacted.
        error: what it raised instead, as ``module.Type: text``.
        error_attributes: what else is JSON of the error, None where there is nothing.
        latency_ms: how long it took.
        awaited: the agent awaited the call.

    >>> str(ToolStep(name="add", arguments={"a": 2, "b": 2}, output=4))
    'tool add({"a":2,"b":2})'
    """

    kind: ClassVar[Literal["tool"]] = "tool"

    name: str
    arguments: Any
    output: Any = None
    error: str | None = None
    error_attributes: Mapping[str, Any] | None = None
    latency_ms: float = 0.0
    awaited: bool = False

    @property
    def asked(self) -> tuple[str, ...]:
        """What two steps have in common when they ask the same."""
        return (self.kind, self.name, _json.canonical(self.arguments))

    @property
    def answer(self) -> Any:
        """What the caller gets."""
        return self.output

    def __str__(self) -> str:
        return f"tool {self.name}({_json.canonical(self.arguments)})"


Step: TypeAlias = "LlmStep | ToolStep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One recorded run.

    Attributes:
        input: what the agent was asked.
        steps: the calls it made, in order.
        final_text: what it answered.

    >>> from pytest_recall.replay import Recorder
    >>> def llm(messages): return {"text": "4", "tool_calls": []}
    >>> def agent(input, llm, tools): return llm([{"role": "user", "content": input}])["text"]
    >>> recorder = Recorder(llm, tools=lambda name, arguments: None)
    >>> capture = recorder.capture("2 + 2?", agent("2 + 2?", recorder.llm, recorder.tools))
    >>> capture.write("sum.eval.capture.json")
    >>> Capture.read("sum.eval.capture.json").final_text
    '4'
    """

    input: str
    steps: tuple[Step, ...]
    final_text: str

    @property
    def latency_ms(self) -> float:
        """How long all calls took together."""
        return sum(step.latency_ms for step in self.steps)

    @property
    def tokens(self) -> int:
        """How many tokens the model's answers used, as far as they say."""
        return sum(step.tokens or 0 for step in self.steps if isinstance(step, LlmStep))

    @property
    def awaited(self) -> bool:
        """The agent is asynchronous: it awaited some call."""
        return any(step.awaited for step in self.steps)

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change when the run does: the input, what was asked and answered, the final text."""
        steps = [
            (*step.asked, step.answer, step.error, *([step.error_attributes] if step.error_attributes else []))
            for step in self.steps
        ]
        content = _json.canonical([self.input, steps, self.final_text])
        return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @classmethod
    def read(cls, source: Source, *, name: str | None = None) -> Capture:
        """The capture of a file.

        Args:
            source: a path or an open stream.
            name: what messages call it; by default the path, or the name of the stream.

        Raises:
            FormatError: the file can't be read or holds no capture; it says where.
        """
        from pytest_recall.replay.reading import capture_in  # noqa: PLC0415 - it makes captures

        with opened(source, name) as file:
            return capture_in(file)

    def write(self, target: Target) -> None:
        """Write the capture as JSON, the same bytes for the same run.

        Raises:
            FormatError: the file can't be written.
        """
        steps = [_json.dumps(_step_record(step)) for step in self.steps]
        head = _json.dumps({"format": FORMAT, "input": self.input})[:-1]
        listed = ("\n" + ",\n".join(steps) + "\n") if steps else ""
        write_text(f'{head},"steps":[{listed}],"final_text":{_json.dumps(self.final_text)}}}\n', target)


def digest(messages: Any) -> str:
    """The digest of what a model is asked, secrets redacted."""
    return sha256(_json.canonical(messages).encode("utf-8", "surrogatepass")).hexdigest()


def why_not_kept(value: Any) -> str | None:
    """What keeps a value from being written to a capture and read back, None where nothing does."""
    import orjson  # noqa: PLC0415 - only who reads and records JSON pays for it

    try:
        _json.canonical(value).encode()
        # A whole number of more than 64 bits would be refused, or come back as a float.
        orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError) as error:
        # That keys can't be sorted is a riddle to who did not sort them.
        return "the keys of a mapping must all be text" if "'<' not supported" in str(error) else str(error)
    return None


def _step_record(step: Step) -> dict[str, Any]:
    """A step as it is written; what is not there is left out."""
    ended: dict[str, Any] = {"error": step.error} if step.error is not None else {}
    if step.error_attributes:
        ended["error_attributes"] = step.error_attributes
    awaited = {"awaited": True} if step.awaited else {}
    latency = {"latency_ms": round(step.latency_ms, 3)}
    if isinstance(step, LlmStep):
        asked = {"kind": step.kind, "request_sha256": step.request_sha256}
        return {**asked, **(ended or {"response": step.response}), **latency, "tokens": step.tokens, **awaited}
    asked = {"kind": step.kind, "name": step.name, "arguments": step.arguments}
    return {**asked, **(ended or {"output": step.output}), **latency, **awaited}
