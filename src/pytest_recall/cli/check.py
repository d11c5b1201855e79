"""``pytest-recall check``."""

from __future__ import annotations

import os
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.cli.output import say, standard_input
from pytest_recall.errors import FormatError, RecallError, SuiteError
from pytest_recall.replay import Capture
from pytest_recall.suites import load_suite
from pytest_recall.suites.files import Home
from pytest_recall.suites.loading import load_within
from pytest_recall.suites.names import CAPTURE_SUFFIX, SUITE_FILES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_recall.suites import Suite

__all__ = ["configure"]

# The folders that pytest does not enter.
NOT_ENTERED = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")

_STANDARD_INPUT = "-"
_BAD_INPUT = 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Read suites and report every mistake in them, a line each, without asking any retriever. Metrics that a "
        "pytest hook registers are unknown here; 'pytest --collect-only' knows them."
    )
    parser.add_argument(
        "suites",
        metavar="SUITE",
        nargs="+",
        help=f"a suite or a recorded agent run, a folder with some ({', '.join(SUITE_FILES)}), or - for standard "
        "input, a suite in the folder of --root",
    )
    parser.add_argument(
        "--root", metavar="DIR", help="the folder that names are relative to (default: the working directory)"
    )
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    mistakes = bad = cases = 0
    suites = _find(given.suites)
    for path in suites:
        try:
            cases += _cases_in(path, given.root)
        except SuiteError as error:
            bad += 1
            mistakes += len(error.problems)
            for problem in error.problems:
                say(str(problem))
    checked = count(len(suites), "suite")
    if not mistakes:
        say(f"{checked}, {count(cases, 'case')}: no mistakes")
        return 0
    say(f"{count(mistakes, 'mistake')} in {bad} of {checked}")
    return _BAD_INPUT


def _find(arguments: list[str]) -> list[str]:
    """The suites that are meant, each once, in the order they are named."""
    found: dict[str, str] = {}
    for argument in arguments:
        suites = [argument]
        if argument != _STANDARD_INPUT and Path(argument).is_dir():
            suites = [*_suites_in(argument)]
            if not suites:
                raise RecallError(f"{argument}: there are no suites in this folder ({', '.join(SUITE_FILES)})")
        for path in suites:
            found.setdefault(os.path.abspath(path), path)  # noqa: PTH100 - a link may be a suite of its own
    return [*found.values()]


def _suites_in(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not any(fnmatch(name, each) for each in NOT_ENTERED))
        for name in sorted(files):
            if any(fnmatch(name, pattern) for pattern in SUITE_FILES):
                yield str(Path(parent, name))


def _refuse(error: OSError) -> None:
    raise RecallError(f"{error.filename}: the folder can't be read: {error.strerror or error}")


def _cases_in(path: str, root: str | None) -> int:
    """How many cases a suite has; a recorded agent run is a suite of one."""
    if not path.endswith(CAPTURE_SUFFIX):
        return len(_load(path, root).cases)
    try:
        Capture.read(path, name=os.path.relpath(path, root) if root else path)
    except FormatError as error:
        raise SuiteError([error.problem]) from None
    return 1


def _load(path: str, root: str | None) -> Suite:
    if path != _STANDARD_INPUT:
        return load_suite(path, root=root)
    with TemporaryDirectory() as folder:
        copy = Path(folder, "stdin.eval.yaml")
        copy.write_bytes(standard_input().read())
        try:
            return load_within(copy, Home(folder=Path(root or "."), root=Path(root or ".")))
        except SuiteError as error:
            own = f"{copy.parent.name}/{copy.name}"
            raise SuiteError(
                replace(each, path="<stdin>") if each.path.endswith(own) else each for each in error.problems
            ) from None
