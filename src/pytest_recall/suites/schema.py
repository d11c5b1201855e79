"""The JSON Schema of a suite, made from the keys that the loader reads by.

Its dialect is draft 2020-12, in words that draft 7 takes the same way: many editors know no later one. It accepts
whatever the loader accepts. What one place says of another, such as an id of its memory, no schema can tell.
"""

from __future__ import annotations

from dataclasses import replace
from keyword import kwlist
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_recall.bounds import BOUND_KEYS, Tolerance, check_bound
from pytest_recall.metrics import ALIASES, CATALOGUE, OVER_LABELS
from pytest_recall.metrics.catalogue import MAX_CUTOFF
from pytest_recall.suites.cases import MOST_GRADE
from pytest_recall.suites.getters import MOMENT
from pytest_recall.suites.keys import (
    CASE_KEYS,
    CASES_FILE_KEYS,
    CLASSIFIER_CASE_KEYS,
    FREE_PREFIX,
    MEMORIES_FILE_KEYS,
    MEMORY_KEYS,
    SUITE_KEYS,
    Key,
    Keys,
)
from pytest_recall.suites.marks import REFUSED_MARKS
from pytest_recall.suites.settings import LONGEST_PATTERN
from pytest_recall.suites.thresholds import BOUNDS_OF_CASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_recall.metrics import Metric
    from pytest_recall.suites.keys import Kind

__all__ = ["suite_schema"]

Schema: TypeAlias = dict[str, Any]

_NULL: Schema = {"type": "null"}
# An editor reads an unquoted 012 or no as a number or a boolean, and the loader as the text.
_TEXT: Schema = {"type": ["string", "number", "boolean"]}
_NOT_BLANK: Schema = {**_TEXT, "pattern": r"\S"}
_NAME = r"[^\s!-/:-@[-^`{-~]+"
_CUTOFF = f"@(?:[1-9][0-9]{{0,5}}|{MAX_CUTOFF})"
_SHARE = r"^\s*\+?(?:0*(?:[0-9]{1,2}(?:\.[0-9]*)?|\.[0-9]+)|[0-9.]+[eE][-+]?[0-9]+)\s*%\s*$"

_LABEL = r"\.[\s\S]*\S[\s\S]*"
_NEVER_BLANK = ("id", "query", "input")
_SAMPLES: Mapping[str, float | Tolerance] = {
    "min": 0.0,
    "max": 0.0,
    "max_drop": Tolerance(0.0),
    "max_rise": Tolerance(0.0),
    "alpha": 0.05,
}


def suite_schema(metrics: Iterable[str] = ()) -> Schema:
    """The schema of a suite.

    Args:
        metrics: names of further metrics, such as those a pytest hook registers.
    """
    own = tuple(metrics)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pytest-recall suite",
        **_mapping(SUITE_KEYS, own),
        "$defs": {
            "memory": _mapping(MEMORY_KEYS, own),
            "case": {**_mapping(CASE_KEYS, own), **_JUDGED},
            "classifier_case": _mapping(CLASSIFIER_CASE_KEYS, own),
        },
    }


def _mapping(keys: Keys, own: tuple[str, ...] = ()) -> Schema:
    """A mapping with these keys and free ones; a field is there under one of its names at most."""
    properties = {name: _property(name, key, own) for name, key in keys.table.items()}
    names = [[name, *key.also] for name, key in keys.table.items() if key.also]
    properties |= {other: properties[name] for name, *also in names for other in also}
    once = [
        {"oneOf": [{"required": [name]} for name in each]}
        if keys.table[each[0]].required
        else {"not": {"required": each}}
        for each in names
    ]
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": {f"^{FREE_PREFIX}": {}},
        "additionalProperties": False,
        "required": [name for name, key in keys.table.items() if key.required and not key.also],
        **({"allOf": once} if once else {}),
    }


def _property(name: str, key: Key, own: tuple[str, ...]) -> Schema:
    schema = _NOT_BLANK if name in _NEVER_BLANK else _value(key, own)
    default = f"; default: {key.otherwise}" if key.otherwise else ""
    plain = isinstance(key.default, (str, int, float)) and key.default != ""
    return {
        "description": f"{key.means}{default}",
        **(schema if _refuses_null(key) else _or_null(schema)),
        **({"default": key.default} if plain else {}),
    }


def _refuses_null(key: Key) -> bool:
    # Nothing is not the empty text.
    return key.required or (key.kind == "text" and key.default == "")


def _or_null(schema: Schema) -> Schema:
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema:
        types = schema["type"]
        return {**schema, "type": [*(types if isinstance(types, list) else [types]), "null"]}
    return {"anyOf": [*schema["anyOf"], _NULL]} if "anyOf" in schema else schema


def _value(key: Key, own: tuple[str, ...]) -> Schema:
    make = _MADE.get(key.kind)
    return _VALUES[key.kind] if make is None else make(key, own)


def _any_of(*schemas: Schema) -> Schema:
    return {"anyOf": [*schemas]}


def _list_of(items: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": items, **({"minItems": least} if least else {})}


def _number(**limits: float) -> Schema:
    return {"type": "number", **{name: limit for name, limit in limits.items() if limit != inf}}


def _tolerance(below: float) -> Schema:
    return _any_of(_number(minimum=0, exclusiveMaximum=below), {"type": "string", "pattern": _SHARE})


# A case says what should come back, what should be answered, or both.
_JUDGED = _any_of(*({"required": [name], "properties": {name: {"not": _NULL}}} for name in ("relevant", "answers")))

_ALPHA = _number(exclusiveMinimum=0, exclusiveMaximum=1)


def _metric(own: tuple[str, ...]) -> Schema:
    examples = [
        f"{name}@10" if each.takes_cutoff == "required" else f"{name}.LABEL" if each.takes_label else name
        for name, each in CATALOGUE.items()
    ]
    return {"type": "string", "pattern": f"^(?:{_names(CATALOGUE.values(), own)})$", "examples": [*examples, *own]}


def _names(metrics: Iterable[Metric], own: Iterable[str] = ()) -> str:
    """A pattern of the texts that name one of these metrics."""
    by_cutoff: dict[str, list[str]] = {"required": [], "optional": [*own], "none": [], "label": []}
    for metric in metrics:
        by_cutoff["label" if metric.takes_label else metric.takes_cutoff] += [
            metric.name,
            *(also for also, name in ALIASES.items() if name == metric.name),
        ]
    cutoffs = {"required": _CUTOFF, "optional": f"(?:{_CUTOFF})?", "none": "", "label": _LABEL}
    return "|".join(f"(?:{'|'.join(names)}){cutoffs[takes]}" for takes, names in by_cutoff.items() if names)


def _bounds_by_metric(own: tuple[str, ...], allowed: Iterable[str], *, tagged: bool) -> Schema:
    """Bounds by metric, those of metrics that take the same ones together."""
    tag = "(?::[^:]*)?" if tagged else ""
    alike: dict[tuple[tuple[str, ...], float], list[Metric]] = {}
    for metric in CATALOGUE.values():
        if tagged or (metric.family != "latency" and metric.aggregate not in OVER_LABELS):
            keys = tuple(key for key in allowed if check_bound(metric, key, _SAMPLES[key]) is None)
            alike.setdefault((keys, metric.maximum), []).append(metric)
    patterns = {f"^(?:{_names(metrics)}){tag}$": _bounds(*alike_in) for alike_in, metrics in alike.items()}
    if own:
        patterns[f"^(?:{_names((), own)}){tag}$"] = _bounds(tuple(allowed), inf)
    return {"type": "object", "patternProperties": patterns, "additionalProperties": False}


def _bounds(keys: Iterable[str], maximum: float) -> Schema:
    limit = _number(minimum=0, maximum=maximum)
    each = {"min": limit, "max": limit, "alpha": _ALPHA} | dict.fromkeys(("max_drop", "max_rise"), _tolerance(maximum))
    properties = {key: _or_null(each[key]) for key in keys}
    return _any_of(
        limit, {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}
    )


def _mark() -> Schema:
    """A name, or a name with its arguments; those of pytest's own conditional marks are checked."""
    name = f"^(?!(?:{'|'.join(REFUSED_MARKS)})$)(?![0-9_]){_NAME}$"
    reason: Schema = {"type": "string"}
    skipif: Schema = {
        "type": "object",
        "properties": {"condition": {"type": "boolean"}, "reason": {**reason, "minLength": 1}},
        "required": ["condition", "reason"],
        "additionalProperties": False,
    }
    xfail: Schema = {
        "type": "object",
        "properties": {"condition": {"type": "boolean"}, "reason": _or_null(reason)},
        "additionalProperties": False,
    }
    condition = {**_list_of({"type": "boolean"}), "maxItems": 1}
    return _any_of(
        {"type": ["string", "boolean"], "pattern": name, "not": {"const": "skipif"}},
        {
            "type": "object",
            "properties": {"skipif": skipif, "xfail": _any_of(xfail, condition, {"type": ["boolean", "null"]})},
            "patternProperties": {name: {"properties": {"condition": {"not": {"type": "string"}}}}},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    )


def _cases_files(*names: str) -> Schema:
    """Cases from the files under these names, all of them."""
    return _mapping(Keys({name: replace(CASES_FILE_KEYS.table[name], required=True) for name in names}))


_VALUES: Mapping[Kind, Schema] = {
    "alpha": _ALPHA,
    "amount": {"type": "integer", "minimum": 0, "maximum": MAX_CUTOFF},
    "answers": _list_of(_TEXT, least=1),
    "anything": {},
    "arguments": {"type": "object"},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_CUTOFF},
    "file": _NOT_BLANK,
    "grades": _any_of(
        _list_of(_TEXT),
        {"type": "object", "additionalProperties": _number(minimum=0, maximum=max(MOST_GRADE.values()))},
    ),
    "labels": {
        "type": "object",
        "propertyNames": {"pattern": r"\S"},
        "additionalProperties": _or_null(_list_of(_NOT_BLANK)),
        "minProperties": 1,
    },
    "marks": _list_of(_mark()),
    "moment": {"type": "string", "pattern": f"^{MOMENT.pattern}$"},
    "name": {
        "type": ["string", "boolean"],
        "pattern": f"^(?![0-9]){_NAME}$",
        "not": {"enum": [word for word in kwlist if word not in ("True", "False")]},
    },
    "number": _number(),
    "pattern": {"type": "string", "pattern": r"\(", "maxLength": LONGEST_PATTERN},
    "positive": _number(exclusiveMinimum=0),
    "text": _TEXT,
    "texts": _list_of(_TEXT),
    "tolerance": _tolerance(1),
}

# Those that depend on the key, on further metrics, or on the other values.
_MADE: Mapping[Kind, Callable[[Key, tuple[str, ...]], Schema]] = {
    "bounds": lambda _, own: _bounds_by_metric(own, BOUNDS_OF_CASES, tagged=False),
    "cases": lambda *_: _any_of(
        _list_of(_any_of({"$ref": "#/$defs/case"}, {"$ref": "#/$defs/classifier_case"}), least=1),
        _cases_files("path"),
        _cases_files("queries", "qrels"),
    ),
    "choice": lambda key, _: {"enum": [*key.choices]},
    "loop": lambda key, _: {"enum": [True, False, *key.choices]},
    "memories": lambda *_: _any_of(_list_of({"$ref": "#/$defs/memory"}), _mapping(MEMORIES_FILE_KEYS)),
    "metrics": lambda _, own: {"type": "array", "uniqueItems": True, "items": _metric(own)},
    "thresholds": lambda _, own: _bounds_by_metric(own, BOUND_KEYS, tagged=True),
}
