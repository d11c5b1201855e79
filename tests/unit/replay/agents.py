"""A small tool-using agent, its scripted model and its real tool, to be recorded and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.replay import Capture, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

STOCK = {"apple": 3, "pear": 0}


def llm(messages: list[dict[str, str]]) -> dict[str, Any]:
    """Asks for the stock of each fruit of the question, then sums up what it was told."""
    told = [message["content"] for message in messages if message["role"] == "tool"]
    wanted = [fruit for fruit in STOCK if fruit in messages[0]["content"]]
    if len(told) < len(wanted):
        fruit = wanted[len(told)]
        return {"text": "", "tool_calls": [{"name": "stock", "arguments": {"of": fruit}}], "tokens": 10}
    return {"text": ", ".join(f"{f} {t}" for f, t in zip(wanted, told, strict=True)), "tool_calls": [], "tokens": 5}


def tools(name: str, arguments: dict[str, str]) -> int:
    assert name == "stock"
    return STOCK[arguments["of"]]


def agent(question: str, llm: Callable[..., Any], tools: Callable[..., Any], *, system: str = "Be brief.") -> str:
    messages = [{"role": "user", "content": question}, {"role": "system", "content": system}]
    while True:
        said = llm(messages)
        if not said["tool_calls"]:
            return str(said["text"])
        for call in said["tool_calls"]:
            output = tools(call["name"], call["arguments"])
            messages.append({"role": "tool", "content": str(output)})


def record(question: str = "how many apple and pear?") -> Capture:
    recorder = Recorder(llm, tools)
    return recorder.capture(question, agent(question, recorder.llm, recorder.tools))
