"""How many values a report holds, told at its end, for what is left of cut-off YAML or TOML is often YAML or TOML."""

from __future__ import annotations

import re
from typing import Any

from pytest_recall._files.values import Invalid, shown

__all__ = ["closed", "cut_off", "is_cut_off", "opened"]

_COUNTS = "counts"
_BEGINS = re.compile(r"^format *[:=]", re.MULTILINE)
_ENDS = re.compile(r"^(counts:|\[counts\])", re.MULTILINE)


def closed(record: dict[str, Any]) -> dict[str, Any]:
    """The record with how many evaluations, cases and gates it has, behind all of them."""
    return {**record, _COUNTS: _counts(record)}


def opened(value: Any, text: str) -> Any:
    """The record without what `closed` added; what is no report is left to whoever reads it.

    Args:
        value: what the text says.
        text: of the file.

    Raises:
        Invalid: something of the record is not there any more.
    """
    if not isinstance(value, dict) or "format" not in value or "suites" in value:
        return value
    if not isinstance(value.get(_COUNTS), dict):
        raise cut_off(text)
    for name, here in _counts(value).items():
        written = value[_COUNTS].get(name)
        if written != here:
            message = f"written with {shown(written)}, holds {here:,} now; restore it, or write the report again"
            raise Invalid(message, where=f".{_COUNTS}.{name}")
    return {key: item for key, item in value.items() if key != _COUNTS}


def is_cut_off(text: str) -> bool:
    """Whether a text that can't be read is the beginning of a report, and not its end."""
    return bool(_BEGINS.search(text)) and not _ENDS.search(text)


def cut_off(text: str) -> Invalid:
    """What to say of a text that is the beginning of a report."""
    line = text.rstrip().count("\n") + 1
    return Invalid("the file is cut off; restore it, or delete it and write the report again", line)


def _counts(record: dict[str, Any]) -> dict[str, int]:
    evaluations = _list(record.get("evaluations"))
    parts = [each for each in evaluations if isinstance(each, dict)]
    inner = {name: sum(len(_list(part.get(name))) for part in parts) for name in ("cases", "gates")}
    return {"evaluations": len(evaluations), **inner}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
