"""A capture from its file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_recall._files import strict_json
from pytest_recall._files.values import (
    Invalid,
    array,
    check_format,
    choice,
    count,
    field,
    number,
    object_of,
    optional,
    shown,
    text,
)
from pytest_recall.errors import FormatError
from pytest_recall.formats.jsonl import parse_object
from pytest_recall.replay.capture import FORMAT, Capture, LlmStep, ToolStep

if TYPE_CHECKING:
    from pytest_recall.formats.files import File
    from pytest_recall.replay.capture import Step

__all__ = ["capture_in"]

_AGAIN = "record the run again"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_STEP = re.compile(r"\.steps\[(\d+)\]")

_LLM = ("kind", "request_sha256"), ("tokens",)
_TOOL = ("kind", "name", "arguments"), ()
_ENDED = ("latency_ms", "awaited")
_RAISED = ("error", "error_attributes")


def capture_in(file: File) -> Capture:
    """The capture that a file holds.

    Raises:
        FormatError: it holds none; the error says where.
    """
    data = file.read()
    try:
        return _capture(_record(data, file))
    except Invalid as error:
        line = error.line or _line(data, error.where)
        raise file.error(error.message, line, where=error.where.removeprefix(".")) from None


def _record(data: bytes, file: File) -> dict[str, Any]:
    try:
        return parse_object(data, file)
    except FormatError:
        # A file that was merged or cut off is told in these words.
        strict_json.load(data, noun="a capture", again=_AGAIN)
        raise


def _line(data: bytes, where: str) -> int | None:
    """The line of a step, in a file that has one on each."""
    step, lines = _STEP.match(where), data.splitlines()
    line = int(step[1]) + 2 if step else 0
    return line if 1 < line < len(lines) and lines[line - 1].startswith(b'{"kind":') else None


def _capture(record: dict[str, Any]) -> Capture:
    check_format(record, FORMAT, noun="capture", again=_AGAIN)
    object_of(record, "format", "input", "steps", "final_text")
    return Capture(
        input=field(record, "input", text),
        steps=field(record, "steps", lambda steps: array(steps, _step)),
        final_text=field(record, "final_text", text),
    )


def _step(value: Any) -> Step:
    record = object_of(value)
    if field(record, "kind", choice(LlmStep.kind, ToolStep.kind)) == LlmStep.kind:
        ended = _ended(record, *_LLM, answer="response")
        response = None if "error" in record else field(record, "response", object_of)
        request, tokens = field(record, "request_sha256", _digest), field(record, "tokens", optional(count))
        return LlmStep(request_sha256=request, response=response, tokens=tokens, **ended)
    ended = _ended(record, *_TOOL, answer="output")
    name = field(record, "name", _named)
    return ToolStep(name=name, arguments=record["arguments"], output=record.get("output"), **ended)


def _ended(record: dict[str, Any], names: tuple[str, ...], others: tuple[str, ...], *, answer: str) -> dict[str, Any]:
    """How a step ended: with an answer or an error."""
    raised = "error" in record
    if raised and answer in record:
        raise Invalid(f"a step has {answer!r} or 'error', and this one has both")
    optionals = (*others, *_ENDED, *(_RAISED if raised else ()))
    object_of(record, *names, *(() if raised else (answer,)), optional=optionals)
    return {
        "error": field(record, "error", _named) if raised else None,
        "error_attributes": field(record, "error_attributes", optional(object_of)),
        "latency_ms": field(record, "latency_ms", optional(_latency)) or 0.0,
        "awaited": field(record, "awaited", optional(_boolean)) or False,
    }


def _named(value: Any) -> str:
    if not text(value):
        raise Invalid("must be a text that is not empty")
    return str(value)


def _digest(value: Any) -> str:
    if not _DIGEST.fullmatch(text(value)):
        raise Invalid(f"must be 64 of 0123456789abcdef, not {shown(value)}")
    return str(value)


def _latency(value: Any) -> float:
    if number(value) < 0:
        raise Invalid(f"must be a number from 0, not {shown(value)}")
    return number(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"must be true or false, not {shown(value)}")
    return value
