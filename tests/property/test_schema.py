"""Whatever the loader accepts, the schema accepts."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import jsonschema
import yaml
from hypothesis import HealthCheck, assume, given, settings

from pytest_recall.errors import SuiteError
from pytest_recall.suites import load_suite
from pytest_recall.suites.schema import suite_schema
from tests.property.mutations import SEEDS, edited_suites
from tests.unit.suites.documents import Yaml12, document

if TYPE_CHECKING:
    from pathlib import Path

YAML = [seed for seed in SEEDS if not seed.removeprefix(codecs.BOM_UTF8).startswith(b"{")]
SCHEMA = jsonschema.Draft202012Validator(suite_schema())


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much])
@given(data=edited_suites(YAML, most=2))
def test_edited_suite_that_loads_is_accepted(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.eval.yaml"
    path.write_bytes(data)
    try:
        load_suite(path, root=tmp_path)
        value = document(path, Yaml12)
    except (SuiteError, yaml.YAMLError):  # of what libyaml reads, PyYAML, which types the scalars here, refuses some
        assume(False)  # noqa: FBT003 - hypothesis's own word
    else:
        SCHEMA.validate(value)
