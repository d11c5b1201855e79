from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_recall.formats import read_jsonl
from tests.unit.formats.builders import mistake, stream


def read_all(source: Any, name: str | None = None) -> list[tuple[int, dict[str, Any]]]:
    return list(read_jsonl(source, name=name))


def test_objects_come_with_the_numbers_of_their_lines() -> None:
    text = '\ufeff{"_id": "1", "text": "a"}\r\n\n \t\n{"_id": "2", "text": ":", "metadata": {"url": ["b", null, 1.5]}}'
    assert read_all(stream(text)) == [
        (1, {"_id": "1", "text": "a"}),
        (4, {"_id": "2", "text": ":", "metadata": {"url": ["b", None, 1.5]}}),
    ]


@pytest.mark.parametrize(
    "line",
    [
        r'{"a": "\"a\": \\", "b\\": "\u00e4\n"}',
        r'{"a": {"a": [{"a": "\\"}, {"a": ""}]}}',
        '{"a": ":", "b" : "{}", "c": "a, b: c"}',
    ],
)
def test_equal_keys_of_different_objects_are_fine(line: str) -> None:
    assert len(read_all(stream(line))) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "f: the file is empty", id="empty"),
        pytest.param('{"a": 1}\n[1]\n', "f:2: must be a JSON object, got a list", id="a list"),
        pytest.param('"a"', "f:1: must be a JSON object, got text", id="text"),
        pytest.param("1", "f:1: must be a JSON object, got a number", id="a number"),
        pytest.param("true", "f:1: must be a JSON object, got a boolean", id="a boolean"),
        pytest.param("null", "f:1: must be a JSON object, got null", id="null"),
        pytest.param('{"a": 1}\n\n{"a": 1, "a": 2}\n', "f:3: the key 'a' is here twice", id="repeated key"),
        pytest.param('{"a": "", "a" :""}', "f:1: the key 'a' is here twice", id="repeated key before a blank"),
        pytest.param(r'{"a": "", "\u0061": ""}', "f:1: the key 'a' is here twice", id="repeated key, escaped"),
        pytest.param(
            r'{"a\\": "", "a\\": ""}', r"f:1: the key 'a\\' is here twice", id="repeated key that ends in a backslash"
        ),
        pytest.param('{"m": [{"a": {}, "a": []}]}', "f:1: the key 'a' is here twice", id="repeated key deep inside"),
        pytest.param(b'{"a": 1}\n{"a": "\xe4"}\n', "f:2: not UTF-8: byte 0xe4; save the file as UTF-8", id="latin-1"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str | bytes, message: str) -> None:
    assert mistake(read_all, text) == message


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('{"a": 1 "b": 2}', "2:9"),
        ('{"a": NaN}', "2:7"),
        ('{"a": 1e999}', "2:7"),
        (r'{"a": "\ud800"}', "2:(8|14)"),  # where it begins, or ends
        ('{"a": 1}{"b": 2}', "2:9"),
        ("[" * 2000, "2:1026"),
    ],
)
def test_what_is_no_json_is_told_with_line_and_column(line: str, place: str) -> None:
    message = mistake(read_all, f'{{"a": 1}}\n{line}\n')
    # What follows is the parser's own, and not the same in all its versions.
    assert re.match(f"f:{place}: no valid JSON: ", message)


@pytest.mark.parametrize("escape", ["", r"\n"])
def test_as_deep_as_the_parser_goes(escape: str) -> None:
    line = '{"a": ' * 1000 + f'"{escape}"' + "}" * 1000
    assert mistake(read_all, line) == "f:1: the values are nested too deeply"


def test_lines_before_a_mistake_are_read() -> None:
    rows = read_jsonl(stream('{"a": 1}\nx\n'), name="f")
    assert next(rows) == (1, {"a": 1})
