"""How Sphinx builds the documentation."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from screenshots import make_screenshots

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "pytest-recall"
author = "the pytest-recall authors"
copyright = f"2026, {author}"  # noqa: A001 - Sphinx's name
release = metadata.version("pytest-recall")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"{project} {release}"
nitpicky = True
# In docstrings `name` is code, a link where it is a public one; types of Python itself lead nowhere.
default_role = "py:obj"
nitpick_ignore_regex = [("py:.*", ".*")]

autodoc_default_options = {"members": True}
autodoc_member_order = "alphabetical"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

exclude_patterns = ["_build", "_made"]


def setup(app: Sphinx) -> None:
    """Have the screenshots made before any page is read."""
    app.connect("builder-inited", lambda app: make_screenshots(Path(app.srcdir, "_made")))
