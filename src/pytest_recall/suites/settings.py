"""The keys of a suite that hold one plain value each."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from pytest_recall.bounds import Tolerance, parse_alpha, parse_tolerance
from pytest_recall.errors import MetricError
from pytest_recall.metrics.catalogue import MAX_CUTOFF
from pytest_recall.suites import getters
from pytest_recall.suites.keys import SUITE_KEYS
from pytest_recall.suites.nodes import ScalarNode, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_recall.suites.keys import Key, Kind
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["LONGEST_PATTERN", "alpha", "read_settings", "tolerance"]

# Compiling one of megabytes takes minutes.
LONGEST_PATTERN = 1000


def read_settings(given: Mapping[str, Node], problems: Problems) -> dict[str, Any]:
    """Key → value of every plain key, its default where it is absent or wrong."""
    settings = {}
    for name, key in SUITE_KEYS.table.items():
        if key.kind in _READERS:
            settings[name] = _READERS[key.kind](given[name], key, problems) if name in given else key.default
    return settings


def tolerance(node: Node, problems: Problems, *, for_all: bool = False) -> Tolerance | None:
    """``0.02``, or a share such as ``5%``."""
    # In JSON a share is always quoted; a number in quotes is no number.
    if isinstance(node, ScalarNode) and (not node.style or node.value.rstrip().endswith("%")):
        try:
            return parse_tolerance(node.value, for_all=for_all)
        except MetricError as error:
            if "tolerates any loss" in str(error):
                problems.add(node, str(error))
                return None
    problems.add(node, f"must be a number from 0 such as 0.02, or a share below 100% such as 5%, got {describe(node)}")
    return None


def alpha(node: Node, problems: Problems) -> float | None:
    """A significance level."""
    if isinstance(node, ScalarNode) and not node.style and getters.NUMBER.fullmatch(node.value):
        try:
            return parse_alpha(node.value)
        except MetricError:
            pass
    problems.add(node, f"must be a number above 0 and below 1 such as 0.05, got {describe(node)}")
    return None


def _choice(node: Node, key: Key, problems: Problems) -> str:
    return getters.choice(node, key.choices, problems) or str(key.default)


def _loop(node: Node, key: Key, problems: Problems) -> str | None:
    written = getters.choice(node, key.choices, problems)
    return {"true": "module", "false": None}.get(written or "", written)


def _positive(node: Node, key: Key, problems: Problems) -> float | None:
    before = len(problems)
    value = getters.number(node, problems)
    if value > 0:
        return value
    if len(problems) == before:
        problems.add(node, f"must be above 0, got {describe(node)}")
    return None if key.default is None else float(key.default)


def _pattern(node: Node, _key: Key, problems: Problems) -> str | None:
    written = getters.text(node, problems)
    if len(written) > LONGEST_PATTERN:
        problems.add(node, f"must be at most {LONGEST_PATTERN:,} characters, got {len(written):,}")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            groups = re.compile(written).groups
    except (re.error, OverflowError, RecursionError) as error:
        problems.add(node, f"must be a regular expression, got {describe(node)}: {error}")
        return None
    if not groups:
        problems.add(node, f"needs a group around the id, such as '^(.*)#', got {describe(node)}")
    return written


_READERS: Mapping[Kind, Callable[[Node, Key, Problems], Any]] = {
    "alpha": lambda node, _, problems: alpha(node, problems),
    "amount": lambda node, _, problems: getters.whole_number(node, 0, MAX_CUTOFF, problems),
    "choice": _choice,
    "count": lambda node, _, problems: getters.whole_number(node, 1, MAX_CUTOFF, problems),
    "loop": _loop,
    "name": lambda node, _, problems: getters.name(node, problems),
    "number": lambda node, _, problems: getters.number(node, problems),
    "pattern": _pattern,
    "positive": _positive,
    "tolerance": lambda node, _, problems: tolerance(node, problems, for_all=True),
}
