from __future__ import annotations

from enum import Enum, auto
from typing import Any

import pytest

from pytest_recall.errors import DegradedError
from pytest_recall.evaluation import Policy
from pytest_recall.retrieval import Reader, Reading


class Status(Enum):
    SUCCESS = auto()
    PARTIAL = auto()


class Word(str, Enum):
    OK = "success"


def read(returned: object, **more: Any) -> Reading:
    return Reader(3, Policy(), **more).read(returned, "q")


@pytest.mark.parametrize(
    ("status", "told"),
    [(None, None), ("success", "success"), ("Success", "Success"), (Status.SUCCESS, "SUCCESS"), (Word.OK, "success")],
)
def test_success_is_no_degradation(status: object, told: str | None) -> None:
    assert read({"results": ["a"], "status": status}) == Reading(ranking=("a",), status=told)


@pytest.mark.parametrize(
    ("status", "told"), [("partial", "partial"), ("", ""), (Status.PARTIAL, "PARTIAL"), (503, "503"), (False, "False")]
)
def test_any_other_status_is_an_error_that_knows_it(status: object, told: str) -> None:
    with pytest.raises(DegradedError) as raised:
        read({"results": ["a"], "status": status})
    assert raised.value.status == told
    assert str(raised.value) == (
        f"the response is degraded: its status is {told!r}, not 'success' (on_degraded 'warn' scores it all the same)"
    )


def test_degraded_response_is_scored_under_warn_and_counted() -> None:
    reader = Reader(3, Policy(), on_degraded="warn")
    statuses = ["partial", "timeout", "success", "partial"]
    readings = [reader.read({"results": [str(place)], "status": each}, "q") for place, each in enumerate(statuses)]
    assert [(reading.ranking, reading.status) for reading in readings] == [
        (("0",), "partial"),
        (("1",), "timeout"),
        (("2",), "success"),
        (("3",), "partial"),
    ]
    assert reader.notes == ("3 degraded responses scored all the same, by status: 'partial' 2, 'timeout' 1",)


def test_status_of_what_has_no_results_says_nothing() -> None:
    assert read({"documents": ["a"], "status": "partial"}) == Reading(ranking=("a",))


@pytest.mark.parametrize(("answer", "kept"), [("42 days", "42 days"), (None, None), ({"text": "42"}, None)])
def test_answer_is_kept_where_it_is_text(answer: object, kept: str | None) -> None:
    assert read({"results": ["a"], "answer": answer}).answer == kept


def test_adapt_is_asked_before_anything_else() -> None:
    asked: list[tuple[object, str]] = []

    def adapt(returned: object, query: str) -> object:
        asked.append((returned, query))
        return {"a": 0.1, "b": 0.9} if returned is None else None

    assert read(None, adapt=adapt).ranking == ("b", "a")
    assert read(["c"], adapt=adapt).ranking == ("c",)
    assert asked == [(None, "q"), (["c"], "q")]


def test_place_of_the_ids_is_told_once_and_before_the_degraded() -> None:
    reader = Reader(3, Policy(), on_degraded="warn")
    for name in "ab":
        reader.read({"results": [{"payload": {"key": name}}], "status": "partial"}, "q")
    assert reader.notes == (
        'ids taken from payload["key"]',
        "2 degraded responses scored all the same, by status: 'partial' 2",
    )
