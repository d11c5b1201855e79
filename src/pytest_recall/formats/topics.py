"""A JSON object of topics, each with its ids listed or with a number for each id."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_recall.formats.jsonl import kind_of, parse_object

if TYPE_CHECKING:
    from pytest_recall.errors import FormatError
    from pytest_recall.formats.files import File

__all__ = ["read_topics"]

_TOKEN = re.compile(r'[][{}]|(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"')


def read_topics(file: File) -> dict[str, list[str] | dict[str, float]]:
    """Topic → its ids as they are listed, or id → number, in file order. An id that is a whole number becomes text.

    Raises:
        FormatError: the file is no JSON of that shape, or lists an id twice; the topic is named.
    """
    return {topic: _topic(topic, value, file) for topic, value in parse_object(file.read(), file).items()}


def _topic(topic: str, value: Any, file: File) -> list[str] | dict[str, float]:
    if isinstance(value, list):
        return _listed(topic, value, file)
    if not isinstance(value, dict):
        raise _error(file, topic, f"must be a list of ids or a mapping id -> number, got {kind_of(value)}")
    for id, number in value.items():
        if type(number) not in (int, float):
            raise _error(file, topic, f"{id!r:.80} must have a number, got {kind_of(number)}")
    return {id: float(number) for id, number in value.items()}


def _listed(topic: str, ids: list[Any], file: File) -> list[str]:
    ranks: dict[str, int] = {}
    for rank, id in enumerate(ids, 1):
        if type(id) not in (str, int) or id == "":
            got = "an empty text" if id == "" else kind_of(id)
            raise _error(file, topic, f"an id is text or a whole number, got {got} at rank {rank}")
        first = ranks.setdefault(str(id), rank)
        if first != rank:
            raise _error(file, topic, f"{id!r:.80} is here twice, at ranks {first} and {rank}")
    return list(ranks)


def _error(file: File, topic: str, message: str) -> FormatError:
    """What is wrong with a topic, told with the line on which it begins."""
    return file.error(message, _line_of(topic, file), where=f"topic {topic!r:.80}")


def _line_of(topic: str, file: File) -> int:
    """The line of a topic's key; parsing keeps none, and only who made a mistake wants it."""
    text, depth, starts = file.decode(file.read()), 0, dict[str, int]()
    for token in _TOKEN.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 1 and token["key"] is not None:
            starts[json.loads(token["key"])] = token.start()
    return text.count("\n", 0, starts[topic]) + 1
