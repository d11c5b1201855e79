"""A suite as YAML that people like to read, and that loads as what was written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from pytest_recall import _json
from pytest_recall.bounds import BOUND_KEYS
from pytest_recall.metrics import parse_metric
from pytest_recall.suites.getters import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from pytest_recall.bounds import Threshold
    from pytest_recall.suites.model import Case, Memory

__all__ = ["render_suite"]

_T = TypeVar("_T")

WIDTH = 120

# YAML takes a longer key only behind a question mark.
_LONGEST_KEY = 1000

_TEXT_TAG = "tag:yaml.org,2002:str"
_RESOLVER = Resolver()
_OCTAL = re.compile(r"0o[0-7]+")

# What may stand without quotes: in a list or a mapping in brackets less than in a line of its own.
_PLAIN = re.compile(r"[\w(./$](?!.*(?:: | #))(?:.*[^\s:])?")
_PLAIN_IN_BRACKETS = re.compile(r"[\w(./$](?!.*(?:: | #))(?:[^,?\[\]{}]*[^,?\[\]{}\s:])?")

_SHORT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def render_suite(
    cases: Sequence[Case] | Mapping[str, str],
    memories: Sequence[Memory] | Mapping[str, str] = (),
    settings: Mapping[str, Any] | None = None,
) -> str:
    """The text of a suite file.

    Args:
        cases: what is asked, or the files that hold it by their keys: ``path``, or ``queries`` and ``qrels``.
        memories: the corpus, or the file that holds it by its key ``path``; nothing where the retriever has its own.
        settings: the suite's other keys with plain values, in the order they are to stand.

    Raises:
        ValueError: an argument or metadata holds a NaN or an infinity.
    """
    document = dict(settings or {})
    if memories:
        document["memories"] = _records(memories, _memory)
    document["cases"] = _records(cases, _case)
    return "".join(f"{line}\n" for line in _block(document, ""))


def _records(entries: Sequence[_T] | Mapping[str, str], record: Callable[[_T], dict[str, Any]]) -> Any:
    return dict(entries) if isinstance(entries, Mapping) else [record(entry) for entry in entries]


def _memory(memory: Memory) -> dict[str, Any]:
    record = {
        "id": memory.id,
        "title": memory.title or None,
        "text": memory.text or None,
        "metadata": memory.metadata,
        "valid_from": _moment(memory.valid_from),
        "valid_to": _moment(memory.valid_to),
        "superseded_by": memory.superseded_by,
    }
    return {key: value for key, value in record.items() if value is not None}


def _case(case: Case) -> dict[str, Any]:
    record = {
        "id": None if case.id == case.query else case.id,
        **_question(case),
        "stale": list(case.stale) or None,
        "answers": list(case.answers) or None,
        "tags": list(case.tags) or None,
        "kind": case.kind,
        "family": case.family,
        "args": dict(case.args) or None,
        "expect": {threshold.metric: _bounds(threshold) for threshold in case.expect} or None,
    }
    return {key: value for key, value in record.items() if value is not None}


def _question(case: Case) -> dict[str, Any]:
    if case.expected is not None:
        return {"input": case.query, "expected": case.expected}
    return {"query": case.query, "relevant": None if case.relevant is None else _relevant(case.relevant)}


def _relevant(grades: Mapping[str, float]) -> Any:
    """A list where every grade is 1."""
    return list(grades) if all(grade == 1 for grade in grades.values()) else _json.plain(dict(grades))


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _bounds(threshold: Threshold) -> Any:
    given = {key: getattr(threshold.bounds, key) for key in BOUND_KEYS}
    given = {key: _json.plain(value) for key, value in given.items() if value is not None}
    short = "min" if parse_metric(threshold.metric).better == "higher" else "max"
    return given[short] if given.keys() == {short} else given


def _block(value: Any, indent: str) -> Iterator[str]:
    """The lines of a mapping or a list, an entry a line where it fits."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entry(f"{_text(key)}:", item, indent)
    else:
        for item in value:
            yield from _entry("-", item, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    inner = indent + "  "
    if isinstance(value, str):
        if _is_paragraphs(value):
            yield f"{indent}{head} {_paragraphs_sign(value)}"
            yield from (inner + line if line else "" for line in value.removesuffix("\n").split("\n"))
        else:
            yield f"{indent}{head} {_text(value)}"
    elif _in_brackets(value, WIDTH - len(indent) - len(head)):
        yield f"{indent}{head} {_flow(value)}"
    elif head == "-":
        first, *others = _block(value, inner)
        yield f"{indent}- {first.removeprefix(inner)}"
        yield from others
    else:
        yield f"{indent}{head}"
        yield from _block(value, inner)


def _in_brackets(value: Any, width: int) -> bool:
    """Whether a value stands on its entry's own line."""
    if not value or not isinstance(value, (dict, list)):
        return True
    if isinstance(value, dict) and any(len(_text(key)) > _LONGEST_KEY for key in value):
        return True
    items = value.values() if isinstance(value, dict) else value
    fits = len(_flow(value)) < width and not any(isinstance(item, str) and _is_paragraphs(item) for item in items)
    return fits and (isinstance(value, dict) or not any(isinstance(item, dict) for item in items))


def _flow(value: Any) -> str:
    """The value on one line."""
    if isinstance(value, str):
        return _text(value, in_brackets=True)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_flow_key(key)}: {_flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} can't be written to a suite: a number there is finite")
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


def _flow_key(key: str) -> str:
    text = _text(key, in_brackets=True)
    return f"? {text} " if len(text) > _LONGEST_KEY else text


def _text(text: str, *, in_brackets: bool = False) -> str:
    """The text, in quotes unless any reader of YAML would take it as it is written."""
    plain = _PLAIN_IN_BRACKETS if in_brackets else _PLAIN
    if text.isprintable() and plain.fullmatch(text) and not _means_more(text):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _means_more(text: str) -> bool:
    """Whether some version of YAML sees a number, a date, a boolean or nothing in the text."""
    tag = _RESOLVER.resolve(ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return bool(tag != _TEXT_TAG or NUMBER.fullmatch(text) or _OCTAL.fullmatch(text))


def _escaped(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_paragraphs(text: str) -> bool:
    """Whether a text of several lines can stand as it is, under a sign."""
    if "\n" not in text:
        return False
    lines = text.split("\n")
    return lines[0][:1].strip() != "" and all(line.isprintable() and line == line.rstrip() for line in lines)


def _paragraphs_sign(text: str) -> str:
    """How YAML is told what newlines the text ends with."""
    if not text.endswith("\n"):
        return "|-"
    return "|+" if text.endswith("\n\n") else "|"
