from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.suites import loading, problems
from tests.unit.suites.builders import CASES, mistakes

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_mistake_behind_an_alias_is_told_once_where_it_is_written(tmp_path: Path) -> None:
    text = """
x-tags: &tags legal
cases:
  - {query: first, relevant: [a], tags: *tags}
  - {query: second, relevant: [a], tags: *tags}
"""
    assert mistakes(tmp_path, text) == ["2:9: x-tags: must be a list, got 'legal'"]


def test_long_and_odd_texts_are_cut_and_escaped(tmp_path: Path) -> None:
    word = "x" * 100
    text = f'"{word}": 1\ncases: [{{id: "\\e[31m{word}", query: q, relevant: [a], "a b": 1}}]\n'
    assert mistakes(tmp_path, text) == [
        f"1:1: unknown key '{'x' * 59}…'",
        f"2:149: cases[0] (\\x1b[31m{'x' * 31}…): unknown key 'a b'",
    ]


def test_suggestions_stop_when_they_would_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two memories and one unknown id are two comparisons; the second unknown id would make it four.
    monkeypatch.setattr(problems, "_MOST_COMPARISONS", 3)
    text = "memories: [{id: lease}, {id: rent}]\ncases: [{query: q, relevant: [leese, rentt]}]\n"
    assert mistakes(tmp_path, text) == [
        "2:31: cases[0].relevant: unknown memory 'leese' (did you mean 'lease'?)",
        "2:38: cases[0].relevant: unknown memory 'rentt'",
    ]


def test_mistakes_without_end_are_not_all_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MOST_PROBLEMS", 2)
    assert mistakes(tmp_path, "e: 1\nf: 1\ng: 1\nh: 1\n" + CASES) == [
        "1:1: unknown key 'e'",
        "2:1: unknown key 'f'",
        " more than 2 mistakes, the rest is not shown",
    ]


def test_nothing_is_read_beyond_the_most_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MOST_PROBLEMS", 1)
    enough = " more than 1 mistakes, the rest is not shown"
    # Memories are read before cases, which nothing could read here.
    monkeypatch.setattr(loading, "CaseReader", None)
    text = "memories: [{id: a, b: 1}, {id: b, c: 1}]\ncases: [{query: q}]\n"
    assert mistakes(tmp_path, text) == ["1:20: memories[0] (a): unknown key 'b'", enough]
    assert mistakes(tmp_path, "x-a: [!a 1, !a 2, !a 3]\n" + CASES) == [
        "1:7: x-a: the tag '!a' is not allowed, only !!str is",
        enough,
    ]
