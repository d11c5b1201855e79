"""The command line, ``pytest-recall COMMAND …``: a module a command, imported when it is the one that is asked for."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

from pytest_recall._text import printable
from pytest_recall.cli.output import drop_output, flush, note, standard_output
from pytest_recall.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["COMMANDS", "main", "make_parser"]

COMMANDS = {
    "check": "read suites and report every mistake",
    "compare": "tell what changed between two reports or baselines",
    "convert": "make a suite from a collection in another format",
    "score": "score a run against judgments",
    "show": "show a report as the terminal did, or as a page",
    "schema": "print the JSON Schema of a suite, for editors",
}

_BAD_INPUT = 2
# What a shell says of a program that the signal ended.
_INTERRUPTED = 130
_BROKEN_PIPE = 141

_EPILOG = "Exit codes: 0 all is well, 1 a gate failed, 2 an input or the usage is wrong."


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: without the program's name; by default those of the process.

    Returns:
        The exit code.

    Raises:
        SystemExit: help was asked for, or the usage is wrong.
    """
    arguments = sys.argv[1:] if argv is None else argv
    # None stands for a stream that was closed when the process began.
    output: object = sys.stdout
    if output is None:
        note("standard output is closed, and the result goes there; pass /dev/null where nobody reads it")
        return _BAD_INPUT
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that can't show a character is no reason to stop.
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            with standard_output():
                given = make_parser(arguments).parse_args(arguments)
            code: int = given.run(given)
        finally:
            # Help ends the process, and a mistake may come after results.
            flush()
    except RecallError as error:
        first, *others = map(printable, str(error).splitlines())
        print(f"pytest-recall: {first}", *others, sep="\n", file=sys.stderr)  # noqa: T201
        return _BAD_INPUT
    except BrokenPipeError:
        # Whoever read has enough.
        drop_output()
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        # Looked up only here, for it takes longer than most commands need to start.
        import pytest_recall  # noqa: PLC0415

        print(f"pytest-recall {pytest_recall.__version__}")  # noqa: T201
        parser.exit()


def make_parser(used: Collection[str]) -> argparse.ArgumentParser:
    """The parser of the command line.

    Args:
        used: the commands that need their arguments, among any other words.
    """
    parser = _Parser(prog="pytest-recall", description="Retrieval regression gates, without pytest.", epilog=_EPILOG)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for name, does in COMMANDS.items():
        command = commands.add_parser(name, help=does, epilog=_EPILOG)
        if name in used:
            import_module(f"{__name__}.{name}").configure(command)
    return parser
