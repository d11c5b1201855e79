"""A report as strict JSON, one case a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_recall import _json
from pytest_recall._files import strict_json
from pytest_recall.reports.record import to_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "parse", "render"]

# Also where another program has sorted the keys.
BEGINS = re.compile(rb'\{\s*(?:"format"\s*:\s*\d+\s*,\s*)?"evaluations"\s*:')

# Of the whole, the evaluations, one of them, and its cases, metrics and gates each entry has lines of its own.
_LEVELS = 4


def render(reports: Sequence[SuiteReport]) -> bytes:
    """Everything, undefined as null."""
    return _json.with_hidden_escaped(_block(to_record(reports), _LEVELS, "") + "\n").encode()


def parse(data: bytes) -> Any:
    """The plain values of a file.

    Raises:
        Invalid: it is no JSON.
    """
    return strict_json.load(data, noun="a report", again="write the report again")


def _block(value: Any, levels: int, indent: str) -> str:
    if not levels or not value or not isinstance(value, (dict, list)):
        return _json.line(value)
    inner = f"{indent}  "
    if isinstance(value, dict):
        opening, closing = "{", "}"
        entries = [f"{_json.line(key)}: {_block(item, levels - 1, inner)}" for key, item in value.items()]
    else:
        opening, closing = "[", "]"
        entries = [_block(item, levels - 1, inner) for item in value]
    lines = ",\n".join(inner + entry for entry in entries)
    return f"{opening}\n{lines}\n{indent}{closing}"
