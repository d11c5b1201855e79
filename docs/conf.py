"""How Sphinx builds the documentation."""

from __future__ import annotations

from importlib import metadata

project = "pytest-recall"
author = "the pytest-recall authors"
copyright = f"2026, {author}"  # noqa: A001 - Sphinx's name
release = metadata.version("pytest-recall")

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"{project} {release}"
nitpicky = True
