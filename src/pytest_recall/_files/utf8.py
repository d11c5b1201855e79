"""Texts of files as bytes, and back."""

from __future__ import annotations

import codecs

from pytest_recall._files.values import Invalid

__all__ = ["decode", "encode"]


def decode(data: bytes, *, again: str) -> str:
    """The text of a file, with or without a BOM, which says something.

    Args:
        data: the bytes of the file.
        again: how to make it anew, such as ``record again``.

    Raises:
        Invalid: it is not UTF-8, or empty.
    """
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Invalid(f"the file is not UTF-8; restore it, or delete it and {again}", line) from None
    if not text.strip():
        raise Invalid(f"the file is empty; restore it, or delete it and {again}")
    return text


def encode(text: str, *, language: str) -> bytes:
    """The bytes of a text.

    Raises:
        Invalid: it has half of a surrogate pair, which only JSON can hold, as an escape.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise Invalid(f"{half!r} is half of a character, which {language} can't hold; write a .json report") from None
