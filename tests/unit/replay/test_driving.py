"""An agent beside its own recording: each change of it is named where it first shows."""

from __future__ import annotations

import asyncio
import io
from contextlib import suppress
from dataclasses import replace
from datetime import date
from email.message import Message
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import pytest

from pytest_recall.errors import RecallError
from pytest_recall.replay import (
    Capture,
    Recorder,
    ReplayedError,
    ToolStep,
    eval_capture_determinism,
    eval_capture_determinism_async,
    eval_capture_live,
    eval_capture_live_async,
)
from pytest_recall.steps import first_divergence
from tests.unit.replay.agents import agent, llm, record, tools

if TYPE_CHECKING:
    from tests.conftest import Require

QUESTION = "how many apple and pear?"


def test_the_recording_itself() -> None:
    capture = record()

    # The model is asked thrice, and twice it asks for the stock.
    assert [step.kind for step in capture.steps] == ["llm", "tool", "llm", "tool", "llm"]
    assert capture.final_text == "apple 3, pear 0"
    assert capture.tokens == 25


def test_an_unchanged_agent_reproduces() -> None:
    metrics = eval_capture_determinism(record(), agent)

    assert (metrics.reproduced, metrics.exact_match, metrics.mean_similarity) == (1, 1, 1)
    assert metrics.divergence is None
    assert metrics.recorded_total_tokens == 25
    assert [pair.kind for pair in metrics.steps] == ["llm", "tool", "llm", "tool", "llm", "final"]
    assert all(pair.same and pair.recorded == pair.now for pair in metrics.steps)


def extra_tool(question: str, llm: Any, tools: Any) -> str:
    tools("stock", {"of": "plum"})
    return agent(question, llm, tools)


def dropped_call(question: str, llm: Any, tools: Any) -> str:
    def once(name: str, arguments: Any) -> Any:
        return tools(name, arguments) if arguments == {"of": "apple"} else 0

    return agent(question, llm, once)


def other_arguments(question: str, llm: Any, tools: Any) -> str:
    return agent(question, llm, lambda name, arguments: tools(name, {**arguments, "unit": "kg"}))


def other_tool(question: str, llm: Any, tools: Any) -> str:
    return agent(question, llm, lambda _, arguments: tools("count", arguments))


def other_order(question: str, llm: Any, tools: Any) -> str:
    return agent(question, lambda messages: llm(messages[1:] + messages[:1]), tools)


def other_text(question: str, llm: Any, tools: Any) -> str:
    return agent(question, llm, tools).upper()


def stops_early(_: str, llm: Any, tools: Any) -> str:  # noqa: ARG001
    llm([{"role": "user", "content": QUESTION}, {"role": "system", "content": "Be brief."}])
    return "apple 3, pear 0"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (partial(agent, system="Be long."), "step 1: recorded llm request "),
        (other_order, "step 1: recorded llm request "),
        (extra_tool, "step 1: recorded llm request "),
        (dropped_call, 'step 4: recorded tool stock({"of":"pear"}), now llm request '),
        (other_arguments, 'step 2: recorded tool stock({"of":"apple"}), now tool stock({"of":"apple","unit":"kg"})'),
        (other_tool, 'step 2: recorded tool stock({"of":"apple"}), now tool count({"of":"apple"})'),
        (other_text, "the final text: recorded 'apple 3, pear 0', now 'APPLE 3, PEAR 0'"),
        (stops_early, 'step 2: recorded tool stock({"of":"apple"}), now the end'),
    ],
)
def test_the_first_divergence_is_named(changed: Any, told: str) -> None:
    metrics = eval_capture_determinism(record(), changed)

    assert metrics.reproduced == 0
    assert str(metrics.divergence).startswith(told)
    assert first_divergence(metrics.steps) == metrics.divergence
    assert metrics.mean_similarity < 1


def test_an_extra_call_is_named_as_such() -> None:
    metrics = eval_capture_determinism(record(), extra_tool)

    assert str(metrics.divergence).endswith('now tool stock({"of":"plum"})')
    # The tool's first answer went to the plum, so the apple's is the pear's, and the last one has none: the end.
    assert metrics.final_text is None


def test_after_a_divergence_calls_get_the_answers_that_fit() -> None:
    metrics = eval_capture_determinism(record(), other_arguments)

    # Three of five steps are aligned, and the text is the same.
    assert (metrics.exact_match, metrics.mean_similarity) == (1, (2 * 3 / 10 + 1) / 2)


def test_live_goes_by_call_order() -> None:
    metrics = eval_capture_live(record(), partial(agent, system="Be long."))

    assert (metrics.final_match, metrics.exhausted) == (True, False)
    assert (metrics.steps_recorded, metrics.steps_now) == (5, 5)
    assert [divergence.step for divergence in metrics.divergences] == [1, 3, 5]
    assert metrics.similarity == (2 * 2 / 10 + 1) / 2


def test_live_stops_an_agent_that_asks_for_more() -> None:
    def insatiable(question: str, llm: Any, tools: Any) -> str:
        while True:
            try:
                agent(question, llm, tools)
            except Exception:  # noqa: BLE001  # such code must not keep a replay going
                return "gave up"

    metrics = eval_capture_live(record(), insatiable)

    assert (metrics.exhausted, metrics.final_match, metrics.steps_now) == (True, False, 6)
    assert str(metrics.divergences[0]).startswith("step 6: recorded the end, now llm request ")
    assert str(metrics.divergences[-1]) == "the final text: recorded 'apple 3, pear 0', now nothing"


def test_live_with_fewer_steps() -> None:
    metrics = eval_capture_live(record(), stops_early)

    assert (metrics.final_match, metrics.steps_now, metrics.exhausted) == (True, 1, False)
    assert [str(divergence) for divergence in metrics.divergences] == [
        'step 2: recorded tool stock({"of":"apple"}), now the end'
    ]


def failing_tools(_: str, __: Any) -> Any:
    raise LookupError("no stock")


def forgiving(question: str, llm: Any, tools: Any) -> str:
    try:
        return agent(question, llm, tools)
    except Exception as error:  # noqa: BLE001
        return f"sorry: {error}"


def test_a_tools_error_is_recorded_and_raised_again() -> None:
    recorder = Recorder(llm, failing_tools)
    capture = recorder.capture(QUESTION, forgiving(QUESTION, recorder.llm, recorder.tools))

    assert capture.steps[1].error == "LookupError: no stock"
    assert capture.final_text == "sorry: no stock"
    assert eval_capture_determinism(capture, forgiving).reproduced == 1
    with pytest.raises(ReplayedError, match=r"^no stock$"):
        eval_capture_live(capture, agent)


class ToolError(Exception):
    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool}: {reason}")


@pytest.mark.parametrize(
    "error",
    [
        ToolError("stock", "closed: until 9"),
        KeyError("pear"),
        OSError(2, "No such file"),
        TimeoutError(),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
    ],
)
def test_an_agent_that_catches_a_tools_error_by_its_class_reproduces(error: Exception) -> None:
    def raising(*_: Any) -> Any:
        raise error

    def catching(question: str, llm: Any, tools: Any) -> str:
        try:
            return agent(question, llm, tools)
        except type(error) as caught:
            return f"{type(caught).__name__}: {caught}"

    recorder = Recorder(llm, raising)
    capture = recorder.capture(QUESTION, catching(QUESTION, recorder.llm, recorder.tools))
    assert capture.final_text.startswith(type(error).__name__)
    assert eval_capture_determinism(capture, catching).reproduced == 1


class ToolFailedError(Exception):
    def __init__(self, *, why: str, code: int, response: object) -> None:
        self.why, self.code, self.response = why, code, response


class SlottedError(ValueError):
    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        super().__init__("bad", line)
        self.line = line


def http_error() -> HTTPError:
    return HTTPError("https://h/", 404, "Not Found", Message(), None)


@pytest.mark.parametrize(
    ("error", "read"),
    [
        (KeyError("pear"), lambda error: (repr(error), error.args)),
        (OSError(2, "No such file", "/x"), lambda error: (error.errno, error.strerror, error.filename, str(error))),
        (ValueError("a", 3), lambda error: (repr(error), error.args)),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), lambda error: (error.reason, error.start, error.encoding)),
        (ToolFailedError(why="closed", code=7, response=object()), lambda error: (error.why, error.code)),
        (SlottedError(3), lambda error: (error.line, error.args)),
        (http_error(), lambda error: (error.code, error.msg, error.url, str(error))),
    ],
)
def test_what_is_json_of_an_error_comes_back(error: Exception, read: Any) -> None:
    def raising(*_: Any) -> Any:
        raise error

    def reading(_: str, __: Any, tools: Any) -> str:
        with pytest.raises(type(error)) as caught:
            tools("stock", {})
        return str(read(caught.value))

    recorder = Recorder(llm, raising)
    file = io.StringIO()
    recorder.capture(QUESTION, reading(QUESTION, recorder.llm, recorder.tools)).write(file)
    capture = Capture.read(io.StringIO(file.getvalue()))

    assert capture.final_text == str(read(error))
    assert eval_capture_determinism(capture, reading).divergence is None


def test_what_is_not_kept_of_an_error_is_told() -> None:
    def raising(*_: Any) -> Any:
        raise ToolFailedError(why="closed", code=7, response=object())

    def reading(_: str, __: Any, tools: Any) -> str:
        try:
            return str(tools("stock", {}))
        except ToolFailedError as failed:
            return str(failed.response)[:7]

    recorder = Recorder(llm, raising)
    capture = recorder.capture(QUESTION, reading(QUESTION, recorder.llm, recorder.tools))
    with pytest.raises(AttributeError) as caught:
        eval_capture_determinism(capture, reading)
    assert str(caught.value) == (
        "'response' of this ToolFailedError is not there: it is raised again from a recording, which keeps what is "
        "JSON of an error"
    )


def test_an_error_whose_class_is_not_there_is_a_replayed_one_with_its_name() -> None:
    capture = replace(record(), steps=(ToolStep(name="stock", arguments={}, error="gone.errors.Gone: it is"),))

    def asking(_: str, __: Any, tools: Any) -> str:
        try:
            return str(tools("stock", {}))
        except ReplayedError as caught:
            return f"{type(caught).__name__}: {caught}"

    assert eval_capture_determinism(capture, asking).final_text == "Gone: it is"


async def awaiting(question: str, llm: Any, tools: Any) -> str:
    said = await llm([{"role": "user", "content": question}, {"role": "system", "content": "Be brief."}])
    return str(said["text"] or await tools("stock", {}))


def test_a_call_that_is_awaited_now_and_was_not_is_told() -> None:
    with pytest.raises(RecallError) as caught:
        eval_capture_determinism(record(), awaiting)

    assert str(caught.value) == "step 1 was recorded without await, and is awaited now; record the run again"


def test_a_call_that_is_not_awaited_now_and_was_is_told() -> None:
    capture = record()
    awaited = replace(capture, steps=tuple(replace(step, awaited=True) for step in capture.steps))

    # Python's own warning of what was never awaited would be an error.
    with pytest.raises(RecallError) as caught:
        eval_capture_determinism(awaited, agent)

    assert str(caught.value) == "step 1 was recorded with await, and is not awaited now; record the run again"


@pytest.mark.parametrize("replay", [eval_capture_determinism, eval_capture_live])
@pytest.mark.parametrize(
    ("capture", "replayed", "message"),
    [
        ("x.json", agent, "a capture must be a Capture, such as Capture.read gives, not str 'x.json'"),
        (record(), 3, "an agent is called as agent(input, llm, tools), not int 3"),
    ],
)
def test_what_can_not_be_replayed_is_told(replay: Any, capture: Any, replayed: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        replay(capture, replayed)
    assert str(caught.value) == message


def test_what_can_not_be_called_is_not_recorded() -> None:
    with pytest.raises(RecallError, match=r"^tools must be called, and is a str 'y'$"):
        Recorder(llm, "y")  # type: ignore[arg-type]


def test_an_error_before_any_divergence_is_the_agents_own() -> None:
    def broken(*_: Any) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        eval_capture_determinism(record(), broken)


def test_an_error_after_a_divergence_belongs_to_it() -> None:
    def confused(question: str, llm: Any, tools: Any) -> str:
        tools("stock", {"of": "plum"})
        llm([])
        raise KeyError(question)

    metrics = eval_capture_determinism(record(), confused)

    assert metrics.error == f"KeyError: '{QUESTION}'"
    assert metrics.final_text is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda *_: None, "the agent must return its final text, and returned a NoneType"),
        (
            lambda _, llm, __: llm([object()]),
            "the messages can't be compared, for a capture holds JSON: Object of type object is not JSON serializable",
        ),
        (
            lambda _, __, tools: tools("stock", {1, 2}),
            (
                "the arguments of 'stock' can't be compared, for a capture holds JSON: "
                "Object of type set is not JSON serializable"
            ),
        ),
    ],
)
def test_what_can_be_no_step_is_refused(changed: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        eval_capture_determinism(record(), changed)

    assert str(caught.value) == message


UNASKABLE = [
    (lambda _, tools: tools("delete_everything", {"when": date(2024, 1, 1)}), "the arguments of 'delete_everything'"),
    (lambda llm, _: llm([object()]), "the messages"),
]


@pytest.mark.parametrize("replay", [eval_capture_determinism, eval_capture_live])
@pytest.mark.parametrize(("ask", "what"), UNASKABLE)
def test_a_refusal_that_the_agent_catches_is_told_at_the_end(replay: Any, ask: Any, what: str) -> None:
    def hiding(question: str, llm: Any, tools: Any) -> str:
        with suppress(Exception):
            ask(llm, tools)
        return agent(question, llm, tools)

    with pytest.raises(RecallError) as caught:
        replay(record(), hiding)

    assert str(caught.value).startswith(f"{what} can't be compared, for a capture holds JSON: Object of type ")


@pytest.mark.parametrize(("ask", "what"), UNASKABLE)
def test_a_refusal_that_an_asynchronous_agent_catches_is_told_at_the_end(ask: Any, what: str) -> None:
    async def hiding(question: str, llm: Any, tools: Any) -> str:
        with suppress(Exception):
            await ask(llm, tools)
        return await async_agent(question, llm, tools)

    async def replay() -> None:
        recorder = Recorder(async_llm, async_tools)
        capture = recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))
        for replayed in (eval_capture_determinism_async, eval_capture_live_async):
            with pytest.raises(RecallError, match=rf"^{what} can't be compared, for a capture holds JSON: Object of "):
                await replayed(capture, hiding)

    asyncio.run(replay())


def test_a_refusal_that_is_caught_after_a_divergence_belongs_to_it() -> None:
    def hiding(question: str, llm: Any, tools: Any) -> str:
        with suppress(Exception):
            llm([object()])
        return other_arguments(question, llm, tools)

    metrics = eval_capture_determinism(record(), hiding)

    assert (metrics.reproduced, metrics.final_text) == (0, None)
    assert metrics.error is not None
    assert metrics.error.startswith("RecallError: the messages can't be compared, for a capture holds JSON: ")


def test_what_an_agent_is_given_it_may_change() -> None:
    def greedy(question: str, llm: Any, tools: Any) -> str:
        def changing(messages: Any) -> Any:
            said = llm(messages)
            copied = {**said, "tool_calls": list(said["tool_calls"])}
            said["tool_calls"].clear()
            return copied

        return agent(question, changing, tools)

    capture = record()

    assert eval_capture_determinism(capture, greedy).reproduced == 1
    assert eval_capture_determinism(capture, greedy).reproduced == 1


async def async_agent(question: str, llm: Any, tools: Any) -> str:
    messages = [{"role": "user", "content": question}]
    await asyncio.sleep(0)
    said = await llm(messages)
    outputs = await asyncio.gather(*(tools(call["name"], call["arguments"]) for call in said["tool_calls"]))
    return f"{said['text']}{outputs}"


async def async_llm(messages: Any) -> Any:
    await asyncio.sleep(0)
    return llm(messages)


async def async_tools(name: str, arguments: Any) -> Any:
    await asyncio.sleep(0)
    return tools(name, arguments)


def test_an_asynchronous_agent() -> None:
    async def run() -> Any:
        recorder = Recorder(async_llm, async_tools)
        return recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))

    capture = asyncio.run(run())

    assert [step.kind for step in capture.steps] == ["llm", "tool"]
    assert eval_capture_determinism(capture, async_agent).reproduced == 1
    assert eval_capture_live(capture, async_agent).final_match


def test_an_asynchronous_agent_where_a_loop_runs() -> None:
    async def replay() -> float:
        recorder = Recorder(async_llm, async_tools)
        capture = recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))
        return eval_capture_determinism(capture, async_agent).reproduced

    assert asyncio.run(replay()) == 1


def test_an_asynchronous_agent_on_the_running_loop() -> None:
    async def replay() -> None:
        recorder = Recorder(async_llm, async_tools)
        capture = recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))
        here = asyncio.get_running_loop()

        async def bound(question: str, llm: Any, tools: Any) -> str:
            assert asyncio.get_running_loop() is here
            return await async_agent(question, llm, tools)

        assert (await eval_capture_determinism_async(capture, bound)).reproduced == 1
        assert (await eval_capture_live_async(capture, bound)).final_match
        assert (await eval_capture_determinism_async(record(), agent)).reproduced == 1

    asyncio.run(replay())


def test_the_end_of_a_script_ends_tasks_in_a_group_too() -> None:
    anyio = pytest.importorskip("anyio")

    async def run() -> Any:
        recorder = Recorder(async_llm, async_tools)
        return recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))

    async def grouped(question: str, llm: Any, tools: Any) -> str:
        await async_agent(question, llm, tools)
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(llm, [])
        return "never"

    metrics = eval_capture_determinism(asyncio.run(run()), grouped)

    assert metrics.final_text is None
    assert str(metrics.divergence).startswith("step 3: recorded the end, now llm request ")


def test_an_asynchronous_agent_that_asks_for_more_is_stopped() -> None:
    async def run() -> Any:
        recorder = Recorder(async_llm, async_tools)
        return recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))

    async def twice(question: str, llm: Any, tools: Any) -> str:
        await async_agent(question, llm, tools)
        return await async_agent(question, llm, tools)

    metrics = eval_capture_live(asyncio.run(run()), twice)

    assert metrics.exhausted
    assert metrics.steps_now == 3


def test_an_asynchronous_agent_that_diverged_may_raise() -> None:
    async def run() -> Any:
        recorder = Recorder(async_llm, async_tools)
        return recorder.capture(QUESTION, await async_agent(QUESTION, recorder.llm, recorder.tools))

    async def failing(_question: str, llm: Any, _tools: Any) -> str:
        await llm(["anything else"])
        raise LookupError("no text")

    async def replay() -> Any:
        return await eval_capture_determinism_async(capture, failing)

    capture = asyncio.run(run())
    metrics = asyncio.run(replay())

    assert (metrics.reproduced, metrics.error) == (0, "LookupError: no text")
    assert str(metrics.divergence).startswith("step 1: ")


def test_an_asynchronous_tools_error_is_recorded_and_raised_again() -> None:
    async def failing_tools(name: str, _arguments: Any) -> Any:
        raise OSError(f"{name} is off")

    async def careful(_question: str, _llm: Any, tools: Any) -> str:
        try:
            return str(await tools("stock", {}))
        except OSError as error:
            return f"sorry: {error}"

    async def run() -> Any:
        recorder = Recorder(async_llm, failing_tools)
        return recorder.capture(QUESTION, await careful(QUESTION, recorder.llm, recorder.tools))

    capture = asyncio.run(run())

    (step,) = capture.steps
    assert (step.error, step.awaited) == ("OSError: stock is off", True)
    assert capture.final_text == "sorry: stock is off"
    assert eval_capture_determinism(capture, careful).reproduced == 1


def test_secrets_change_nothing() -> None:
    def with_key(key: str) -> Any:
        def keyed(question: str, llm: Any, tools: Any) -> str:
            return agent(question, llm, tools, system=f"Authorization: Bearer {key}")

        return keyed

    recorder = Recorder(llm, tools)
    recorded = with_key("abcdefgh12345678")
    capture = recorder.capture(QUESTION, recorded(QUESTION, recorder.llm, recorder.tools))

    assert eval_capture_determinism(capture, with_key("zyxwvuts87654321")).reproduced == 1


def test_what_a_task_asks_for_that_the_agent_left_behind_is_a_divergence() -> None:
    async def tool(name: str, _arguments: Any) -> str:
        return name

    async def asking(question: str, _llm: Any, tools: Any) -> str:
        return str(await tools("find", {"q": question}))

    async def notifying(question: str, llm: Any, tools: Any) -> str:
        text = await asking(question, llm, tools)
        left.append(asyncio.ensure_future(tools("send", {"to": "everybody"})))
        return text

    async def replay() -> list[float]:
        recorder = Recorder(lambda _: {"text": ""}, tool)
        capture = recorder.capture("q", await asking("q", recorder.llm, recorder.tools))
        outcomes = [await eval_capture_determinism_async(capture, each) for each in (asking, notifying)]
        with suppress(BaseException):
            await left[0]
        return [outcome.reproduced for outcome in outcomes]

    left: list[asyncio.Future[Any]] = []
    assert asyncio.run(replay()) == [1.0, 0.0]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_call_that_ended_without_a_result_is_named(awaited: bool) -> None:  # noqa: FBT001 - a column
    def leaving(_name: str, _arguments: Any) -> Any:
        raise SystemExit(2)

    async def waiting(_name: str, _arguments: Any) -> Any:
        await asyncio.sleep(60)

    async def giving_up() -> None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(recorder.tools("slow", {}), 0.01)

    recorder = Recorder(lambda _: {"text": ""}, waiting if awaited else leaving)
    if awaited:
        asyncio.run(giving_up())
    else:
        with suppress(SystemExit):
            recorder.tools("slow", {})
    with pytest.raises(RecallError) as refused:
        recorder.capture("q", "text")
    ended = "CancelledError" if awaited else "SystemExit"
    assert str(refused.value) == f"the call of 'slow' ended with {ended}, which a capture can't hold"


def test_a_loop_of_another_kind_replays_too(require: Require) -> None:
    trio = require.library("trio")

    async def asking(question: str, _llm: Any, tools: Any) -> str:
        return str(await tools("find", {"q": question}))

    step = ToolStep(name="find", arguments={"q": "?"}, output="here", awaited=True)
    capture = Capture(input="?", steps=(step,), final_text="here")
    assert trio.run(eval_capture_determinism_async, capture, asking).reproduced == 1.0
