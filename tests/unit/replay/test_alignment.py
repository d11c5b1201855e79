"""Steps beside each other, and longest common subsequences."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from pytest_recall.replay import Capture, LlmStep, ToolStep
from pytest_recall.replay.alignment import common_places, pairs_of
from pytest_recall.replay.driving import _divergences
from pytest_recall.steps import first_divergence

if TYPE_CHECKING:
    from pytest_recall.replay.capture import Step

STEPS: dict[str, Step] = {
    **{name: ToolStep(name=name, arguments={}, output=1) for name in "abc"},
    **{name: LlmStep(request_sha256=name, response={}) for name in "xyz"},
}
runs = st.text("abcxyz", max_size=7)


def pairs(recorded: str, now: str) -> list[tuple[str | None, str | None]]:
    """The names on both sides, without the final texts."""
    capture = Capture(input="?", steps=tuple(STEPS[name] for name in recorded), final_text="!")
    names = {str(step): name for name, step in STEPS.items()}
    *steps, _ = pairs_of(capture, [STEPS[name] for name in now], "!")
    return [(pair.recorded and names[pair.recorded], pair.now and names[pair.now]) for pair in steps]


def test_steps_of_one_kind_that_ask_otherwise_stand_beside_each_other() -> None:
    assert pairs("xay", "xby") == [("x", "x"), ("a", "b"), ("y", "y")]
    assert pairs("xay", "xzy") == [("x", "x"), ("a", None), (None, "z"), ("y", "y")]
    assert pairs("xay", "xaby") == [("x", "x"), ("a", "a"), (None, "b"), ("y", "y")]
    assert pairs("xay", "y") == [("x", None), ("a", None), ("y", "y")]
    assert pairs("", "a") == [(None, "a")]


def test_an_answer_is_that_of_the_recording() -> None:
    steps = (ToolStep(name="a", arguments={}, output={"n": 1}), ToolStep(name="b", arguments={}, error="OSError: off"))
    found = pairs_of(Capture(input="?", steps=steps, final_text="!"), [STEPS["c"]], None)
    assert [pair.answer for pair in found] == ['{"n": 1}', "raised OSError: off", None]


@given(runs, runs)
def test_as_many_steps_as_possible_are_the_same(left: str, right: str) -> None:
    places = common_places(left, right)
    assert [left[one] for one, _ in places] == [right[other] for _, other in places]
    assert all(one < later and other < after for (one, other), (later, after) in pairwise(places))
    subsequences = {"".join(some) for n in range(len(left) + 1) for some in combinations(left, n)}
    of_right = {"".join(some) for n in range(len(right) + 1) for some in combinations(right, n)}
    assert len(places) == max(len(some) for some in subsequences & of_right)


@given(runs, runs)
def test_both_sides_are_whole_and_in_order_and_tell_the_same_first_divergence(recorded: str, now: str) -> None:
    found = pairs(recorded, now)
    assert "".join(one for one, _ in found if one) == recorded
    assert "".join(other for _, other in found if other) == now
    capture = Capture(input="?", steps=tuple(STEPS[name] for name in recorded), final_text="!")
    made = [STEPS[name] for name in now]
    first = next(_divergences(capture.steps, made), None)
    if first is not None:
        assert first_divergence(pairs_of(capture, made, "!")) == first
