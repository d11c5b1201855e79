"""Typed values from nodes; whatever is wrong is noted, and a stand-in of the right type returned."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from pytest_recall.suites.nodes import (
    MISSING,
    MappingNode,
    ScalarNode,
    SequenceNode,
    alternatives,
    describe,
    is_missing,
    line_of,
    quote,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems

__all__ = [
    "INTEGER",
    "MOMENT",
    "NUMBER",
    "choice",
    "elements",
    "is_not_finite",
    "mapping",
    "moment",
    "name",
    "number",
    "parse_moment",
    "required",
    "required_text",
    "text",
    "texts",
    "whole_number",
]

# YAML 1.2's numbers, without leading zeros: 012 is somebody's part number.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")

_MERGE = "<<"
_NEEDS_CARE = MISSING | {_MERGE}

MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([-+])([0-9]{2}):([0-9]{2}))"
)


def text(node: Node, problems: Problems) -> str:
    """A scalar as it is written."""
    if isinstance(node, ScalarNode) and (node.style or node.value not in MISSING):
        written: str = node.value
        return written
    problems.add(node, f"must be text, got {describe(node)}", enough=True)
    return ""


def required(node: Node, fields: Mapping[str, Pair], key: str, problems: Problems) -> Node | None:
    """The value of a field that a mapping must have."""
    pair = fields.get(key)
    if pair is not None and not is_missing(pair[1]):
        return pair[1]
    # What is no mapping has been told already.
    if isinstance(node, MappingNode):
        problems.add(node if pair is None else pair[0], f"{key} is missing")
    return None


def required_text(node: Node, fields: Mapping[str, Pair], key: str, problems: Problems) -> str:
    """The text of a field that a mapping must have, not blank; empty where it is missing."""
    value = required(node, fields, key, problems)
    if value is None:
        return ""
    written = text(value, problems)
    if not written.strip():
        problems.add(value, f"{key} is blank")
    return written


def elements(node: Node, problems: Problems) -> list[Node]:
    """The nodes of a list."""
    if isinstance(node, SequenceNode):
        nodes: list[Node] = node.value
        return nodes
    problems.add(node, f"must be a list, got {describe(node)}")
    return []


def texts(node: Node, problems: Problems) -> list[str]:
    """A list of texts."""
    children = elements(node, problems)
    found: list[Any] = [child.value for child in children]
    try:
        if MISSING.isdisjoint(found):
            return found
    except TypeError:  # a list or a mapping among them
        pass
    return [text(child, problems) for child in children]


def mapping(node: Node, problems: Problems) -> dict[str, Pair]:
    """Key → (key node, value node), with ``<<`` merged in and duplicate keys refused."""
    if not isinstance(node, MappingNode):
        problems.add(node, f"must be a mapping, got {describe(node)}")
        return {}
    pairs: list[Pair] = node.value
    try:
        found = {pair[0].value: pair for pair in pairs}
    except TypeError:  # a list or a mapping as a key
        return _careful_mapping(node, problems)
    if len(found) == len(pairs) and found.keys().isdisjoint(_NEEDS_CARE):
        return found
    return _careful_mapping(node, problems)


def _careful_mapping(node: MappingNode, problems: Problems) -> dict[str, Pair]:
    own: dict[str, Pair] = {}
    merged: dict[str, Pair] = {}
    for pair in node.value:
        key, value = pair
        if not isinstance(key, ScalarNode):
            problems.add(key, f"a key must be text, got {describe(key)}")
        elif key.value == _MERGE and not key.style:
            if merged:
                problems.add(key, "the key '<<' is here twice; merge a list of mappings")
            for source in value.value if isinstance(value, SequenceNode) else [value]:
                merged = {**mapping(source, problems), **merged}
        elif key.value in MISSING and not key.style:
            problems.add(key, f"a key is missing; quote {key.value or 'it'} to mean the text")
        else:
            first = own.setdefault(key.value, pair)
            if first is not pair:
                problems.add(key, f"the key {quote(key.value)} is here twice, first on line {line_of(first[0])}")
    return {**merged, **own}


def number(node: Node, problems: Problems) -> float:
    """A finite number."""
    written = node.value if isinstance(node, ScalarNode) and not node.style else ""
    numeric = NUMBER.fullmatch(written) is not None
    if numeric and math.isfinite(float(written)):
        return float(written)
    kind = "finite number" if numeric or is_not_finite(written) else "number"
    problems.add(node, f"must be a {kind}, got {describe(node)}")
    return 0.0


def is_not_finite(written: str) -> bool:
    """Whether YAML means an infinity or a NaN by a plain scalar."""
    return re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", written) is not None


def whole_number(node: Node, least: int, most: int, problems: Problems) -> int | None:
    """A whole number in a range."""
    if (
        isinstance(node, ScalarNode)
        and not node.style
        and len(node.value) <= len(str(most))
        and INTEGER.fullmatch(node.value)
    ):
        value = int(node.value)
        if least <= value <= most:
            return value
    problems.add(node, f"must be a whole number from {least} to {most:,}, got {describe(node)}")
    return None


def choice(node: Node, choices: Collection[str], problems: Problems) -> str | None:
    """One of a few words."""
    if isinstance(node, ScalarNode) and node.value in choices:
        return str(node.value)
    hint = problems.did_you_mean(node.value, choices) if isinstance(node, ScalarNode) else ""
    problems.add(node, f"must be {alternatives(choices)}, got {describe(node)}{hint}")
    return None


def name(node: Node, problems: Problems) -> str:
    """A Python name, such as that of a fixture or a mark."""
    written = text(node, problems)
    if not written.isidentifier() or iskeyword(written):
        problems.add(node, f"must be a Python name, got {describe(node)}")
    return written


def moment(node: Node, problems: Problems) -> datetime | None:
    """An RFC 3339 date and time with its offset."""
    found = parse_moment(node.value) if isinstance(node, ScalarNode) else None
    if found is None:
        problems.add(node, f"must be an RFC 3339 date and time such as 2024-05-01T00:00:00Z, got {describe(node)}")
    return found


def parse_moment(written: str) -> datetime | None:
    """The moment that an RFC 3339 date and time with its offset names, None for any other text."""
    match = MOMENT.fullmatch(written)
    try:
        return _moment(match) if match else None
    except (ValueError, OverflowError):
        return None


def _moment(match: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second = (int(part) for part in match.group(1, 2, 3, 4, 5, 6))
    microsecond = int((match[7] or "")[:6].ljust(6, "0"))
    zone = timezone.utc
    if match[8]:
        offset = timedelta(hours=int(match[9]), minutes=int(match[10]))
        zone = timezone(offset if match[8] == "+" else -offset)
    return datetime(year, month, day, hour, minute, second, microsecond, zone)
