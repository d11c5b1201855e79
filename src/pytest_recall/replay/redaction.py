"""Secrets have no place in a file that is committed: what looks like one is taken out of whatever is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["REDACTED", "Redactor", "redact"]

REDACTED = "[redacted]"

# Shorter than this a number is none, and a text is only found again where it is in quotes or all there is.
LEAST_DIGITS = 4
LEAST_CHARACTERS = 6

_KEY = (
    r"(?:(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookies?|passphrase|credentials?|private[-_]?key|session[-_]?id"
    r"|(?:[\w.-]*[-_.])?(?:passw(?:or)?d|pwd|secret(?:[-_]?key)?|api[-_]?key|access[-_]?key|client[-_]?secret"
    r"|(?:access|auth|refresh|session|bearer|id|[cx]srf)[-_]?token)"
    r"|token|(?-i:[A-Z0-9_]+_TOKEN))"
)
_SECRET_KEY = re.compile(_KEY, re.IGNORECASE)

# What providers begin their keys with, JSON Web Tokens, keys in PEM, passwords in addresses and in what is set.
_SECRET_TEXT = re.compile(
    r"""
      \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeprs]-[A-Za-z0-9-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,} | \bhf_[A-Za-z0-9]{20,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?<=bearer\ )[A-Za-z0-9._~+/=-]{8,} | (?<=Bearer\ )[A-Za-z0-9._~+/=-]{8,} | (?<=Basic\ )[A-Za-z0-9+/=]{8,}
    | (?<=://)[^\s/:@]*:[^\s/@]+(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)

# A header in a text, such as a log or a command; schemes whose name is worth keeping are left to the pattern above.
_HEADER = re.compile(
    r"(?im)\b((?:proxy-)?authorization: *|set-cookie: *|x-api-key: *|cookie: *(?=[\w.-]+=))(?!(?:bearer|basic) )"
    r"([^\s\"'](?:[^\r\n\"']|(?<==)\"[^\r\n\"]*\"|(?<==)'[^\r\n']*')*)"
)

# What is set in an address, a form, a shell or a file, or told in a line; words that prose has before a colon are left
# out.
_SET = (
    rf"(?<![\w.-])(?:(?:--)?{_KEY}[ \t]*=[ \t]*|--{_KEY}[ ]+"
    r"|(?:[\w.-]*[-_])?(?:passw(?:or)?d|pwd|passphrase|api[-_]key|client[-_]secret):[ ]+)"
)
_SETTING = re.compile(rf"(?i)({_SET})([^\s&;,\"'\\=][^\s&;,\"'\\]*)")
_QUOTED_SETTING = re.compile(rf"(?i)({_SET}(\\*[\"']))((?:(?!\2)(?:\\.|[^\\\r\n]))+)")

# A part of JSON, or of what Python writes, in a text that holds more.
_QUOTED = re.compile(rf"(?is)((?<!\\)(\\*[\"']){_KEY}\2\s*:\s*(\\*[\"']))((?:(?!\3)(?:\\.|[^\\]))+)")

_IN_TEXTS = (_QUOTED, _QUOTED_SETTING, _SETTING, _HEADER, _SECRET_TEXT)


def redact(value: Any) -> Any:
    """A copy of a JSON value in which secrets read ``[redacted]``, or 0 where they are numbers.

    A secret is the value of a key such as ``authorization``, ``api_key``, ``password`` or ``set-cookie``, whether it
    stands in a mapping, in a list of pairs, beside it as ``name`` and ``value``, in a text that is JSON, in a query
    string, in ``KEY="value"`` or after ``--key``; and any part of a text that looks like such a header, a provider's
    key, a bearer token, a JSON Web Token, a private key or a password in a URL. Of a mapping or a list only the values
    in it are taken out, and what is empty, a boolean or a number of fewer than four digits stays. What was taken out at
    one place is taken out of the rest of the value. Redacting twice changes nothing more.

    >>> redact({"headers": {"X-Api-Key": "abc"}, "url": "https://ann:pw@host/?token=abc"})
    {'headers': {'X-Api-Key': '[redacted]'}, 'url': 'https://[redacted]@host/?token=[redacted]'}
    """
    return Redactor().asked(value)


class Redactor:
    """Takes secrets out of the values of one run, those that came up earlier in it wherever they come up again.

    In a replay the agent is given ``[redacted]`` for a secret. What it makes of it asks the same as what it made of the
    secret itself while it was recorded, when the secret is taken out of that too.

    >>> redactor = Redactor()
    >>> redactor.given({"token": "abc123"}), redactor.asked({"auth": "Token abc123"})
    ({'token': '[redacted]'}, {'auth': 'Token [redacted]'})
    """

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._own: set[str | float] = set()
        self._secrets: dict[str | float, None] = {}
        self._taken = _Taken(())

    def asked(self, value: Any) -> Any:
        """What the agent asks with, or answers."""
        self._said.update(_texts(value))
        self._learn(_secrets_in(value))
        return self._redacted(value)

    def given(self, value: Any) -> Any:
        """What the agent is given by the model or a tool.

        A text that the agent used before it was given it is its own: it has it in a replay as well, where this secret
        is not known, so that it has to be left where it is.
        """
        secrets = [*_secrets_in(value)]
        new = [secret for secret in secrets if secret not in self._secrets]
        self._own.update(secret for secret in new if any(_Taken((secret,)).is_in(text) for text in self._said))
        self._learn(secrets)
        return self._redacted(value)

    def _learn(self, secrets: Iterable[str | float]) -> None:
        new = [secret for secret in secrets if secret not in self._secrets and secret not in self._own]
        if new:
            self._secrets.update(dict.fromkeys(new))
            self._taken = _Taken(self._secrets)

    def _redacted(self, value: Any, *, secret: bool = False) -> Any:
        if isinstance(value, str):
            return REDACTED if secret and value else self._text(value)
        if isinstance(value, Mapping):
            if _is_named(value):
                return {**value, "value": self._redacted(value["value"], secret=True)}
            return {
                self._key(key): self._redacted(inner, secret=secret or _is_secret(key)) for key, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            if _is_pair(value):
                return [value[0], self._redacted(value[1], secret=True)]
            return [self._redacted(inner, secret=secret) for inner in value]
        return type(value)(0) if _is_number(value) and (secret or value in self._secrets) else value

    def _key(self, key: Any) -> Any:
        # A short one is the name of something, whatever was called the same before.
        return self._text(key) if isinstance(key, str) and len(key) >= LEAST_CHARACTERS else key

    def _text(self, text: str) -> str:
        text = self._taken.out_of(text)
        if own := [*_secrets_of_json(text)]:
            text = _Taken(own).out_of(text)
        for pattern in _IN_TEXTS:
            text = pattern.sub(rf"\1{REDACTED}" if pattern.groups else REDACTED, text)
        return text


class _Taken:
    """Finds secrets in texts: as they are, in quotes as JSON and Python write them, and in JSON inside JSON."""

    def __init__(self, secrets: Iterable[str | float]) -> None:
        self._forms: dict[str, str] = {}
        self._alone: set[str] = set()
        patterns: list[str] = []
        for secret in secrets:
            if isinstance(secret, str):
                quoted = _quoted(secret)
                self._alone.add(secret)
                self._forms.update(quoted)
                # In quotes before a colon it is the name of something.
                patterns += [rf"{re.escape(form)}(?!\s*:)" for form in quoted]
                if len(secret) >= LEAST_CHARACTERS:
                    self._forms[secret] = REDACTED
                    patterns.append(re.escape(secret))
            else:
                self._forms[repr(secret)] = repr(type(secret)(0))
                patterns.append(rf"(?<![\w.]){re.escape(repr(secret))}(?!\w|\.\d)")
        # The longest first: one may begin with another.
        self._pattern = re.compile("|".join(sorted(patterns, key=len, reverse=True)) or r"(?!)")

    def is_in(self, text: str) -> bool:
        return text in self._alone or self._pattern.search(text) is not None

    def out_of(self, text: str) -> str:
        return REDACTED if text in self._alone else self._pattern.sub(lambda found: self._forms[found[0]], text)


def _quoted(secret: str) -> dict[str, str]:
    """What a text looks like in quotes, and the word that stands for it there."""
    forms: dict[str, str] = {}
    for ascii_only in (True, False):
        once, kept = json.dumps(secret, ensure_ascii=ascii_only), json.dumps(REDACTED)
        forms |= {once: kept, json.dumps(once, ensure_ascii=ascii_only)[1:-1]: json.dumps(kept)[1:-1]}
    return {**forms, repr(secret): repr(REDACTED)}


def _secrets_in(value: Any, *, secret: bool = False) -> Iterator[str | float]:
    """What is a secret by its key or its looks."""
    if isinstance(value, str):
        if not secret:
            yield from _secrets_of_text(value)
        elif value not in ("", REDACTED):
            yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for inner, by_key in _values(value):
            yield from _secrets_in(inner, secret=secret or by_key)
    elif secret and _is_number(value):
        yield value


def _values(value: Any) -> Iterator[tuple[Any, bool]]:
    """What a mapping or a list holds, and whether a key says that it is a secret."""
    if isinstance(value, Mapping):
        named = _is_named(value)
        yield from ((inner, (named and key == "value") or _is_secret(key)) for key, inner in value.items())
    elif _is_pair(value):
        yield value[1], True
    else:
        yield from ((inner, False) for inner in value)


def _secrets_of_text(text: str) -> Iterator[str | float]:
    found = chain.from_iterable(pattern.finditer(text) for pattern in _IN_TEXTS)
    yield from (secret for match in found if REDACTED not in (secret := match[match.lastindex or 0]))
    yield from _secrets_of_json(text)


def _secrets_of_json(text: str) -> Iterator[str | float]:
    if not text.lstrip().startswith(("{", "[")):
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _secrets_in(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for inner in chain(value, value.values()) if isinstance(value, Mapping) else value:
            yield from _texts(inner)


def _is_named(value: Mapping[Any, Any]) -> bool:
    return value.keys() == {"name", "value"} and _is_secret(value["name"])


def _is_pair(value: list[Any] | tuple[Any, ...]) -> bool:
    return len(value) == 2 and _is_secret(value[0]) and isinstance(value[1], str)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and len(repr(value)) >= LEAST_DIGITS


def _is_secret(key: object) -> bool:
    return isinstance(key, str) and _SECRET_KEY.fullmatch(key.strip()) is not None
