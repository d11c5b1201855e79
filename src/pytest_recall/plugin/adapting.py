"""The hook `pytest_recall_adapt`, as those who read results ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_recall.retrieval import Adapt

__all__ = ["adapt_of"]


def adapt_of(item: pytest.Item) -> Adapt | None:
    """Asks the conftests above an item and the plugins; None where none has the hook, so that no query pays for it."""
    hook = item.ihook.pytest_recall_adapt
    if not hook.get_hookimpls():
        return None
    return lambda returned, query: hook(returned=returned, query=query, config=item.config)
