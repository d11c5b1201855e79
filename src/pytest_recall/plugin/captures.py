"""A capture is a module whose functions hold today's agent to the recorded run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_recall._text import printable_lines
from pytest_recall.asked import Run
from pytest_recall.asking import sentence_of
from pytest_recall.asking.raised import of_a_case
from pytest_recall.errors import FormatError, RetrievalError
from pytest_recall.gates import judge
from pytest_recall.plugin.collection import GateFile
from pytest_recall.plugin.fixtures import HOW_TO_AGENT
from pytest_recall.plugin.identity import system_of
from pytest_recall.plugin.judging import excuse, fail_for
from pytest_recall.plugin.loops import asyncio_marks
from pytest_recall.plugin.session import EvalSession
from pytest_recall.replay import Capture, eval_capture_determinism, eval_capture_determinism_async
from pytest_recall.replay.evaluating import CASE_ID, evaluation_of, gates_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pytest_recall.bounds import Gate
    from pytest_recall.replay import EvalMetrics

__all__ = ["CaptureFile", "judge_capture", "judge_capture_async"]


class CaptureFile(GateFile):
    """Collects what a recorded agent run is held to."""

    run_alone: ClassVar[Callable[..., Any]] = staticmethod(asyncio.run)

    @cached_property
    def capture(self) -> Capture:
        EvalSession.of(self.config)
        try:
            return Capture.read(self.path, name=self.shown)
        except FormatError as error:
            raise self.CollectError(printable_lines(str(error))) from None

    @cached_property
    def shown(self) -> str:
        root = self.config.rootpath
        return self.path.relative_to(root).as_posix() if root in self.path.parents else self.path.as_posix()

    @cached_property
    def gates(self) -> dict[str, Gate]:
        return {gate.name: gate for gate in gates_of(recorded=True)}

    @cached_property
    def fixture_name(self) -> str:
        return "agent"

    def how_to(self, name: str) -> str:
        return HOW_TO_AGENT.format(name=name)

    @cached_property
    def marks(self) -> list[pytest.MarkDecorator]:
        return [*asyncio_marks(self.config)] if self.capture.awaited else []

    @cached_property
    def fixtures(self) -> Sequence[str]:
        return [self.fixture_name, "request"]

    @cached_property
    def template(self) -> Any:
        return _async_template() if self.capture.awaited else _template()


# What is on one line has one location.
# fmt: off
def _template() -> Callable[..., None]:
    return lambda **fixtures: judge_capture(fixtures["request"].node, fixtures["agent"])


def _async_template() -> Callable[..., Awaitable[None]]:
    async def template(**fixtures: Any) -> None: await judge_capture_async(fixtures["request"].node, fixtures["agent"])
    return template
# fmt: on


def judge_capture(item: pytest.Function, agent: object) -> None:
    """Judge one metric of a replay; one that fails is a failure without a traceback of ours."""
    __tracebackhide__ = True
    replay, session = _replay_of(item, agent), EvalSession.of(item.config)
    try:
        run = session.run(item, replay.file.shown, replay.system, replay.run)
    except (pytest.skip.Exception, pytest.xfail.Exception) as outcome:
        raise replay.refusal(excuse(outcome, "the agent")) from None
    _judge(item, session, run)


async def judge_capture_async(item: pytest.Function, agent: object) -> None:
    """As `judge_capture`, on the running event loop."""
    __tracebackhide__ = True
    replay, session = _replay_of(item, agent), EvalSession.of(item.config)
    try:
        run = await session.run_async(item, replay.file.shown, replay.system, replay.run_async)
    except (pytest.skip.Exception, pytest.xfail.Exception) as outcome:
        raise replay.refusal(excuse(outcome, "the agent")) from None
    _judge(item, session, run)


def _replay_of(item: pytest.Function, agent: object) -> _Replay:
    __tracebackhide__ = True
    file: Any = item.parent  # the functions of a capture have no other parent
    replay = _Replay(file=file, system=system_of(item, file.fixture_name), agent=agent)
    if not callable(agent):
        raise replay.refusal(f"an agent is called as agent(input, llm, tools), and this is a {type(agent).__name__}")
    return replay


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replay:
    """An agent beside the recorded run."""

    file: CaptureFile
    system: str
    agent: Any

    def refusal(self, reason: str) -> BaseException:
        text = f"{self.file.shown}: fixture {self.file.fixture_name!r}: {reason}"
        return pytest.fail.Exception(printable_lines(text), pytrace=False)

    def run(self) -> Run:
        try:
            return self._run_of(eval_capture_determinism(self.file.capture, self.agent))
        except BaseException as raised:
            error = _of_the_run(raised)
            if error is None:
                raise
            return self._run_of_one_that_raised(error)

    async def run_async(self) -> Run:
        try:
            return self._run_of(await eval_capture_determinism_async(self.file.capture, self.agent))
        except BaseException as raised:
            error = _of_the_run(raised)
            if error is None:
                raise
            return self._run_of_one_that_raised(error)

    def _run_of_one_that_raised(self, error: Exception) -> Run:
        return replace(self._run_of(sentence_of(error)), exceptions={CASE_ID: error})

    def _run_of(self, outcome: EvalMetrics | str) -> Run:
        capture = self.file.capture
        return Run(evaluation=evaluation_of(capture, outcome, suite=self.file.shown, system=self.system))


def _of_the_run(raised: BaseException) -> Exception | None:
    """What the agent raised, as the error of its run; a cancellation too, unless it is the test that is cancelled."""
    if isinstance(raised, asyncio.CancelledError) and not _is_cancelled():
        return RetrievalError(sentence_of(raised)).with_traceback(raised.__traceback__)
    return of_a_case(raised)


def _is_cancelled() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop is running
        return False
    # Python 3.10 does not count.
    cancelling: Callable[[], int] = getattr(task, "cancelling", int)
    return cancelling() > 0


def _judge(item: pytest.Function, session: EvalSession, run: Run) -> None:
    __tracebackhide__ = True
    reference, recorded = session.reference(run.evaluation), session.is_recorded(run.evaluation)
    if reference is not None and reference.problem is None and not recorded:
        # What was never recorded has to be reproduced, and that is all.
        reference = None
    gate = next(gate for gate in gates_of(recorded=recorded) if gate.name == item.originalname)
    verdicts = judge(gate, run.evaluation, reference, session.tolerances())
    session.record(item, run.evaluation, verdicts, tell=session.untold(run))
    fail_for(item, verdicts, run, reference)
