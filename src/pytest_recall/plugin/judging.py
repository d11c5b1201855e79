"""One item: evaluate its suite once, judge its gate, fail with the designed text."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall._text import printable_lines, shorten, shorten_lines
from pytest_recall.answering import asks_retriever
from pytest_recall.asking import RemoteTraceback, from_the_user_on
from pytest_recall.errors import AnswererError, RetrievalError
from pytest_recall.gates import judge
from pytest_recall.gates.judging import NAME_WIDTH
from pytest_recall.plugin.fixtures import MissingRetriever, executor_of
from pytest_recall.plugin.identity import system_of
from pytest_recall.plugin.session import EvalSession
from pytest_recall.reports import failure_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_recall.asked import Run
    from pytest_recall.evaluation import CaseResult, Evaluation
    from pytest_recall.gates import Reference, Verdict
    from pytest_recall.plugin.collection import EvalFile

__all__ = ["excuse", "fail_for", "judge_item", "judge_item_async"]

LONGEST_LINE, MOST_LINES = 1000, 500
"""How much of a traceback is shown."""


def judge_item(item: pytest.Function, fixtures: Mapping[str, Any]) -> None:
    """Judge one gate of a suite; a failing gate is a failure without a traceback of ours."""
    __tracebackhide__ = True
    file, session = _file_of(item), EvalSession.of(item.config)
    retriever, answerer = _asked(file, fixtures)
    system = system_of(item, _name(file, answerer))
    run = session.held(item, file.shown, system)
    if run is None:
        _check_not_missing(file, session, retriever, answerer)
        executor = executor_of(fixtures["request"])
        with _refusals(file, answerer):
            run = session.run(
                item,
                file.shown,
                system,
                lambda: session.ask(file.suite, system, retriever, item, answerer=answerer, executor=executor),
            )
    _judge(item, file, session, run)


async def judge_item_async(item: pytest.Function, fixtures: Mapping[str, Any]) -> None:
    """As `judge_item`, on the running event loop."""
    __tracebackhide__ = True
    file, session = _file_of(item), EvalSession.of(item.config)
    retriever, answerer = _asked(file, fixtures)
    system = system_of(item, _name(file, answerer))
    _check_not_missing(file, session, retriever, answerer)
    # No executor can run what belongs to the loop.
    with _refusals(file, answerer):
        run = await session.run_async(
            item,
            file.shown,
            system,
            lambda: session.ask_async(file.suite, system, retriever, item, answerer=answerer),
        )
    _judge(item, file, session, run)


def _file_of(item: pytest.Function) -> EvalFile:
    return item.parent  # type: ignore[return-value]  # the functions of a suite have no other parent


def _asked(file: EvalFile, fixtures: Mapping[str, Any]) -> tuple[object, object]:
    """The values of an item's fixtures: retriever, answerer."""
    return fixtures[file.fixture_name], fixtures.get("answerer")


def _name(file: EvalFile, answerer: object) -> str:
    """The fixture whose system a suite judges."""
    return file.fixture_name if asks_retriever(file.suite, answerer) else "answerer"


def _check_not_missing(file: EvalFile, session: EvalSession, retriever: object, answerer: object) -> None:
    __tracebackhide__ = True
    if isinstance(retriever, MissingRetriever) and asks_retriever(file.suite, answerer):
        pytest.fail(printable_lines(_missing(file, session)), pytrace=False)


@contextmanager
def _refusals(file: EvalFile, answerer: object) -> Iterator[None]:
    """Fail the item, with the fixture named, where what it asks won't be asked."""
    __tracebackhide__ = True
    name = _name(file, answerer)
    try:
        yield
    except RetrievalError as error:
        name = "answerer" if isinstance(error, AnswererError) else name
        text = f"{file.suite.name}: fixture {name!r}: {error}"
        raise pytest.fail.Exception(printable_lines(text), pytrace=False) from None
    except (pytest.skip.Exception, pytest.xfail.Exception) as outcome:
        instead = "call it in the fixture, or mark the suite"
        text = f"{file.suite.name}: fixture {name!r}: {excuse(outcome, 'a query', instead)}"
        raise pytest.fail.Exception(printable_lines(text), pytrace=False) from None


def _judge(item: pytest.Function, file: EvalFile, session: EvalSession, run: Run) -> None:
    __tracebackhide__ = True
    gate = file.gates[item.originalname]
    reference = session.reference(run.evaluation)
    verdicts = judge(gate, run.evaluation, reference, file.tolerances)
    session.record(item, run.evaluation, verdicts, tell=session.untold(run))
    fail_for(item, verdicts, run, reference)


def fail_for(item: pytest.Function, verdicts: tuple[Verdict, ...], run: Run, reference: Reference | None) -> None:
    """Fail an item with the designed text, when any of its verdicts is a failure.

    Raises:
        pytest.exit.Exception: a query asked for the end of the whole run.
    """
    __tracebackhide__ = True
    for error in run.exceptions.values():
        if isinstance(error, pytest.exit.Exception):
            raise error
    if not any(verdict.failed for verdict in verdicts):
        return
    text = failure_text(
        verdicts,
        run.evaluation,
        reference.pairing if reference else None,
        see_all=f"pytest {_quoted(item.nodeid)} -vv",
        whole=item.config.option.verbose > 1,
    )
    # A file's name may hold anything.
    pytest.fail(printable_lines(text) + _traceback(item, run, verdicts), pytrace=False)


def _quoted(nodeid: str) -> str:
    """A node id as a shell takes it; in double quotes, as every shell does, where nothing in it means more."""
    return shlex.quote(nodeid) if set(nodeid) & set('"$`\\!\n') else f'"{nodeid}"'


def _missing(file: EvalFile, session: EvalSession) -> str:
    first = session.once(("missing retriever", file.nodeid))
    ranked = file.suite.ranked
    fixture = file.fixture_name if ranked else "answerer"
    told = file.how_to(fixture) if first else "see the first failure of this suite"
    return f"no {file.suite.role if ranked else fixture} for {file.suite.name}: {told}"


def excuse(outcome: BaseException, who: str, instead: str = "call it in the fixture") -> str:
    """Why a gate fails, and does not skip, where somebody asked to skip it."""
    call = f"pytest.{'xfail' if isinstance(outcome, pytest.xfail.Exception) else 'skip'}({str(outcome)!r:.80})"
    return f"{who} called {call}, and a gate needs every case: {instead}"


def _raised(verdict: Verdict, evaluation: Evaluation) -> list[CaseResult]:
    """The cases whose errors leave a verdict without a value."""
    return [case for case in verdict.cases(evaluation) if case.error is not None and verdict.metric in case.scores]


def _traceback(item: pytest.Function, run: Run, verdicts: tuple[Verdict, ...]) -> str:
    """The user's own traceback of the first case that raised, where that is why the gate failed.

    Every gate over the case fails for it; the first to do so shows the traceback.
    """
    case = next((case for verdict in verdicts for case in _raised(verdict, run.evaluation)), None)
    error = None if case is None else run.exceptions[case.id]
    if case is None or error is None:
        return ""
    # Cut in the exception itself, for pytest has Python write the tracebacks of exception groups.
    error.__traceback__ = from_the_user_on(error.__traceback__)
    remote = isinstance(error.__cause__, RemoteTraceback)
    if error.__traceback__ is None and not remote:
        return ""
    if not EvalSession.of(item.config).unshown(run, case.id):
        return f"\n  traceback: see the first failure for case {shorten(str(case.id), NAME_WIDTH)}"
    text = str(error.__cause__).strip() if remote else _as_pytest_shows(error, item)
    return "\n\n" + shorten_lines(text.expandtabs(4), LONGEST_LINE, MOST_LINES)


def _as_pytest_shows(error: Exception, item: pytest.Function) -> str:
    info = pytest.ExceptionInfo.from_exception(error)
    style = item.config.getoption("tbstyle", "auto")
    return str(info.getrepr(style="short" if style in ("auto", "no") else style))
