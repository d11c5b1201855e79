"""The pytest marks that a suite puts on its items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_recall._text import printable
from pytest_recall.suites.getters import elements, text
from pytest_recall.suites.literals import literal
from pytest_recall.suites.model import Mark
from pytest_recall.suites.nodes import MappingNode, SequenceNode, is_missing, line_of, quote

if TYPE_CHECKING:
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["REFUSED_MARKS", "read_marks"]

# They change what an item is, not how it is run, and the items are the plugin's.
REFUSED_MARKS = ("filterwarnings", "parametrize", "recall", "usefixtures")
# pytest evaluates a text condition as code.
_CONDITIONAL = ("skipif", "xfail")
# So does pytest-rerunfailures, by position too.
_CODE = ("flaky",)


def read_marks(node: Node, problems: Problems) -> tuple[Mark, ...]:
    """A list of names, or of one-key mappings from a name to its arguments."""
    return tuple(_mark(child, problems) for child in elements(node, problems))


def _mark(node: Node, problems: Problems) -> Mark:
    name, value = node, None
    if isinstance(node, MappingNode):
        if len(node.value) != 1:
            problems.add(node, f"a mark is one name with its arguments, got {len(node.value)} keys")
            return Mark(name="")
        name, value = node.value[0]
    mark = _with_arguments(_name(name, problems), value, problems)
    if mark.name in _CONDITIONAL:
        _check_condition(mark, node, problems)
    elif any(isinstance(given, str) for given in _conditions(mark)):
        problems.add(node, f"{mark.name} takes only true or false as its condition")
    return replace(mark, line=line_of(node))


def _name(node: Node, problems: Problems) -> str:
    name = text(node, problems)
    if name in REFUSED_MARKS:
        problems.add(node, f"the mark {name!r} is not for suites")
    elif not name.isidentifier() or name.startswith("_"):
        problems.add(node, f"{quote(name)} is no name of a mark")
    return name


def _with_arguments(name: str, node: Node | None, problems: Problems) -> Mark:
    if node is None or is_missing(node):
        return Mark(name=name)
    value: Any = literal(node, problems)
    if isinstance(node, MappingNode):
        # pytest prints a reason as it is.
        reason = {"reason": printable(value["reason"])} if isinstance(value.get("reason"), str) else {}
        return Mark(name=name, kwargs={**value, **reason})
    return Mark(name=name, args=tuple(value) if isinstance(node, SequenceNode) else (value,))


def _conditions(mark: Mark) -> tuple[Any, ...]:
    """What a plugin may take for one."""
    return (mark.kwargs.get("condition"), *(mark.args if mark.name in _CODE else ()))


def _check_condition(mark: Mark, node: Node, problems: Problems) -> None:
    kwargs = dict(mark.kwargs)
    conditions = (*mark.args, *([kwargs.pop("condition")] if "condition" in kwargs else []))
    reason = kwargs.pop("reason", None)
    texts = reason is None or isinstance(reason, str)
    if kwargs or len(conditions) > 1 or not texts or not all(isinstance(condition, bool) for condition in conditions):
        problems.add(node, f"{mark.name} takes only true or false as its condition, and a text as its reason")
    elif mark.name == "skipif" and not (conditions and reason):
        problems.add(node, "skipif needs a condition and a reason: {condition: true, reason: not indexed yet}")
