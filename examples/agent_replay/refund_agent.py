"""Answers questions about orders: asks a model, runs the tools it calls for, and asks again with what they gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_recall.replay import Llm, Tools

SYSTEM = "You answer questions about orders. Look things up, never guess."
MOST_TURNS = 8


def answer(question: str, llm: Llm, tools: Tools) -> str:
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    for _ in range(MOST_TURNS):
        said = llm(messages)
        if not said["tool_calls"]:
            return str(said["text"])
        messages.append({"role": "assistant", "content": said["text"], "tool_calls": said["tool_calls"]})
        for call in said["tool_calls"]:
            try:
                output = tools(call["name"], call["arguments"])
            except LookupError as error:
                output = {"error": str(error)}
            messages.append({"role": "tool", "name": call["name"], "content": json.dumps(output)})
    return "I could not find that out."
