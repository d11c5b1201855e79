"""YAML text to located nodes, with every scalar left as it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from yaml.reader import Reader, ReaderError

from pytest_recall.errors import Problem, SuiteError

if TYPE_CHECKING:
    from yaml.error import MarkedYAMLError

    from pytest_recall.suites.nodes import Node

__all__ = ["MAX_DEPTH", "TOO_DEEP", "compose_yaml"]

MAX_DEPTH = 64
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


_NO_NAME = "a text that begins with * or & must be quoted"

# What YAML says → what is meant; libyaml and pure Python have their own words for some.
_PLAINER = {
    "exceeded maximum nesting depth": TOO_DEEP,
    "but found another document": "a second document begins here; a suite is one document",
    "found undefined alias": "this alias names no anchor above it",
    "could not find expected ':'": "no ':' follows this key; a key is on one line, of at most 1,024 characters",
    "found character": "no text begins with this character unless it is quoted",
    "mapping values are not allowed": "a text that holds ': ' must be quoted",
    "did not find expected alphabetic or numeric character": _NO_NAME,
    "expected alphabetic or numeric character": _NO_NAME,
    "found unknown escape character": "no such escape; \\\\ is a backslash, and in single quotes nothing is an escape",
    "found incompatible YAML document": "a suite is read as YAML 1.1; leave %YAML out",
    "found invalid Unicode character escape code": "no such character; above U+FFFF it is \\U with 8 digits",
}


class _TooDeepError(Exception):
    def __init__(self, node: Node) -> None:
        self.node = node


def compose_yaml(text: str, name: str) -> Node | None:
    """The root node of the one document in a text, None where it holds nothing.

    Args:
        text: YAML.
        name: what messages call the file.

    Raises:
        SuiteError: the text is no YAML, holds a second document, or nests too deeply.
    """
    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    try:
        node = _compose(loader(text))
    except _TooDeepError as error:
        mark = error.node.start_mark
        _refuse(name, mark.line, mark.column, TOO_DEEP)
    except ReaderError:
        _refuse_character(name, text)
    except yaml.MarkedYAMLError as error:
        _refuse_syntax(name, text, error)
    except (ValueError, OverflowError):
        # The pure parser hands escapes such as "\UFFFFFFFF" to chr() unchecked.
        _refuse(name, 0, 0, "an escape in this file names no character")
    return node


def _compose(composer: Any) -> Node | None:
    """The root node, with no tag on untagged nodes, and an end before deep nesting exhausts the composer's stack.

    The composer calls all three for every node, and nothing counts as cheaply as plain functions do.
    """
    depth = 0

    def resolve(_kind: object, _value: object, _implicit: object) -> None:
        """YAML's own would look for numbers and dates."""

    def descend(parent: Node, _index: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise _TooDeepError(parent)

    def ascend() -> None:
        nonlocal depth
        depth -= 1

    composer.resolve, composer.descend_resolver, composer.ascend_resolver = resolve, descend, ascend
    node: Node | None = composer.get_single_node()
    return node


def _refuse(name: str, line: int, column: int, message: str) -> NoReturn:
    raise SuiteError([Problem(path=name, line=line + 1, column=column + 1, message=message)]) from None


def _refuse_character(name: str, text: str) -> NoReturn:
    found = Reader.NON_PRINTABLE.search(text)
    offset = found.start() if found else 0
    character = text[offset : offset + 1]
    line, column = text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1
    _refuse(
        name,
        line,
        column,
        f"the character {character!r} is not allowed in YAML, not even in a comment; write it as an escape",
    )


def _refuse_syntax(name: str, text: str, error: MarkedYAMLError) -> NoReturn:
    problem = error.problem or "no valid YAML"
    # A key without its colon is told where it begins; that it has none is known only after it.
    marks = [error.problem_mark, error.context_mark]
    mark = next(filter(None, reversed(marks) if error.context == "while scanning a simple key" else marks), None)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = re.split(r"\r\n|[\r\n\x85\u2028\u2029]", text)
    if line >= len(lines):
        # libyaml ends a last line that has no end of its own.
        line, column = len(lines) - 1, len(lines[-1])
    if lines[line][column : column + 1] == "\t":
        _refuse(name, line, column, "a tab can't indent; use spaces")
    for beginning, message in _PLAINER.items():
        if problem.startswith(beginning):
            _refuse(name, line, column, message)
    hint = "; quote a text that holds a colon or a comma" if error.context == "while parsing a flow mapping" else ""
    _refuse(name, line, column, f"{error.context}: {problem}{hint}" if error.context else problem)
