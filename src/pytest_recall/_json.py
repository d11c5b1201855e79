"""The one way to JSON: strict, without NaN, the same bytes for the same values."""

from __future__ import annotations

import json
import re
from typing import Any

_EXACT = 2**53

# What a reviewer could not see, or UTF-8 and YAML not hold: DEL and C1 controls, zero-width and directional characters,
# line separators, the BOM, surrogates, non-characters. (JSON itself escapes the controls below a blank.) Two surrogates
# that make a pair are one character to every JSON reader, so they are written as that one.
_HIDDEN = re.compile(
    r"[\ud800-\udbff][\udc00-\udfff]"
    r"|[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


# What is itself already; exact types, so that an enumeration is none of them.
_PLAIN = (str, int, bool, type(None))

# Made once, for the functions of json make one for every call.
_CANONICAL = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_COMPACT = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse)


def plain(value: Any) -> Any:
    """The value with every integral float as an int, so that ``1`` and ``1.0`` give the same bytes."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _PLAIN else plain(item) for item in value]
    return value


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys and integral numbers without ``.0``: equal values give equal bytes.

    Raises:
        ValueError: a NaN or an infinity, which JSON can't hold.
    """
    return _CANONICAL.encode(plain(value))


def dumps(value: Any) -> str:
    """Compact JSON, in the order and with the number types of the value; `loads` reads it back.

    Raises:
        ValueError: a NaN or an infinity, which JSON can't hold.
    """
    return _COMPACT.encode(value)


def line(value: Any) -> str:
    """JSON on one line for people to read, in the order of the value; see `with_hidden_escaped`.

    Raises:
        ValueError: a NaN or an infinity, which JSON can't hold.
    """
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def with_hidden_escaped(text: str) -> str:
    """JSON text whose every character can be seen, and written as UTF-8; it says the same."""
    return _HIDDEN.sub(_escape, text)


def _escape(hidden: re.Match[str]) -> str:
    character = hidden[0]
    if len(character) > 1:
        return character.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return f"\\u{ord(character):04x}"


def loads(text: str) -> Any:
    """The value of a text that `dumps` wrote."""
    return _DECODER.decode(text)
