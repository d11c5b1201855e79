"""JSON text to the same located nodes that YAML gives."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NoReturn

from yaml.error import Mark

from pytest_recall.errors import Problem, SuiteError
from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode
from pytest_recall.suites.yaml_nodes import MAX_DEPTH, TOO_DEEP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.suites.nodes import Node

__all__ = ["compose_json", "is_json"]

_BLANK = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"[-+.\w]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


# A number stays text: its value is the business of whoever asks for one.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_refuse_constant)


def is_json(text: str) -> bool:
    """Whether the text is a JSON object, to be read as JSON whatever the file is called."""
    if not text.lstrip(" \t\r\n").startswith("{"):
        return False
    try:
        _DECODER.decode(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def compose_json(text: str, name: str, line: int = 1) -> Node | None:
    """The root node of a JSON text, None where it holds nothing.

    Args:
        text: JSON.
        name: what messages call the file.
        line: the one the text begins on.

    Raises:
        SuiteError: the text is no JSON, nests too deeply, or holds half of a surrogate pair.
    """
    if not text.strip(" \t\r\n"):
        return None
    try:
        _DECODER.decode(text)
    except RecursionError:
        _refuse(text, name, line, _deep_bracket(text), TOO_DEEP)
    except json.JSONDecodeError as error:
        _refuse(text, name, line, error.pos, f"no valid JSON: {error.msg[:1].lower()}{error.msg[1:]}")
    except ValueError as error:
        _refuse(text, name, line, text.find(str(error)), f"no valid JSON: {error} is no JSON value")
    return _Composer(text, name, line).compose()


def _refuse(text: str, name: str, line: int, offset: int, message: str) -> NoReturn:
    line, column = line + text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset)
    raise SuiteError([Problem(path=name, line=line, column=column, message=message)]) from None


def _deep_bracket(text: str) -> int:
    """Offset of the first bracket that nests too deeply."""
    depths = accumulate({"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0) for token in _BRACKETS.finditer(text))
    tokens = zip(_BRACKETS.finditer(text), depths, strict=True)
    return next((token.start() for token, depth in tokens if depth > MAX_DEPTH), 0)


class _Composer:
    """Walks a text that is known to be valid JSON, so that it needs no checks of its own."""

    def __init__(self, text: str, name: str, line: int) -> None:
        self._text = text
        self._name = name
        self._first = line
        self._at = 0
        self._depth = 0
        self._line = line - 1
        self._line_start = 0
        self._marked = 0

    def compose(self) -> Node:
        """The node that begins here, after any blanks."""
        self._skip_blank()
        mark, first = self._mark(), self._text[self._at]
        if first == '"':
            return self._string(mark)
        if first not in "[{":
            plain = _PLAIN.match(self._text, self._at)[0]  # type: ignore[index]
            self._at += len(plain)
            return ScalarNode("", plain, mark, style="")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            _refuse(self._text, self._name, self._first, self._at, TOO_DEEP)
        node: Node
        if first == "[":
            node = SequenceNode("", list(self._elements("]")), mark)
        else:
            node = MappingNode("", [(key, self._value()) for key in self._elements("}")], mark)
        self._depth -= 1
        return node

    def _elements(self, closing: str) -> Iterator[Node]:
        """The elements of a list, or the keys of a mapping, whose values the caller takes in between."""
        self._at += 1
        self._skip_blank()
        while self._text[self._at] != closing:
            yield self.compose()
            self._skip_blank()
            if self._text[self._at] == ",":
                self._at += 1
                self._skip_blank()
        self._at += 1

    def _value(self) -> Node:
        self._skip_blank()
        self._at += 1  # the colon
        return self.compose()

    def _string(self, mark: Mark) -> Node:
        value, end = _DECODER.raw_decode(self._text, self._at)
        if not value.isascii() and _SURROGATE.search(value):
            _refuse(self._text, self._name, self._first, self._at, "a lone surrogate escape names no character")
        self._at = end
        return ScalarNode("", value, mark, style='"')

    def _skip_blank(self) -> None:
        self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]

    def _mark(self) -> Mark:
        newlines = self._text.count("\n", self._marked, self._at)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rfind("\n", self._marked, self._at) + 1
        self._marked = self._at
        return Mark(self._name, self._at, self._line, self._at - self._line_start, None, 0)
