"""The tags of TREC's topics and documents, which look like XML and are none."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_recall.formats.files import File

__all__ = ["element_text", "elements", "field_text"]

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ENTITY = re.compile(r"&#?\w+;")


def elements(file: File, tag: str) -> Iterator[tuple[int, str]]:
    """What is between each pair of a tag, with the line that the first of them is on.

    Raises:
        FormatError: the file is not UTF-8, or a tag is not closed.
    """
    text = file.decode(file.read())
    closed = re.compile(rf"<{tag}>(.*?)</{tag}>", re.DOTALL | re.IGNORECASE)
    line, at = 1, 0
    for opening in re.finditer(f"<{tag}>", text, re.IGNORECASE):
        line, at = line + text.count("\n", at, opening.start()), opening.start()
        element = closed.match(text, at)
        if element is None or re.search(f"<{tag}>", element[1], re.IGNORECASE):
            raise file.error(f"<{tag}> is not closed by </{tag}>", line)
        yield line, element[1]


def field_text(element: str, tag: str, label: str) -> str:
    """The text behind an opening tag, up to the next tag of any kind; the label that TREC repeats there is left out."""
    match = re.search(rf"<{tag}>\s*(?:{label}:)?(.*?)(?=</?[a-z]|$)", element, re.DOTALL | re.IGNORECASE)
    return _plain(match[1]) if match else ""


def element_text(element: str, *tags: str) -> str:
    """The text between the pairs of some tags."""
    found = re.findall(rf"<({'|'.join(tags)})\b[^<>]*>(.*?)</\1>", element, re.DOTALL | re.IGNORECASE)
    return _plain(" ".join(text for _, text in found))


def _plain(text: str) -> str:
    """Without tags, on one line."""
    untagged = _TAG.sub(" ", text)
    return " ".join(_ENTITY.sub(lambda entity: html.unescape(entity[0]), untagged).split())
