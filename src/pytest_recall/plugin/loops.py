"""The event loop of an asynchronous suite: the plugin that runs its items, and the mark that asks for it."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_recall.suites import Suite
    from pytest_recall.suites.model import LoopScope

__all__ = ["asyncio_marks", "loop_marks"]

# Mark → the module that is the plugin, whichever name it was loaded by; the first that is there runs the items.
_PLUGINS = {"asyncio": "pytest_asyncio.plugin", "anyio": "anyio.pytest_plugin"}


def loop_marks(suite: Suite, config: pytest.Config) -> tuple[pytest.MarkDecorator, ...]:
    """What an asynchronous suite's items need besides its own marks, one of which may choose the plugin.

    Raises:
        pytest.Collector.CollectError: neither plugin is loaded.
    """
    if suite.loop_scope is None:
        return ()
    loaded = _loaded(config)
    own = [mark.name for mark in suite.marks]
    chosen = next((name for name in (*own, *_PLUGINS) if _PLUGINS.get(name) in loaded), None)
    if chosen is None:
        raise pytest.Collector.CollectError(
            f"{suite.name}: async: its tests need an event loop, and neither pytest-asyncio nor anyio is loaded: "
            f"pip install pytest-asyncio"
        )
    if chosen in own:
        return ()
    # How long a loop of anyio's lives, the scopes of the asynchronous fixtures decide.
    return (_asyncio(suite.loop_scope) if chosen == "asyncio" else pytest.mark.anyio,)


def asyncio_marks(config: pytest.Config) -> tuple[pytest.MarkDecorator, ...]:
    """What items need that pytest-asyncio is to run where it is there; anyio runs what asks for its `anyio_backend`."""
    return (_asyncio("module"),) if _PLUGINS["asyncio"] in _loaded(config) else ()


def _loaded(config: pytest.Config) -> set[str]:
    return {getattr(plugin, "__name__", "") for plugin in config.pluginmanager.get_plugins()}


def _asyncio(scope: LoopScope) -> pytest.MarkDecorator:
    major, minor = version("pytest-asyncio").split(".")[:2]
    keyword = "loop_scope" if (int(major), int(minor)) >= (0, 24) else "scope"
    return pytest.mark.asyncio(**{keyword: scope})
