"""The exact fallback, beside RapidFuzz."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_recall.answers import anls_score, edit_similarity_score
from pytest_recall.answers import similarity as module
from pytest_recall.answers.similarity import edit_distance

if TYPE_CHECKING:
    from tests.conftest import Require

# Scripts of one, two and four bytes, a combining accent, a lone surrogate, NUL; few enough that texts share some.
CHARACTERS = "abcAB .éß\u0301\u05d0\u4e2d\U0001f600\ud800\0"


def random_pairs(count: int, longest: int) -> list[tuple[str, str]]:
    chance = random.Random(20)  # noqa: S311  # the same texts every time
    return [
        (
            "".join(chance.choices(CHARACTERS, k=chance.randint(0, longest))),
            "".join(chance.choices(CHARACTERS, k=chance.randint(0, longest))),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [("", "", 0), ("", "ab", 2), ("ab", "", 2), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("ab", "ba", 2)],
)
def test_distance(left: str, right: str, distance: int) -> None:
    assert edit_distance(left, right) == distance


def test_distance_of_texts_longer_than_a_machine_word() -> None:
    assert edit_distance("ab" * 500, "ba" * 500) == 2  # the first letter goes, one comes last


def test_equals_rapidfuzz(require: Require, monkeypatch: pytest.MonkeyPatch) -> None:
    require.library("rapidfuzz")
    pairs = random_pairs(2_000, 80)
    references, answers = [reference for reference, _ in pairs], [answer for _, answer in pairs]
    fast = [score(references, answers, average=None) for score in (anls_score, edit_similarity_score)]

    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    module.levenshtein.cache_clear()
    try:
        exact = [score(references, answers, average=None) for score in (anls_score, edit_similarity_score)]
        assert module.levenshtein() is edit_distance
    finally:
        module.levenshtein.cache_clear()

    assert exact == fast
    assert 0 < sum(fast[0]) < sum(fast[1])
