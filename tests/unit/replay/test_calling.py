"""How an agent may call its model and its tools while it is recorded and in a replay."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import RecallError
from pytest_recall.replay import (
    Recorder,
    eval_capture_determinism,
    eval_capture_determinism_async,
    eval_capture_live,
    eval_capture_live_async,
)
from tests.unit.replay.agents import agent, llm, record, tools

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION = "how many apple and pear?"


def naming(question: str, llm: Any, tools: Any) -> str:
    """The agent, with the names that the documentation gives to what it passes."""
    return agent(
        question,
        lambda messages: llm(messages=messages),
        lambda name, arguments: tools(arguments=arguments, name=name),
    )


def test_arguments_may_be_named() -> None:
    # What is recorded may call them otherwise.
    def model(asked: Any) -> Any:
        return llm(asked)

    def toolbox(called: str, given: Any) -> Any:
        return tools(called, given)

    recorder = Recorder(model, toolbox)
    capture = recorder.capture(QUESTION, naming(QUESTION, recorder.llm, recorder.tools))

    assert [step.asked for step in capture.steps] == [step.asked for step in record().steps]
    assert eval_capture_determinism(capture, naming).reproduced == 1
    assert eval_capture_live(capture, naming).final_match


def test_an_asynchronous_agent_may_name_them_too() -> None:
    async def once(_: str, llm: Any, tools: Any) -> str:
        said = await llm(messages=[{"role": "user", "content": "apple"}])
        return str(await tools(**said["tool_calls"][0]))

    async def async_llm(asked: Any) -> Any:
        return llm(asked)

    async def async_tools(called: str, given: Any) -> Any:
        return tools(called, given)

    async def run() -> None:
        recorder = Recorder(async_llm, async_tools)
        capture = recorder.capture(QUESTION, await once(QUESTION, recorder.llm, recorder.tools))
        assert (capture.final_text, len(capture.steps)) == ("3", 2)
        assert (await eval_capture_determinism_async(capture, once)).reproduced == 1
        assert (await eval_capture_live_async(capture, once)).final_match

    asyncio.run(run())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda llm, _: llm(prompt=[]),
            "llm is called as llm(messages): ",
        ),
        (lambda llm, _: llm([], temperature=0), "llm is called as llm(messages): got an unexpected keyword argument "),
        (lambda llm, _: llm([], []), "llm is called as llm(messages): too many positional arguments"),
        (lambda _, tools: tools("stock"), "tools is called as tools(name, arguments): missing a required argument: "),
        (
            lambda _, tools: tools("stock", of="apple"),
            "tools is called as tools(name, arguments): ",
        ),
    ],
)
def test_other_arguments_are_refused_at_once_and_again_at_the_end(call: Any, message: str) -> None:
    def asking(_: str, llm: Any, tools: Any) -> str:
        return str(call(llm, tools))

    def hiding(question: str, llm: Any, tools: Any) -> str:
        with suppress(Exception):
            call(llm, tools)
        return agent(question, llm, tools)

    recorder = Recorder(llm, tools)
    refused: list[Callable[[], Any]] = [
        lambda: asking(QUESTION, recorder.llm, recorder.tools),
        lambda: recorder.capture(QUESTION, hiding(QUESTION, recorder.llm, recorder.tools)),
        lambda: eval_capture_determinism(record(), asking),
        lambda: eval_capture_determinism(record(), hiding),
        lambda: eval_capture_live(record(), hiding),
    ]
    for run in refused:
        with pytest.raises(RecallError) as caught:
            run()
        assert str(caught.value).startswith(message)
