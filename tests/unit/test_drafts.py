"""What is made quickly is what the class itself makes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING

import pytest

from pytest_recall.drafts import draft_of, fast
from pytest_recall.evaluation import CaseResult
from pytest_recall.metrics.judged import JudgedRanking, Judgments, fast_judged_ranking, fast_judgments

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A value with every kind of field."""

    x: int
    y: int = 0
    notes: Mapping[str, str] = field(default_factory=dict)
    _seen: int | None = field(default=None, init=False)


def test_the_fast_way_makes_the_same_value() -> None:
    made = fast(Point)(x=1, notes={"a": "b"})
    assert type(made) is Point
    assert made == Point(x=1, notes={"a": "b"})


def test_every_value_has_its_own_defaults() -> None:
    make = fast(Point)
    assert make(x=1).notes is not make(x=1).notes


def test_what_was_made_quickly_is_frozen() -> None:
    made = fast(Point)(x=1)
    with pytest.raises(FrozenInstanceError):
        made.x = 2  # type: ignore[misc]  # what is tested


def test_a_missing_or_unknown_field_is_refused() -> None:
    make = fast(Point)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'x'"):
        make()  # type: ignore[call-arg]  # what is tested
    with pytest.raises(TypeError, match="unexpected keyword argument '_seen'"):
        make(x=1, _seen=2)  # type: ignore[call-arg]  # what is tested


def test_a_draft_takes_its_first_fields_by_position_and_changes_until_it_is_complete() -> None:
    draft = draft_of(Point, "y", "x")(2, 1)
    draft.notes = {"a": "b"}
    draft.__class__ = Point
    assert draft == Point(x=1, y=2, notes={"a": "b"})


def test_a_result_made_quickly_has_every_field_of_a_result() -> None:
    made = fast(CaseResult)(id="q1")
    assert [getattr(made, each.name) for each in fields(CaseResult)] == [
        getattr(CaseResult(id="q1"), each.name) for each in fields(CaseResult)
    ]


def test_what_the_class_computes_is_computed() -> None:
    grades, ranking = {"a": 2.0, "b": 0.5, "c": 1.0}, ["x", "c", "a"]
    judgments = fast_judgments(grades=grades, relevance_threshold=1)
    assert judgments == Judgments(grades=grades, relevance_threshold=1)
    assert judgments.relevant == {"a", "c"}
    judged = fast_judged_ranking(judgments, ranking, answer="yes")
    assert judged == JudgedRanking(judgments, ranking, answer="yes")
    assert judged.relevant_ranks == [2, 3]
