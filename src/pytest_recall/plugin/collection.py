"""A suite, and every other file of ours, is a module whose functions are its gates."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from functools import cached_property
from inspect import Parameter, Signature
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall._text import printable_lines
from pytest_recall.errors import SuiteError
from pytest_recall.plugin.fixtures import how_to
from pytest_recall.plugin.judging import judge_item, judge_item_async
from pytest_recall.plugin.loops import loop_marks
from pytest_recall.plugin.session import EvalSession
from pytest_recall.suites import load_suite

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pytest_recall.bounds import Gate
    from pytest_recall.gates import Tolerances
    from pytest_recall.suites import Case, Suite

__all__ = ["EvalFile", "GateFile"]


class GateFile(pytest.Module):
    """A file whose functions are its gates; pytest's own collection makes real functions of them.

    Fixtures of any scope, parametrised ones, marks, ``-k``, ``--lf``, xdist and JUnit so work by themselves.
    """

    @cached_property
    @abstractmethod
    def shown(self) -> str:
        """What messages and baselines call the file."""

    @cached_property
    @abstractmethod
    def gates(self) -> dict[str, Gate]:
        """What the functions judge, by their names."""

    @cached_property
    @abstractmethod
    def fixture_name(self) -> str:
        """Of what is judged."""

    @abstractmethod
    def how_to(self, name: str) -> str:
        """How to write the fixture of that name."""

    @cached_property
    @abstractmethod
    def marks(self) -> list[pytest.MarkDecorator]:
        """Of all items, besides `recall`."""

    def keywords_of(self, gate: Gate) -> set[str]:  # noqa: ARG002
        """What ``-k`` finds an item by, besides its name."""
        return set()

    @cached_property
    @abstractmethod
    def fixtures(self) -> Sequence[str]:
        """The names of what the functions ask for."""

    @cached_property
    @abstractmethod
    def template(self) -> Any:
        """The function that judges a gate, on one line."""

    @cached_property
    def _module(self) -> ModuleType:
        module: Any = ModuleType(self.path.stem)
        module.__file__ = str(self.path)
        try:
            module.pytestmark = [pytest.mark.recall, *self.marks]
        except pytest.PytestUnknownMarkWarning as warning:  # where warnings are errors
            raise self.CollectError(f"{self.shown}: {warning}") from None
        for gate in self.gates.values():
            setattr(module, gate.name, self._function(gate))
        return module  # type: ignore[no-any-return]

    def _getobj(self) -> ModuleType:
        return self._module

    def funcnamefilter(self, name: str) -> bool:
        return name in self.gates

    @cached_property
    def _signature(self) -> Signature:
        return Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in dict.fromkeys(self.fixtures)])

    def _function(self, gate: Gate) -> FunctionType:
        """The function of one gate, which says that it stands where the gate is written."""
        template, file = self.template, self.path if gate.file is None else self.config.rootpath / gate.file
        code = template.__code__.replace(co_filename=str(file), co_firstlineno=gate.line, co_name=gate.name)
        function: Any = FunctionType(code, template.__globals__, gate.name, None, template.__closure__)
        function.__module__ = self.path.stem
        function.__signature__ = self._signature
        return function  # type: ignore[no-any-return]


class EvalFile(GateFile):
    """Collects the gates of one suite."""

    @cached_property
    def suite(self) -> Suite:
        try:
            EvalSession.of(self.config)  # with the user's metrics, which the suite may name
            return load_suite(self.path, root=self.config.rootpath)
        except (SuiteError, pytest.UsageError) as error:
            raise self.CollectError(printable_lines(str(error))) from None

    @cached_property
    def shown(self) -> str:
        return self.suite.name

    @cached_property
    def gates(self) -> dict[str, Gate]:
        return {gate.name: gate for gate in self.suite.gates}

    @cached_property
    def tolerances(self) -> Tolerances:
        """What may get worse, with the word of the suite."""
        return EvalSession.of(self.config).tolerances(max_drop=self.suite.max_drop, alpha=self.suite.alpha)

    @cached_property
    def _cases(self) -> dict[str | None, Case]:
        return {case.id: case for case in self.suite.cases}

    @cached_property
    def fixture_name(self) -> str:
        return EvalSession.of(self.config).options.fixture_of(self.suite)

    def how_to(self, name: str) -> str:
        return how_to(self.suite, name)

    @cached_property
    def marks(self) -> list[pytest.MarkDecorator]:
        return [*_marks(self.suite), *loop_marks(self.suite, self.config)]

    def keywords_of(self, gate: Gate) -> set[str]:
        """What ``-k`` finds a case by: its tags, its kind and its family."""
        case = self._cases.get(gate.case)
        return set() if case is None else {word for word in (*case.tags, case.kind, case.family) if word is not None}

    @cached_property
    def fixtures(self) -> Sequence[str]:
        answerer = ["answerer"] if self.suite.answered else []
        return [self.fixture_name, *answerer, "request"]

    @cached_property
    def template(self) -> Any:
        return _template() if self.suite.loop_scope is None else _async_template()


# What is on one line has one location.
# fmt: off
def _template() -> Callable[..., None]:
    return lambda **fixtures: judge_item(fixtures["request"].node, fixtures)


def _async_template() -> Callable[..., Awaitable[None]]:
    async def template(**fixtures: Any) -> None: await judge_item_async(fixtures["request"].node, fixtures)
    return template
# fmt: on


def _marks(suite: Suite) -> list[pytest.MarkDecorator]:
    """The marks of a suite; what pytest warns of is in its file."""
    marks = []
    for mark in suite.marks:
        # Where warnings are errors it is raised all the same.
        with warnings.catch_warnings(record=True) as caught:
            made = getattr(pytest.mark, mark.name)
        for warning in caught:
            warnings.warn_explicit(warning.message, warning.category, str(suite.path), mark.line)
        marks.append(made(*mark.args, **mark.kwargs))
    return marks
