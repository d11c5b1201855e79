"""Values that nobody can change: what one retriever is handed, the next one gets too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["FrozenDict", "FrozenList", "frozen"]

# A failing test shows the user's own lines.
__tracebackhide__ = True


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    kind = type(self).__base__.__name__  # type: ignore[union-attr]  # of a frozen class the plain one
    raise TypeError(f"a suite's values can't be changed, for others are handed them too: change a copy, {kind}(...)")


class FrozenDict(dict[str, Any]):
    """A dict for all who read; copies (`dict`, `copy`, `deepcopy`, pickle) are plain ones again."""

    if not TYPE_CHECKING:  # a dict like any other, to a type checker
        __setitem__ = __delitem__ = __ior__ = _refuse
        clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """A list for all who read; copies (`list`, slices, `copy`, `deepcopy`, pickle) are plain ones again."""

    if not TYPE_CHECKING:  # as above
        __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
        append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        return list, (list(self),)


def frozen(value: Any) -> Any:
    """The value with every dict and list in it frozen."""
    if isinstance(value, dict):
        return FrozenDict({key: frozen(item) for key, item in value.items()})
    return FrozenList(map(frozen, value)) if isinstance(value, list) else value
