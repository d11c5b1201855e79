"""``pytest-recall schema``."""

from __future__ import annotations

import argparse
import json
import re

from pytest_recall.cli.output import write_document
from pytest_recall.metrics import ALIASES, CATALOGUE
from pytest_recall.suites.schema import suite_schema

__all__ = ["configure"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Print the JSON Schema of a suite (draft 2020-12). Keep it in a file, and let the first line of a suite name "
        "it: '# yaml-language-server: $schema=recall.schema.json'. Editors then complete keys and mark mistakes."
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        dest="metrics",
        metavar="NAME",
        type=_metric_name,
        help="a metric that a pytest hook of yours registers (repeatable)",
    )
    parser.set_defaults(run=_run)


def _metric_name(written: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", written):
        raise argparse.ArgumentTypeError(f"{written!r} is no name: small letters, digits and _, such as 'my_metric'")
    if written in CATALOGUE or written in ALIASES:
        raise argparse.ArgumentTypeError(f"{written!r} is known already")
    return written


def _run(given: argparse.Namespace) -> int:
    write_document(json.dumps(suite_schema(given.metrics), ensure_ascii=False, indent=2) + "\n")
    return 0
