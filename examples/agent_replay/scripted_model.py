"""Stands for a model: says the next line of its script, for each result of a tool that it has been told."""

from __future__ import annotations

from typing import Any


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"text": "", "tool_calls": [{"name": name, "arguments": arguments}], "tokens": 24}


SCRIPT = [
    calls("find_order", id="a17"),
    calls("find_order", id="A-17"),
    calls("refund", price=80.0, opened=True),
    {
        "text": "You may send the kettle back; since it was opened, you get 68.00 of 80.00.",
        "tool_calls": [],
        "tokens": 31,
    },
]


def model(messages: list[dict[str, Any]], /) -> dict[str, Any]:
    return SCRIPT[len([message for message in messages if message["role"] == "tool"])]
