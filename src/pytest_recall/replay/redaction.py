"""Secrets have no place in a file that is committed: what looks like one is taken out of whatever is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["REDACTED", "redact"]

REDACTED = "[redacted]"

_SECRET_KEY = re.compile(
    r"(proxy[-_]?)?authorization|(set[-_]?)?cookie|passw(or)?d|passphrase|secret|credentials?|private[-_]?key"
    r"|(.*[-_])?(api[-_]?key|access[-_]?key|(access|auth|refresh|session|bearer|id)[-_]?token|client[-_]?secret)|token",
    re.IGNORECASE,
)

# What providers begin their keys with, JSON Web Tokens, keys in PEM, and passwords in addresses.
_SECRET_TEXT = re.compile(
    r"""
      \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeprs]-[A-Za-z0-9-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,} | \bhf_[A-Za-z0-9]{20,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?<=bearer\ )[A-Za-z0-9._~+/=-]{8,} | (?<=Bearer\ )[A-Za-z0-9._~+/=-]{8,} | (?<=Basic\ )[A-Za-z0-9+/=]{8,}
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)

# A header in a text, such as a log or a command; schemes whose name is worth keeping are left to the pattern above.
_HEADER = re.compile(
    r"(?im)\b((?:proxy-)?authorization: *|set-cookie: *|x-api-key: *|cookie: *(?=[\w.-]+=))(?!(?:bearer|basic) )"
    r"[^\s\"'][^\r\n\"']*"
)


def redact(value: Any) -> Any:
    """A copy of a JSON value in which secrets read ``[redacted]``.

    A secret is the value of a key such as ``authorization``, ``api_key``, ``password`` or ``set-cookie``, whether it
    stands in a mapping, in a list of pairs or beside it as ``name`` and ``value``; and any part of a text that looks
    like such a header, a provider's key, a bearer token, a JSON Web Token, a private key or a password in a URL.
    Redacting twice changes nothing more.

    >>> redact({"headers": {"X-Api-Key": "abc"}, "url": "https://ann:pw@host/"})
    {'headers': {'X-Api-Key': '[redacted]'}, 'url': 'https://[redacted]@host/'}
    """
    if isinstance(value, str):
        return _HEADER.sub(rf"\1{REDACTED}", _SECRET_TEXT.sub(REDACTED, value))
    if isinstance(value, Mapping):
        if value.keys() == {"name", "value"} and _is_secret(value["name"]):
            return {**value, "value": REDACTED}
        return {
            redact(key): REDACTED if _is_secret(key) and inner is not None else redact(inner)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and _is_secret(value[0]) and isinstance(value[1], str):
            return [value[0], REDACTED]
        return [redact(inner) for inner in value]
    return value


def _is_secret(key: object) -> bool:
    return isinstance(key, str) and _SECRET_KEY.fullmatch(key.strip()) is not None
