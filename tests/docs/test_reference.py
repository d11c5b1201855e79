"""The reference names everything that the code has, and nothing else."""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall.cli import COMMANDS, make_parser
from pytest_recall.metrics import CATALOGUE, parse_metric
from pytest_recall.plugin import hookspecs
from pytest_recall.reports.files import KINDS
from pytest_recall.reports.record import _CASE, _EVALUATION, _GATE, _SUMMARY
from pytest_recall.suites.keys import (
    CASE_KEYS,
    CASES_FILE_KEYS,
    CLASSIFIER_CASE_KEYS,
    MEMORIES_FILE_KEYS,
    MEMORY_KEYS,
    SUITE_KEYS,
    Keys,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs"


def section(page: str, heading: str) -> str:
    """The text from a heading up to the next."""
    _, _, after = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    assert after, f"{page} has no heading {heading!r}"
    return after.split("\n## ")[0]


def named(text: str) -> list[str]:
    """The names that the rows of a table begin with, in backticks; in parentheses stand other names."""
    cells = [line.split("|")[1].partition("(")[0] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("The suite", SUITE_KEYS),
        ("A memory", MEMORY_KEYS),
        ("A case", CASE_KEYS),
        ("A suite of a classifier", CLASSIFIER_CASE_KEYS),
    ],
)
def test_every_key_is_documented(heading: str, keys: Keys) -> None:
    assert set(named(section("reference/suite.md", heading))) == keys.table.keys()


def test_every_key_that_names_a_file_is_documented() -> None:
    keys = {*MEMORIES_FILE_KEYS.table, *CASES_FILE_KEYS.table}
    assert set(named(section("reference/suite.md", "From other files"))) == keys


_METRIC_TABLES = ("Ranking metrics", "Memory metrics", "Answer metrics", "Label metrics", "Recorded runs")


def test_every_metric_is_documented() -> None:
    tables = [section("reference/metrics.md", heading) for heading in _METRIC_TABLES]
    written = {parse_metric(name.replace("@n", "@5")).name for table in tables for name in named(table)}
    latencies = set(re.findall(r"`(latency_\w+)`", section("reference/metrics.md", "Latency")))
    assert written | latencies == CATALOGUE.keys()


@pytest.mark.parametrize(
    ("heading", "known"),
    [("An evaluation", _EVALUATION), ("A metric", {"value": None, **_SUMMARY}), ("A case", _CASE), ("A gate", _GATE)],
)
def test_every_key_of_a_report_is_documented(heading: str, known: dict[str, object]) -> None:
    record = section("reference/reports.md", "The record")
    table = record.partition(f"\n### {heading}\n")[2].split("\n### ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])} == known.keys()


def test_every_kind_of_report_is_documented() -> None:
    assert set(named(section("reference/reports.md", "Kinds"))) == KINDS.keys()


def test_every_hook_is_documented_with_its_arguments() -> None:
    text = (DOCS / "reference/hooks.md").read_text(encoding="utf-8")
    hooks = {name: hook for name, hook in vars(hookspecs).items() if name.startswith("pytest_recall_")}
    signatures = {f"{name}({', '.join(inspect.signature(hook).parameters)})" for name, hook in hooks.items()}
    assert set(re.findall(r"^## `(.+)`$", text, flags=re.MULTILINE)) == signatures
    assert named(text) == sorted(hooks)


def test_every_option_is_documented(pytester: pytest.Pytester) -> None:
    printed = str(pytester.runpytest_inprocess("--help").stdout)
    options = {name.partition("=")[0] for name in named(section("reference/options.md", "Command line"))}
    assert options == set(re.findall(r"^  (--eval-[a-z-]+)", printed, flags=re.MULTILINE))
    assert set(named(section("reference/options.md", "Ini keys"))) == set(
        re.findall(r"^  (eval_\w+) \(", printed, flags=re.MULTILINE)
    )


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command that has arguments of its own, with its name."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    for action in below:
        for word, command in action.choices.items():
            yield from commands(command, f"{name} {word}".strip())
    if not below:
        yield name, parser


def arguments(parser: argparse.ArgumentParser) -> set[str]:
    """Every option and argument of a command, as its help shows it."""
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]  # noqa: SLF001
    shown = {(option, action.metavar) for action in actions for option in action.option_strings or [""]}
    return {f"{option} {metavar or ''}".strip() for option, metavar in shown}


def test_every_command_is_documented() -> None:
    assert named(section("reference/command-line.md", "Commands")) == [*COMMANDS]


def test_every_argument_of_every_command_is_documented() -> None:
    documented, found = {}, {}
    for name, parser in commands(make_parser(COMMANDS)):
        top, _, word = name.partition(" ")
        text = section("reference/command-line.md", top)
        common, *parts = text.split("\n### ")
        own = next((part for part in parts if part.startswith(f"{name}\n")), "") if word else ""
        documented[name] = {*named(common), *named(own)}
        found[name] = arguments(parser)
    assert documented == found
