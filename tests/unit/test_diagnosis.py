from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.diagnosis import mismatch, near_misses
from pytest_recall.evaluation import CaseResult

if TYPE_CHECKING:
    from collections.abc import Sequence


def result(
    ranking: Sequence[str], relevant: Sequence[str] | dict[str, float] = (), stale: Sequence[str] = ()
) -> CaseResult:
    grades = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1.0)
    return CaseResult(id="q", ranking=tuple(ranking), relevant=grades, stale=tuple(stale))


CUT = repr("x" * 200)[:80]


@pytest.mark.parametrize(
    ("cases", "memories", "problem"),
    [
        (
            [result(["doc-1#3"], ["doc-2"]), result(["doc-2#1"], ["doc-1"])],
            ["doc-2", "doc-1"],
            "no returned id is a memory of this suite: returned 'doc-1#3', memories look like 'doc-1'",
        ),
        (
            [result([], ["a"]), result(["17"], ["a"])],
            ["a", "b"],
            "no returned id is a memory of this suite: returned '17', memories look like 'a'",
        ),
        (
            [result(["x" * 200])],
            ["x" * 201],
            f"no returned id is a memory of this suite: returned {CUT}, memories look like {CUT}",
        ),
        (
            [result(["17"], ["a"], ["s"])],
            [],
            "no expected id ever came back: returned '17', expected ids look like 'a'",
        ),
        (
            [result(["17"], [], ["s"])],
            [],
            "no expected id ever came back: returned '17', expected ids look like 's'",
        ),
    ],
)
def test_ids_that_share_nothing_are_shown_side_by_side(
    cases: list[CaseResult], memories: list[str], problem: str
) -> None:
    assert mismatch(cases, memories) == problem


@pytest.mark.parametrize(
    ("cases", "memories"),
    [
        ([], ["a"]),
        ([result([], ["a"])], ["a"]),
        ([result(["x"], ["a"]), result(["b"], ["a"])], ["a", "b"]),  # a memory, though not the right one
        ([result(["x"], ["a"]), result(["y", "a"], ["b"])], []),  # expected, though elsewhere
        ([result(["s"], ["a"], ["s"])], []),
        ([result(["x"], {"a": 1, "x": 0})], []),
        ([result(["x"])], []),  # negatives only: nothing is known to look like anything
    ],
)
def test_no_mismatch_where_something_matches_or_nothing_came_back(cases: list[CaseResult], memories: list[str]) -> None:
    assert mismatch(cases, memories) is None


COMPOSED, DECOMPOSED = "r\u00e9sum\u00e9", "re\u0301sume\u0301"


@pytest.mark.parametrize(
    ("returned", "expected", "difference"),
    [
        ("Lease-1", "lease-1", "letter case"),
        ("STRASSE", "straße", "letter case"),
        (" lease-1", "lease-1", "blanks"),
        ("lease-1\n", "lease-1", "blanks"),
        (DECOMPOSED, COMPOSED, "its Unicode form (NFC)"),
        (f"{DECOMPOSED.upper()} ", COMPOSED, "letter case, blanks or Unicode form"),
    ],
)
def test_near_miss_says_what_differs(returned: str, expected: str, difference: str) -> None:
    note = f"returned {returned!r}, which is {expected!r} but for {difference}"
    assert list(near_misses([result([returned], [expected])])) == [note]
    assert list(near_misses([result([returned], [], [expected])])) == [note]


@pytest.mark.parametrize(
    "case",
    [
        result(["lease-10", "lease"], ["lease-1"]),
        result(["lease-1", "LEASE-1"], ["lease-1"]),  # came back itself
        result(["LEASE-1"], {"lease-1": 0}),  # would be no hit
        result(["a", "A"], ["a", "A"]),
        result([], ["lease-1"]),
        result(["LEASE-1"]),
    ],
)
def test_no_near_miss(case: CaseResult) -> None:
    assert list(near_misses([case])) == []


def test_id_that_is_expected_itself_is_no_near_miss_of_another() -> None:
    assert list(near_misses([result(["A"], ["a", "A"])])) == []
    assert list(near_misses([result(["A"], ["a"], ["A"])])) == []


def test_each_near_miss_is_told_once_and_three_at_most() -> None:
    cases = [result([letter.upper() for letter in "abcde"], [letter]) for letter in "aabcde"]
    assert list(near_misses(cases)) == [
        f"returned {letter.upper()!r}, which is {letter!r} but for letter case" for letter in "abc"
    ]
