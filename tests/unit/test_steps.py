"""Where two runs differ first, and how both sides are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_recall.steps import Divergence, StepPair, beside, first_divergence

if TYPE_CHECKING:
    from pytest_recall.steps import Kind


def pair(recorded: str | None, now: str | None, kind: Kind = "tool") -> StepPair:
    return StepPair(kind=kind, recorded=recorded, now=now, same=recorded == now)


FINAL = pair("!", "!", "final")


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([FINAL], "None"),
        ([pair("a", "a"), FINAL], "None"),
        ([pair("a", "a"), pair("b", "c"), pair("d", "e"), FINAL], "step 2: recorded b, now c"),
        # A step that was put in stands at the place of the next one that was recorded, and the other way round.
        ([pair(None, "c"), pair("b", "b"), FINAL], "step 1: recorded b, now c"),
        ([pair("b", None), pair("c", "c"), FINAL], "step 1: recorded b, now c"),
        ([pair("a", "a"), pair("b", None), FINAL], "step 2: recorded b, now the end"),
        ([pair(None, "b"), FINAL], "step 1: recorded the end, now b"),
        ([pair("a", "a"), pair("!", "?", "final")], "the final text: recorded '!', now '?'"),
        ([pair("!", None, "final")], "the final text: recorded '!', now nothing"),
        ([pair("a\x1b[31m", "b"), FINAL], r"step 1: recorded a\x1b[31m, now b"),
    ],
)
def test_the_first_divergence(pairs: list[StepPair], told: str) -> None:
    assert str(first_divergence(pairs)) == told


def test_long_texts_are_cut_around_where_they_differ() -> None:
    divergence = Divergence(step=1, kind="tool", recorded="x" * 500 + "a", now="x" * 500 + "b" * 200)
    # A third of 100 characters comes before the difference.
    assert divergence.sides == ("…" + "x" * 33 + "a", "…" + "x" * 33 + "b" * 67 + "…")


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("abc", "abd", ("abc", "abd")),
        ("abc", None, ("abc", None)),
        ("a" * 9, "a" * 9, ("…" + "a" * 2, "…" + "a" * 2)),
        ("abcdefghij", "abcdefghij!", ("…ij", "…ij!")),
        ("xabcdefghi", "yabcdefghi", ("xabcde…", "yabcde…")),
    ],
)
def test_two_texts_beside_each_other(one: str, other: str | None, shown: tuple[str, str | None]) -> None:
    assert beside(one, other, 6) == shown
