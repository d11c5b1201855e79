from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.suites import structure
from tests.unit.suites.builders import CASES, load, mistakes

if TYPE_CHECKING:
    from pathlib import Path


def test_text_that_looks_like_anchors_and_tags_is_text(tmp_path: Path) -> None:
    text = "memories:\n  - {id: a, text: Q & A (AT&T), title: Hi! &amp; bye !important}\n" + CASES
    (memory,) = load(tmp_path, text).memories
    assert (memory.text, memory.title) == ("Q & A (AT&T)", "Hi! &amp; bye !important")


def test_what_aliases_repeat_is_counted_once_per_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The list and its two texts are three nodes; the first use is the anchor's own, so two aliases repeat six.
    text = "cases: [{query: q, relevant: [a], args: {x: &x [1, 2], y: *x, z: *x}}]\n"
    monkeypatch.setattr(structure, "MAX_EXPANSION", 6)
    assert load(tmp_path, text).cases[0].args == {"x": [1, 2], "y": [1, 2], "z": [1, 2]}
    monkeypatch.setattr(structure, "MAX_EXPANSION", 5)
    assert mistakes(tmp_path, text) == ["1:41: cases[0].args: expands to more than 5 entries through its aliases"]


# The suite, its cases, the case and its args are the first four levels.
@pytest.mark.parametrize("aliased", ["[[]]", "*inner"])
def test_sixty_four_levels_are_deep_enough(tmp_path: Path, aliased: str) -> None:
    opening, closing = "[" * 58, "]" * 58
    text = f"x-inner: &inner [[]]\ncases: [{{query: q, relevant: [a], args: {{x: {opening}{aliased}{closing}}}}}]\n"
    assert load(tmp_path, text).cases
    deeper = text.replace(aliased + closing, f"[{aliased}]" + closing)
    assert all("nested more than 64 levels deep" in mistake for mistake in mistakes(tmp_path, deeper))


def test_aliases_of_ordinary_size_are_not_held_against_a_large_suite(tmp_path: Path) -> None:
    cases = "".join(f"  - {{<<: *defaults, query: q{number}}}\n" for number in range(1000))
    suite = load(tmp_path, f"x-defaults: &defaults {{tags: [smoke], relevant: [a]}}\ncases:\n{cases}")
    assert {case.tags for case in suite.cases} == {("smoke",)}
