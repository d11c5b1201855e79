"""A baseline as text: the same for the same entries, and fit for a diff."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_recall import _json

if TYPE_CHECKING:
    from pytest_recall.baseline.model import Baseline, Entry

__all__ = ["FORMAT", "render"]

FORMAT = 1


class _Line(dict[str, Any]):
    """An object that is written on one line."""


def render(baseline: Baseline) -> str:
    """The text of a baseline file: one case a line, the rest indented, keys sorted, nothing that varies by machine."""
    suites: dict[str, Any] = {}
    for (suite, system), entry in baseline.entries.items():
        suites.setdefault(suite, {"systems": {}})["systems"][system] = _record(entry)
    text = _block({"format": FORMAT, "suites": suites}, indent="")
    return _json.with_hidden_escaped(text) + "\n"


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "k": entry.k,
        "policy": asdict(entry.policy),
        "memories": None if entry.memories is None else asdict(entry.memories),
        "metrics": {name: asdict(metric) for name, metric in entry.metrics.items()},
        "cases": {
            id: _Line(fingerprint=case.fingerprint, ranks=case.ranks, scores=case.scores)
            for id, case in entry.cases.items()
        },
    }


def _block(value: Any, indent: str) -> str:
    if not isinstance(value, dict) or isinstance(value, _Line) or not value:
        return json.dumps(_json.plain(value), allow_nan=False, ensure_ascii=False, sort_keys=True)
    inner = indent + "  "
    items = (f"{inner}{json.dumps(key, ensure_ascii=False)}: {_block(value[key], inner)}" for key in sorted(value))
    return "{\n" + ",\n".join(items) + f"\n{indent}}}"
