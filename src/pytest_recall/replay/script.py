"""Doubles of the model and the tools, scripted from a recording."""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RecallError
from pytest_recall.replay.calling import called_by_agents
from pytest_recall.replay.capture import LlmStep, ToolStep, digest, why_not_kept
from pytest_recall.replay.raised import replayed
from pytest_recall.replay.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pytest_recall.replay.capture import Step

__all__ = ["Script", "ScriptEnded", "next_alike", "next_of_kind"]


class ScriptEnded(BaseException):
    """The agent asked for more than was recorded; not for its own ``except Exception`` to catch."""


def next_of_kind(step: Step, unused: Sequence[Step]) -> Step | None:
    """The next recorded step of the same kind."""
    return next((other for other in unused if other.kind == step.kind), None)


def next_alike(step: Step, unused: Sequence[Step]) -> Step | None:
    """The next recorded step that asks the same, else the next of the same tool, else of the same kind."""
    same = (other for other in unused if other.asked == step.asked)
    tool = (other for other in unused if other.asked[:2] == step.asked[:2])
    return next(same, None) or next(tool, None) or next_of_kind(step, unused)


@dataclass(slots=True)
class Script:
    """Answers an agent's calls from a recording and keeps what it asked.

    Attributes:
        recorded: the steps of the recording.
        choose: which of the unused ones answers a step; None when none does.
        now: what was asked, in order.
        exhausted: more was asked for than was recorded.
        problem: why something that was asked was refused; the first one, None when there is none.
        redactor: takes secrets out of what is asked.
    """

    recorded: Sequence[Step]
    choose: Callable[[Step, Sequence[Step]], Step | None]
    now: list[Step] = field(default_factory=list)
    exhausted: bool = False
    problem: str | None = None
    redactor: Redactor = field(default_factory=Redactor)
    _unused: list[Step] = field(init=False)
    _given: list[Step] = field(default_factory=list)
    _later: dict[int, Coroutine[Any, Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._unused = list(self.recorded)

    @called_by_agents
    def llm(self, messages: Any) -> Any:
        """Stands for the model."""
        request = digest(self._asked("the messages", messages))
        return self._answer(LlmStep(request_sha256=request))

    @called_by_agents
    def tools(self, name: str, arguments: Any) -> Any:
        """Stands for the tools."""
        return self._answer(ToolStep(name=name, arguments=self._asked(f"the arguments of {name!r:.80}", arguments)))

    def _asked(self, what: str, value: Any) -> Any:
        if (reason := why_not_kept(value)) is not None:
            raise self._refuse(f"{what} can't be compared, for a capture holds JSON: {reason}")
        return self.redactor.asked(value)

    def _refuse(self, problem: str) -> RecallError:
        self.problem = self.problem or problem
        return RecallError(problem)

    def _answer(self, step: Step) -> Any:
        self.now.append(step)
        answering = self.choose(step, self._unused)
        if answering is None:
            self.exhausted = True
            raise ScriptEnded("more was asked for than was recorded")
        # By identity: equal steps may have other answers.
        self._unused = [other for other in self._unused if other is not answering]
        self._given.append(answering)
        if not answering.awaited:
            return _given(answering)
        self._later[len(self.now)] = later = _given_later(answering)
        return later

    def mixed_up(self, raised: BaseException) -> str | None:
        """A sentence where an agent raised because a call is awaited now and was not when it was recorded, or was."""
        number = next(iter(self._waiting()), None)
        if number is not None and isinstance(raised, (TypeError, AttributeError, RecallError)):
            return f"step {number} was recorded with await, and is not awaited now; record the run again"
        if isinstance(raised, TypeError) and "await" in str(raised) and self._given and not self._given[-1].awaited:
            return f"step {len(self._given)} was recorded without await, and is awaited now; record the run again"
        return None

    def close(self) -> None:
        """End what the agent never awaited, so that Python does not warn of names in here."""
        for number in self._waiting():
            self._later[number].close()

    def _waiting(self) -> list[int]:
        created = inspect.CORO_CREATED
        return [number for number, later in self._later.items() if inspect.getcoroutinestate(later) == created]


async def _given_later(step: Step) -> Any:
    return _given(step)


def _given(step: Step) -> Any:
    if step.error is not None:
        raise replayed(step.error, copy.deepcopy(step.error_attributes or {}))
    # The agent may change what it is given.
    return copy.deepcopy(step.answer)
