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
LLM: dict[str, Any] = {"kind": "llm", "request_sha256": "ab" * 32, "response": {}}
TOOL: dict[str, Any] = {"kind": "tool", "name": "add", "arguments": {}, "output": None}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("", "c.json: the file is empty; restore it, or delete it and record the run again"),
        (json.dumps(GOOD)[:-9], "c.json:1: the file is cut off; restore it, or delete it and record the run again"),
        (
            '{"format":1,\n<<<<<<< HEAD\n=======\n>>>>>>> b\n}',
            "c.json:2: merge conflict markers at line 2; resolve them, or delete it and record the run again",
        ),
        ("[]", "c.json:1: must be a JSON object, got a list"),
        ('{"format": 1, "format": 1}', "c.json:1: the key 'format' is here twice"),
        ({"steps": []}, "c.json: no capture of pytest-recall: 'format' is missing"),
        (
            {**GOOD, "format": 2},
            (
                "c.json: format: 2 is of a later pytest-recall, this one reads 1; "
                "upgrade it, or delete it and record the run again"
            ),
        ),
        ({**GOOD, "format": 0}, "c.json: format: must be a whole number from 1, not 0"),
        ({**GOOD, "foo": 1}, "c.json: unknown key 'foo'"),
        ({**GOOD, "steps": {}}, "c.json: steps: must be a list, not an object"),
        ({**GOOD, "input": None}, "c.json: input: must be a text, not null"),
        ({"format": 1, "input": "?", "steps": []}, "c.json: 'final_text' is missing"),
        ({**GOOD, "steps": [3]}, "c.json: steps[0]: must be an object, not 3"),
        ({**GOOD, "steps": [{}]}, "c.json: steps[0].kind: must be one of llm, tool, not null"),
        *(
            ({**GOOD, "steps": [LLM, step]}, f"c.json: steps[1]{message}")
            for step, message in [
                ({**LLM, "response": "4"}, '.response: must be an object, not "4"'),
                ({"kind": "llm", "response": {}}, ": 'request_sha256' is missing"),
                ({**LLM, "request_sha256": "xyz"}, '.request_sha256: must be 64 of 0123456789abcdef, not "xyz"'),
                (
                    {**LLM, "request_sha256": "AB" * 32},
                    '.request_sha256: must be 64 of 0123456789abcdef, not "ABABABABABABABABABABABABABABABABABABAB…',
                ),
                ({**LLM, "tokens": "7"}, '.tokens: must be a whole number from 0, not "7"'),
                ({**LLM, "tokens": -1}, ".tokens: must be a whole number from 0, not -1"),
                ({**LLM, "latency_ms": -1}, ".latency_ms: must be a number from 0, not -1"),
                ({**LLM, "awaited": 1}, ".awaited: must be true or false, not 1"),
                ({**LLM, "error": "OSError"}, ": a step has 'response' or 'error', and this one has both"),
                ({**LLM, "error_attributes": {}}, ": unknown key 'error_attributes'"),
                ({**LLM, "foo": 1}, ": unknown key 'foo'"),
                ({**TOOL, "name": 1}, ".name: must be a text, not 1"),
                ({**TOOL, "name": ""}, ".name: must be a text that is not empty"),
                ({**TOOL, "error": "OSError"}, ": a step has 'output' or 'error', and this one has both"),
                ({"kind": "tool", "name": "add", "output": 1}, ": 'arguments' is missing"),
                ({"kind": "tool", "name": "add", "arguments": 1}, ": 'output' is missing"),
                (
                    {"kind": "tool", "name": "add", "arguments": 1, "error": ""},
                    ".error: must be a text that is not empty",
                ),
            ]
        ),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(record: Any, message: str) -> None:
    text = record if isinstance(record, str) else json.dumps(record)

    with pytest.raises(FormatError) as caught:
        Capture.read(io.BytesIO(text.encode()), name="c.json")

    assert str(caught.value) == message


def test_a_number_that_is_none_is_told_in_the_words_of_the_parser() -> None:
    with pytest.raises(FormatError, match=r"^c\.json:1:12: no valid JSON: \w"):
        Capture.read(io.BytesIO(b'{"format": NaN}'), name="c.json")


def test_a_wrong_value_is_told_with_the_line_of_its_step() -> None:
    file = io.StringIO()
    replace(record(), steps=(ToolStep(name="add", arguments=1), LlmStep(request_sha256="ab"))).write(file)

    with pytest.raises(FormatError) as caught:
        Capture.read(io.StringIO(file.getvalue()), name="c.json")

    assert str(caught.value) == "c.json:3: steps[1].response: must be an object, not null"


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
        (
            lambda recorder: recorder.llm([{1: "a", "b": 2}]),
            "the messages can't be kept, for a capture holds JSON: the keys of a mapping must all be text",
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


NO_UTF_8 = "can't be kept, for a capture holds JSON: 'utf-8' codec can't encode character '\\ud800' in position"


@pytest.mark.parametrize(("asked", "final_text", "what"), [("\ud800", "x", "input"), ("x", "\ud800", "final_text")])
def test_a_text_that_no_file_can_hold_is_refused(asked: str, final_text: str, what: str) -> None:
    recorder = Recorder(llm, tools)

    with pytest.raises(RecallError) as caught:
        recorder.capture(asked, final_text)

    assert str(caught.value) == f"{what} {NO_UTF_8} 1: surrogates not allowed"
    assert recorder.capture("x", "y").final_text == "y"


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda recorder: recorder.tools("\ud800", {}), "the name '\\ud800' of a tool"),
        (lambda recorder: recorder.tools("now", {}), "the error of 'now'"),
        (lambda recorder: recorder.llm([]), "the error of the model"),
    ],
)
def test_a_name_or_an_error_that_no_file_can_hold_is_refused(call: Any, what: str) -> None:
    def failing(*_: Any) -> Any:
        raise LookupError("\ud800")

    recorder = Recorder(failing, failing)
    for asked in (lambda: call(recorder), lambda: recorder.capture("?", "!")):
        with pytest.raises(RecallError) as caught:
            asked()
        assert str(caught.value).startswith(f"{what} {NO_UTF_8}")


def test_attributes_of_an_error_that_no_file_can_hold_are_left_out(tmp_path: Path) -> None:
    def failing(*_: Any) -> Any:
        raise OSError(2, "gone", "\ud800")

    recorder = Recorder(llm, failing)
    with pytest.raises(OSError, match="gone"):
        recorder.tools("now", {})
    recorder.capture("?", "!").write(tmp_path / "run.json")

    (step,) = Capture.read(tmp_path / "run.json").steps
    assert step.error == r"FileNotFoundError: [Errno 2] gone: '\ud800'"
    assert step.error_attributes == {"args": [2, "gone"], "errno": 2, "strerror": "gone"}


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


def test_a_model_that_raises_has_used_no_tokens_that_are_known() -> None:
    def raising(_: Any) -> Any:
        raise OSError("the model is off")

    recorder = Recorder(raising, tools_of_none)
    with pytest.raises(OSError, match=r"^the model is off$"):
        recorder.llm([])
    (step,) = recorder.capture("?", "!").steps

    assert isinstance(step, LlmStep)
    assert (step.error, step.response, step.tokens) == ("OSError: the model is off", None, None)


def tools_of_none(*_: Any) -> None:
    return None
