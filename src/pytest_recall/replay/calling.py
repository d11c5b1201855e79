"""How an agent calls its model and its tools, recorded or replayed."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.errors import RecallError

__all__ = ["called_by_agents"]


class _Refusing(Protocol):
    def _refuse(self, problem: str) -> RecallError: ...


D = TypeVar("D", bound=_Refusing)
P = ParamSpec("P")
T = TypeVar("T")


def called_by_agents(method: Callable[Concatenate[D, P], T]) -> Callable[Concatenate[D, P], T]:
    """A method that takes its arguments by position or by name, and refuses others as the author of an agent knows it.

    Raises:
        RecallError: it is called in another way.
    """
    signature = inspect.signature(method)
    name, (_, *parameters) = method.__name__, signature.parameters

    @wraps(method)
    def call(self: D, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise self._refuse(f"{name} is called as {name}({', '.join(parameters)}): {error}") from None
        return method(self, *args, **kwargs)

    return call
