"""A report as YAML that means the same to every reader, of version 1.1 or 1.2."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_recall import _json
from pytest_recall._files.utf8 import decode, encode
from pytest_recall._files.values import Invalid
from pytest_recall.errors import SuiteError
from pytest_recall.reports.closing import closed, cut_off, is_cut_off, opened
from pytest_recall.reports.record import to_record
from pytest_recall.suites.literals import literal
from pytest_recall.suites.problems import Problems
from pytest_recall.suites.structure import check_structure
from pytest_recall.suites.yaml_nodes import compose_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "parse", "render"]

BEGINS = re.compile(rb"(?:(?:---|#[^\n]*)?[ \t\r]*\n)*format *: *\d+\s+evaluations *:")

# Of the whole, the evaluations, one of them, its cases, and one of them each entry has a line of its own.
_LEVELS = 5

# A longer key has to be announced, or no reader takes it for one.
_LONGEST = 1024

# Keys that need no quotes; some readers take a few words for true or false.
_PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z0-9_]*")


def render(reports: Sequence[SuiteReport]) -> bytes:
    """Everything, undefined as null and every text in quotes.

    Raises:
        Invalid: a text that YAML can't hold.
    """
    text = "\n".join(_lines(closed(to_record(reports)), _LEVELS)) + "\n"
    return _json.with_hidden_escaped(encode(text, language="YAML").decode()).encode()


def parse(data: bytes) -> Any:
    """The plain values of a file.

    Raises:
        Invalid: it is no YAML, or has aliases without measure, unusual tags or a key twice; or it is cut off.
    """
    text = decode(data, again="write the report again")
    problems = Problems("")
    try:
        root = compose_yaml(text, "")
        if root is None:
            return None
        check_structure(root, text, problems)
        value = literal(root, problems)
        if problems:
            raise problems.error(root)
    except SuiteError as error:
        if is_cut_off(text):
            raise cut_off(text) from None
        first = error.problems[0]
        raise Invalid(first.message, first.line, first.where) from None
    return opened(value, text)


def _lines(value: Any, levels: int) -> Iterator[str]:
    """A collection's entries below one another, anything else on one line."""
    if not _is_block(value, levels):
        yield _flow(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            name = key if _PLAIN.fullmatch(key) else _json.line(key)
            if _is_long(name):
                yield f"? {name}"
                name = ""
            if _is_block(item, levels - 1):
                yield f"{name}:"
                yield from (f"  {line}" for line in _lines(item, levels - 1))
            else:
                yield f"{name}: {_flow(item)}"
    else:
        for item in value:
            first, *rest = _lines(item, levels - 1)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _is_block(value: Any, levels: int) -> bool:
    return levels > 0 and isinstance(value, (dict, list)) and bool(value)


def _flow(value: Any) -> str:
    """JSON is YAML, but for numbers: version 1.1 takes ``1e-07`` for a text."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)}: {_flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    text = _json.line(value)
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text


def _key(key: str) -> str:
    name = _json.line(key)
    return f"? {name} " if _is_long(name) else name


def _is_long(name: str) -> bool:
    return len(_json.with_hidden_escaped(name)) > _LONGEST
