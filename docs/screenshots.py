"""The screenshots that the documentation shows: the page of the example, after its search got worse."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EXAMPLES = Path(__file__).parents[1] / "examples"

# A search that reads no more than the beginning of what is asked.
CONFTEST = """\
import pytest

@pytest.fixture(scope="module")
def retriever(lexical_retriever):
    return lambda query, k: lexical_retriever.search(" ".join(query.split()[:4]), k)
"""

# name: width, height, colours, what is in view, and what it shows in words
SHOTS = {
    "wide": (1280, 1180, "light", "body", "The page of a run that failed: verdict, reasons, metrics and charts"),
    "cases": (1280, 900, "light", ".cases", "The table of cases, one unfolded"),
    "narrow": (400, 860, "dark", ".metrics", "The same page on a narrow screen, in dark colours"),
}


def make_screenshots(folder: Path) -> None:
    """Write the screenshots, and ``page.txt``, which shows them; without a browser it says that there are none."""
    folder.mkdir(exist_ok=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium on PATH: the documentation is built without screenshots", file=sys.stderr)  # noqa: T201 - said to whoever builds
        text = "(These pages were built where no browser was to make screenshots with.)\n"
    else:
        with TemporaryDirectory() as temporary, sync_playwright() as playwright:
            page = _page(Path(temporary))
            browser = playwright.chromium.launch(executable_path=chromium)
            for name in SHOTS:
                _take(browser, page, folder / f"{name}.png", name)
            browser.close()
        text = "\n".join(f"![{words}](../_made/{name}.png)\n" for name, (*_, words) in SHOTS.items())
    (folder / "page.txt").write_text(text, encoding="utf-8")


def _page(folder: Path) -> Path:
    """The report of the example, whose search is not what it was when the baseline was recorded."""
    shutil.copytree(EXAMPLES / "notes", folder / "notes")
    shutil.copy(EXAMPLES / "baseline.json", folder)
    (folder / "notes/conftest.py").write_text(CONFTEST, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    options = ["--eval-baseline=baseline.json", "--eval-report=page.html"]
    ended = subprocess.run([*command, *options, "notes"], check=False, cwd=folder, stdout=subprocess.DEVNULL)
    assert ended.returncode == 1, "gates of the example fail with the worse search, and nothing else"
    return folder / "page.html"


def _take(browser: Browser, page: Path, target: Path, name: str) -> None:
    width, height, colours, selector, _ = SHOTS[name]
    dark = colours == "dark"
    view = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", device_scale_factor=2
    )
    view.goto(page.as_uri())
    view.locator(selector).scroll_into_view_if_needed()
    if name == "cases":
        view.locator(".expand").nth(1).click()
    view.locator(selector).evaluate("it => it.scrollIntoView()")
    view.screenshot(path=target)
    view.close()
