"""Records one run of the agent: python examples/agent_replay/record.py."""

from __future__ import annotations

from pathlib import Path

from refund_agent import answer
from scripted_model import model
from shop import Shop

from pytest_recall.replay import Recorder

QUESTION = "Can I send order a17 back, and what do I get?"


def main() -> None:
    recorder = Recorder(model, Shop())
    text = answer(QUESTION, recorder.llm, recorder.tools)
    capture = recorder.capture(QUESTION, text)
    capture.write(Path(__file__).with_name("refund.eval.capture.json"))


if __name__ == "__main__":
    main()
