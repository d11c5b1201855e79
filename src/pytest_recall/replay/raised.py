"""What the model or a tool raised: what is kept of it, and how it is raised again."""

from __future__ import annotations

import sys
from contextlib import suppress
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from pytest_recall import _json
from pytest_recall.replay.capture import why_not_kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ReplayedError", "attributes_of", "name_of", "replayed"]


class ReplayedError(Exception):
    """What the model or a tool raised when the run was recorded, with its text, its args and what else is JSON of it.

    Where the class of then is a built-in one, or its module is loaded, it is one of these too, so that the agent's own
    ``except`` catches it as it did.

    >>> try: raise ReplayedError("no order 'a17'")
    ... except ReplayedError as error: print(error)
    no order 'a17'
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    # Before what the class of then has, which may look into what was never made.
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name!r} of this {type(self).__name__} is not there: it is raised again from a recording, "
            "which keeps what is JSON of an error"
        )


def name_of(error: Exception) -> str:
    """The class as ``module.Type``, without the module for what is Python's own."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def attributes_of(error: Exception) -> dict[str, Any]:
    """What is JSON of an error: its args, where they are more than its text, and its public attributes."""
    found = dict(_attributes(error))
    if found.get("args") in ([], [str(error)]):
        del found["args"]
    return found


def _attributes(error: Exception) -> Iterator[tuple[str, Any]]:
    declared = (
        name
        for kind in type(error).__mro__
        for name, value in vars(kind).items()
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType))
    )
    for name in dict.fromkeys([*declared, *vars(error)]):
        value = None if name.startswith("_") else getattr(error, name, None)
        if value is not None:
            kept = list(value) if name == "args" else value
            # What comes back as something else, such as a tuple in a list, is left out.
            if why_not_kept({name: kept}) is None and _json.loads(_json.dumps(kept)) == kept:
                yield name, kept


def replayed(error: str, attributes: Mapping[str, Any]) -> ReplayedError:
    """The error that a recording names as ``module.Type: text``."""
    named, _, text = error.partition(": ")
    module, _, name = named.rpartition(".")
    found = getattr(sys.modules.get(module or "builtins"), name, None)
    raised = _named(name, ReplayedError)(text)
    if isinstance(found, type) and issubclass(found, Exception):
        with suppress(TypeError):  # a class that can't be inherited from, or is made in a way of its own
            # Its own __init__, which may ask for more than a text, is not called.
            raised = _named(name, ReplayedError, found)(text)
    for attribute, value in attributes.items():
        with suppress(AttributeError, TypeError):  # another version of the class may compute it
            setattr(raised, attribute, value)
    return raised


def _named(name: str, *bases: type[Exception]) -> type[ReplayedError]:
    return cast("type[ReplayedError]", type(name, bases, {}))
