"""The page as HTML, with a policy that lets nothing in but what it came with."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_recall._text import printable
from pytest_recall.reports.page.view import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from pytest_recall.reports.summary import SuiteReport

__all__ = ["BEGINS", "WRITER", "render"]

BEGINS = re.compile(rb"<!doctype html>.{1,2000}<title>eval(?: [a-z ]+)?: ", re.DOTALL | re.IGNORECASE)

WRITER = "jinja2"

_TEMPLATE = "template.html.jinja"


def render(reports: Sequence[SuiteReport]) -> bytes:
    """The page of some reports; texts of others are escaped wherever they stand, and what can't be seen is shown."""
    style, script = _text("page.css"), _text("page.js")
    text = (
        _environment()
        .get_template(_TEMPLATE)
        .render(page=page_of(reports), policy=_policy(style, script), style=style, script=script)
    )
    return text.encode()


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which only this style and this script apply."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {_source(style)}",
            f"script-src {_source(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _source(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    """A file of this package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _environment() -> Environment:
    import jinja2  # noqa: PLC0415  # an extra

    environment = jinja2.Environment(
        autoescape=True,
        finalize=_shown,
        loader=jinja2.FunctionLoader(_text),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["in_script"] = _in_script
    return environment


def _shown(value: Any) -> Any:
    """What markup has no say in: a text without anything hidden in it."""
    return printable(value) if type(value) is str else value


def _in_script(json: str) -> str:
    """JSON as the content of a script element, which no text in it can end."""
    return json.replace("<", "\\u003c")
