"""A page, written and opened in a headless Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_recall.reports import files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from pytest_recall.reports import SuiteReport
    from tests.conftest import Require


# No longer than a module: while Playwright's loop is there, asyncio starts no other in this thread.
@pytest.fixture(scope="module")
def browser(require: Require) -> Iterator[Browser]:
    playwright = require.library("playwright.sync_api")
    require.library("jinja2")
    program = require.program("chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program)
        yield opened
        opened.close()


class Opened(Protocol):
    """Opens the page of some reports, in a context with options of Playwright's."""

    def __call__(self, *reports: SuiteReport, spoilt: tuple[str, str] = ("", ""), **options: Any) -> Page: ...


@pytest.fixture
def said() -> list[str]:
    """Everything that a page wrote to its console, and each error in its script."""
    return []


@pytest.fixture
def opened(browser: Browser, tmp_path: Path, said: list[str]) -> Iterator[Opened]:
    contexts = []

    def open_page(*reports: SuiteReport, spoilt: tuple[str, str] = ("", ""), **options: Any) -> Page:
        path = tmp_path / "now.html"
        files.write(path, reports)
        if any(spoilt):
            path.write_text(path.read_text(encoding="utf-8").replace(*spoilt, 1), encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url) if not request.url.endswith("/now.html") else None)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
