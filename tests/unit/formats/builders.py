"""Files under one name, and what is wrong with them."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

NO_FIELD = "can't be written to a TREC file: a field there is text without blanks"
NO_TOPIC = "can't be written to a TREC file: a topic there begins with neither '#' nor '{'"


def stream(text: str | bytes) -> BytesIO:
    return BytesIO(text.encode() if isinstance(text, str) else text)


def mistake(read: Callable[..., Any], text: str | bytes) -> str:
    """What is wrong with a file ``f`` of this text."""
    with pytest.raises(FormatError) as raised:
        read(stream(text), name="f")
    return str(raised.value)
