"""The hook `pytest_recall_evaluated`: who implements it, and what comes of calling it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall._text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_recall.reports import SuiteReport

__all__ = ["Heard", "hearing_conftests", "tell"]

HOOK = "pytest_recall_evaluated"

_RAISED = (Exception, SystemExit, pytest.fail.Exception, pytest.skip.Exception)
"""What fails the run; an interrupt still ends it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of telling the hook.

    Attributes:
        problems: a sentence for each time that it raised.
        exit_words: a sentence where `pytest.exit` was called, after which nothing more was told.
        exit_status: the status that it asks for.
    """

    problems: tuple[str, ...] = ()
    exit_words: tuple[str, ...] = ()
    exit_status: int | None = None


def tell(config: pytest.Config, reports: Iterable[SuiteReport]) -> Heard:
    """Call the hook for each suite and system; the summary must come whatever it raises."""
    problems: list[str] = []
    for report in reports:
        try:
            config.hook.pytest_recall_evaluated(evaluation=report.evaluation, verdicts=report.verdicts, config=config)
        except pytest.exit.Exception as error:
            words = f"hook {HOOK} called pytest.exit: {shorten(str(error), 200)}"
            status = pytest.ExitCode.INTERRUPTED if error.returncode is None else error.returncode
            return Heard((*problems,), (words,), status)
        except _RAISED as error:
            problems.append(f"hook {HOOK} raised {type(error).__name__}: {shorten(str(error), 200)} ({_place(error)})")
    return Heard((*problems,))


def _place(error: BaseException) -> str:
    """Where it was raised, by the user's own line where pytest raised it for them."""
    frames = traceback.walk_tb(error.__traceback__)
    *_, (frame, line) = ((frame, line) for frame, line in frames if not frame.f_locals.get("__tracebackhide__"))
    return f"{Path(frame.f_code.co_filename).name}:{line}"


def hearing_conftests(config: pytest.Config) -> set[str]:
    """The conftests of this process that implement the hook, relative to the root, which another machine may share."""
    names = (str(hook.plugin_name) for hook in config.hook.pytest_recall_evaluated.get_hookimpls())
    return {relpath(name, config.rootpath) for name in names if Path(name).name == "conftest.py"}
