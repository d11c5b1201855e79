"""The reference names everything that the code has, and nothing else."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from pytest_recall.metrics import CATALOGUE, parse_metric
from pytest_recall.plugin import hookspecs
from pytest_recall.suites.keys import CASE_KEYS, MEMORY_KEYS, SUITE_KEYS, Keys

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
    ("heading", "keys"), [("The suite", SUITE_KEYS), ("A memory", MEMORY_KEYS), ("A case", CASE_KEYS)]
)
def test_every_key_is_documented(heading: str, keys: Keys) -> None:
    now = {name for name, key in keys.table.items() if not key.later}
    assert set(named(section("reference/suite.md", heading))) == now


def test_every_key_that_is_still_to_come_is_listed() -> None:
    later = {name for keys in (SUITE_KEYS, CASE_KEYS) for name, key in keys.table.items() if key.later}
    listed = set(re.findall(r"`(\w+)`", section("explanation/limits.md", "Not yet there")))
    assert listed == later


def test_every_metric_is_documented() -> None:
    tables = [section("reference/metrics.md", heading) for heading in ("Ranking metrics", "Memory metrics")]
    written = {parse_metric(name.replace("@n", "@5")).name for table in tables for name in named(table)}
    latencies = set(re.findall(r"`(latency_\w+)`", section("reference/metrics.md", "Latency")))
    assert written | latencies == CATALOGUE.keys()


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
