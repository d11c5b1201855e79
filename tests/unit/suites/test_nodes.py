"""From text to nodes: what the parsers are told to leave alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.unit.suites.builders import load, mistakes

if TYPE_CHECKING:
    from pathlib import Path


def test_flow_mapping_that_is_no_json_is_yaml(tmp_path: Path) -> None:
    (case,) = load(tmp_path, "{cases: [{query: 'no: json', relevant: [a]}]}\n").cases
    assert case.query == "no: json"


def test_json_constant_that_is_no_json_makes_a_yaml_file(tmp_path: Path) -> None:
    assert mistakes(tmp_path, '{"min_score": NaN, "cases": [{"query": "q", "relevant": ["a"]}]}') == [
        "1:15: min_score: must be a number, got 'NaN'"
    ]


def test_deep_json_is_refused_in_a_yaml_file_too(tmp_path: Path) -> None:
    text = '{"a": ' * 65 + "1" + "}" * 65
    assert mistakes(tmp_path, text) == ["1:385: nested more than 64 levels deep"]


def test_json_deeper_than_its_parser_goes_is_refused_in_a_yaml_file_too(tmp_path: Path) -> None:
    (mistake,) = mistakes(tmp_path, '{"a": ' * 100_000 + "1" + "}" * 100_000)
    assert mistake == "1:385: nested more than 64 levels deep"


def test_yaml_deeper_than_its_parser_goes_is_refused_alike(tmp_path: Path) -> None:
    (mistake,) = mistakes(tmp_path, "cases:\n" + "- " * 100_000 + "a")
    assert mistake.endswith(": nested more than 64 levels deep")


def test_half_of_a_surrogate_pair_is_a_mistake_without_libyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert mistakes(tmp_path, 'cases: [{query: "\\ud800", relevant: [a]}]') == [
        "1:17: cases[0].query: a lone surrogate escape names no character"
    ]


def test_escape_beyond_unicode_is_a_mistake_without_libyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert mistakes(tmp_path, 'cases: [{query: "\\UFFFFFFFF", relevant: [a]}]') == [
        "1:1: an escape in this file names no character"
    ]


@pytest.mark.parametrize("text", ["%YAML 9.9\n---\ncases: []\n", "cases: [\n", "'unclosed\n", "- a\nb: 1\n"])
def test_what_is_no_yaml_is_located(tmp_path: Path, text: str) -> None:
    (mistake,) = mistakes(tmp_path, text)
    line, column, message = mistake.split(":", 2)
    assert line.isdigit()
    assert column.isdigit()
    assert message.strip()
