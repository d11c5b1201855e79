"""Captures as files, and what is wrong with broken ones."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import FormatError, RecallError
from pytest_recall.replay import Capture, LlmStep, Recorder, ToolStep
from tests.unit.replay.agents import llm, record, tools

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "fruit.eval.capture.json"
    capture = record()

    capture.write(path)
    again = Capture.read(path)
    again.write(tmp_path / "again.json")

    assert [step.asked for step in again.steps] == [step.asked for step in capture.steps]
    assert [step.answer for step in again.steps] == [step.answer for step in capture.steps]
    assert again.final_text == capture.final_text
    assert path.read_bytes() == tmp_path.joinpath("again.json").read_bytes()


def test_a_file_has_one_step_a_line() -> None:
    target = io.StringIO()

    Capture(
        input="2 + 2?",
        steps=(
            LlmStep(request_sha256="ab", response={"text": "4"}, latency_ms=1.23456, tokens=7, awaited=True),
            ToolStep(name="add", arguments=[2, 2], error="OSError: off", latency_ms=2),
        ),
        final_text="4",
    ).write(target)

    assert target.getvalue() == (
        '{"format":1,"input":"2 + 2?","steps":[\n'
        '{"kind":"llm","request_sha256":"ab","response":{"text":"4"},"latency_ms":1.235,"tokens":7,"awaited":true},\n'
        '{"kind":"tool","name":"add","arguments":[2,2],"error":"OSError: off","latency_ms":2}\n'
        '],"final_text":"4"}\n'
    )


GOOD: dict[str, Any] = {"format": 1, "input": "?", "steps": [], "final_text": "!"}
LLM: dict[str, Any] = {"kind": "llm", "request_sha256": "ab", "response": {}}
TOOL: dict[str, Any] = {"kind": "tool", "name": "add", "arguments": {}, "output": None}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("", "c.json:1:1: no valid JSON: Input is a zero-length, empty document"),
        (json.dumps(GOOD)[:-9], "c.json:1:51: no valid JSON: unexpected end of data"),
        ("[]", "c.json:1: must be a JSON object, got a list"),
        ('{"format": 1, "format": 1}', "c.json:1: the key 'format' is here twice"),
        ({"steps": []}, "c.json: format: must be 1, got None; record the run again, or update"),
        ({**GOOD, "format": 2}, "c.json: format: must be 1, got 2; record the run again, or update"),
        ({**GOOD, "steps": {}}, "c.json: steps: must be a list, got a mapping"),
        ({**GOOD, "input": None}, "c.json: input: must be text, got null"),
        ({"format": 1, "input": "?", "steps": []}, "c.json: final_text: must be text, got nothing"),
        ({**GOOD, "steps": [3]}, "c.json: steps[0]: must be a mapping, got a number"),
        ({**GOOD, "steps": [{}]}, "c.json: steps[0].kind: must be 'llm' or 'tool', got None"),
        ({**GOOD, "steps": [LLM, {**LLM, "response": "4"}]}, "c.json: steps[1].response: must be a mapping, got text"),
        (
            {**GOOD, "steps": [{"kind": "llm", "response": {}}]},
            "c.json: steps[0].request_sha256: must be text, got nothing",
        ),
        (
            {**GOOD, "steps": [{**LLM, "tokens": "7"}]},
            "c.json: steps[0].tokens: must be a whole number or null, got text",
        ),
        (
            {**GOOD, "steps": [{**LLM, "latency_ms": -1}]},
            "c.json: steps[0].latency_ms: must be a number from 0, got a number",
        ),
        (
            {**GOOD, "steps": [{**LLM, "awaited": 1}]},
            "c.json: steps[0]: awaited must be true or false, and error a text",
        ),
        ({**GOOD, "steps": [{**TOOL, "name": 1}]}, "c.json: steps[0].name: must be text, got a number"),
        ({**GOOD, "steps": [{"kind": "tool", "name": "add", "output": 1}]}, "c.json: steps[0]: arguments is missing"),
        ({**GOOD, "steps": [{"kind": "tool", "name": "add", "arguments": 1}]}, "c.json: steps[0]: output is missing"),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(record: Any, message: str) -> None:
    text = record if isinstance(record, str) else json.dumps(record)

    with pytest.raises(FormatError) as caught:
        Capture.read(io.BytesIO(text.encode()), name="c.json")

    assert str(caught.value) == message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no such file$"):
        Capture.read(tmp_path / "none.json")


def test_a_recording_holds_no_secret() -> None:
    secret = "sk-abcdefghijklmnopqrstuv"  # noqa: S105  # made up
    recorder = Recorder(lambda _: {"text": secret, "tool_calls": []}, lambda *_: {"token": secret})

    assert recorder.llm([secret])["text"] == secret
    assert recorder.tools("login", {"password": secret}) == {"token": secret}
    target = io.StringIO()
    recorder.capture(secret, secret).write(target)

    assert secret not in target.getvalue()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda recorder: recorder.tools("now", {}), "the output of 'now' can't be kept, for a capture holds JSON: "),
        (
            lambda recorder: recorder.tools("now", {1}),
            "the arguments of 'now' can't be kept, for a capture holds JSON: ",
        ),
        (
            lambda recorder: recorder.llm(["\ud800"]),
            "the messages can't be kept, for a capture holds JSON: 'utf-8' codec",
        ),
        (lambda recorder: recorder.llm([object()]), "the messages can't be kept, for a capture holds JSON: "),
        (
            lambda recorder: recorder.tools("now", 10**30),
            "the arguments of 'now' can't be kept, for a capture holds JSON: Integer exceeds 64-bit range",
        ),
        (lambda recorder: recorder.tools(3, {}), "the name of a tool must be text, got 3"),
        (lambda recorder: recorder.tools("", {}), "the name of a tool must be text, got ''"),
        (lambda recorder: recorder.llm([]), "the model answered with a str, and must with a dict"),
    ],
)
def test_what_is_no_json_is_told_at_once_and_again_at_the_end(call: Any, message: str) -> None:
    recorder = Recorder(lambda _: "4", lambda *_: object())

    with pytest.raises(RecallError) as at_once:
        call(recorder)
    with pytest.raises(RecallError) as at_the_end:
        recorder.capture("?", "!")

    assert str(at_once.value).startswith(message)
    assert str(at_the_end.value) == str(at_once.value)


def test_a_call_that_has_not_ended() -> None:
    async def slow(_: Any) -> Any:
        return {}

    recorder = Recorder(slow, tools)
    pending = recorder.llm([])

    with pytest.raises(RecallError, match=r"^a call has not ended: await all calls before the capture is taken$"):
        recorder.capture("?", "!")
    asyncio.run(_await(pending))
    (step,) = recorder.capture("?", "!").steps
    assert step == replace(step, awaited=True)


async def _await(awaitable: Any) -> Any:
    return await awaitable


def test_final_text_must_be_text() -> None:
    with pytest.raises(RecallError, match=r"^final_text must be text, not NoneType$"):
        Recorder(llm, tools).capture("?", None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("response", "tokens"),
    [
        ({"tokens": 7}, 7),
        ({"usage": {"total_tokens": 9}}, 9),
        ({"usage": 3}, None),
        ({"tokens": True}, None),
        ({"tokens": -1}, None),
        ({}, None),
    ],
)
def test_tokens_are_taken_from_the_response(response: Any, tokens: int | None) -> None:
    recorder = Recorder(lambda _: response, tools_of_none)
    recorder.llm([])
    (step,) = recorder.capture("?", "!").steps

    assert isinstance(step, LlmStep)
    assert step.tokens == tokens


def tools_of_none(*_: Any) -> None:
    return None
