"""Suites as an editor sees them: values that JSON could hold, typed by one version of YAML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path


class Yaml11(yaml.SafeLoader):
    """Types scalars as YAML 1.1 does, but for dates, which JSON has none of."""


Yaml11.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Yaml12(yaml.SafeLoader):
    """Types scalars by YAML 1.2's core schema."""

    def construct_number(self, node: yaml.ScalarNode) -> float:
        written = str(self.construct_scalar(node))
        try:
            return int(written, 0) if "x" in written or "o" in written else int(written)
        except ValueError:
            return float(written.replace(".inf", "inf").replace(".nan", "nan"))


Yaml12.yaml_implicit_resolvers = {}
for tag, pattern in {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "number": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
    r"|[-+]?\.inf|\.nan",
    "merge": "<<",
}.items():
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), None)
Yaml12.add_constructor("tag:yaml.org,2002:number", Yaml12.construct_number)

VERSIONS = [Yaml11, Yaml12]


def document(path: Path, version: type[yaml.SafeLoader]) -> Any:
    """What a file holds.

    Raises:
        yaml.YAMLError, ValueError, RecursionError: it is no document.
    """
    text = path.read_bytes().decode("utf-8-sig")
    if path.suffix == ".json":
        return json.loads(text)
    return _with_text_keys(yaml.load(text, version), {})  # noqa: S506 - a safe loader with other resolvers


def _with_text_keys(value: Any, done: dict[int, Any]) -> Any:
    """The value with every key as text; what several aliases share stays shared, or it could be without end."""
    if id(value) in done or not isinstance(value, (dict, list)):
        return done.get(id(value), value)
    if isinstance(value, list):
        items = done[id(value)] = []
        items.extend(_with_text_keys(item, done) for item in value)
        return items
    fields = done[id(value)] = {}
    fields.update((str(key), _with_text_keys(item, done)) for key, item in value.items())
    return fields
