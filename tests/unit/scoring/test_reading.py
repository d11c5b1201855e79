"""What one query may hold."""

from __future__ import annotations

import math
from collections import deque
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import RecallError, mean_reciprocal_rank, ndcg_at_k, ranking_metrics, recall_at_k

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KINDS = "ids are text or whole numbers, of one kind for all queries"
GRADE = "query 0 in qrels: the grade of 'a' must be a finite number from 0, got"


def generated(ids: tuple[Any, ...]) -> Iterator[Any]:
    yield from ids


@pytest.mark.parametrize("ids", [("b", "a"), (7, 0)])
@pytest.mark.parametrize("kind", [list, tuple, deque, iter, generated])
def test_ranking_of_any_kind_with_an_order(kind: Callable[[Any], Any], ids: tuple[Any, ...]) -> None:
    assert mean_reciprocal_rank([[ids[1]]], [kind(ids)]) == 1 / 2


@pytest.mark.parametrize("ids", [("b", "a"), (7, 0)])
@pytest.mark.parametrize(
    "kind",
    [list, tuple, set, frozenset, deque, iter, generated, lambda ids: {id: 1 for id in ids}.keys()],  # noqa: C420 - ids
)
def test_relevant_ids_of_any_kind(kind: Callable[[Any], Any], ids: tuple[Any, ...]) -> None:
    assert recall_at_k([kind(ids)], [[ids[1]]]) == 1 / 2


@pytest.mark.parametrize("grades", [{"a": 2, "b": 1}, MappingProxyType({"a": 2.0, "b": Fraction(1)})])
def test_grades_of_any_kind(grades: Mapping[str, float]) -> None:
    # 2 in place of 2 + 1 / log2 3.
    assert ndcg_at_k([grades], [["a"]]) == pytest.approx(2 / (2 + 1 / math.log2(3)))


@pytest.mark.parametrize(
    ("judged", "ids", "message"),
    [
        # Ids.
        (["a"], [True], "query 0 in runs: an id is text or a whole number, not bool True"),
        ([1, False], [1], "query 0 in qrels: an id is text or a whole number, not bool False"),
        ({True: 1}, [1], "query 0 in qrels: an id is text or a whole number, not bool True"),
        (["a"], ["a", None], "query 0 in runs: an id is text or a whole number, not NoneType None"),
        ([1], [1.0], "query 0 in runs: an id is text or a whole number, not float 1.0"),
        (["a"], [b"a"], "query 0 in runs: an id is text or a whole number, not bytes b'a'"),
        (["a"], [("a", 0.5)], "query 0 in runs: an id is text or a whole number, not tuple ('a', 0.5)"),
        (["a"], [{"id": "a"}], "query 0 in runs: an id is text or a whole number, not dict {'id': 'a'}"),
        # Of one kind.
        (["1"], [1, "1"], f"query 0: {KINDS}"),
        (["1"], [1], f"query 0: {KINDS}"),
        ({1: 2}, ["1"], f"query 0: {KINDS}"),
        # Collections.
        (["a"], "abc", "query 0 in runs: a bare str 'abc' is no list of ids"),
        ("a", ["a"], "query 0 in qrels: a bare str 'a' is no list of ids"),
        (b"a", ["a"], "query 0 in qrels: a bare bytes b'a' is no list of ids"),
        (["a"], {"a", "b"}, "query 0 in runs: a set has no order; pass the ids best first"),
        (["a"], frozenset("a"), "query 0 in runs: a frozenset has no order; pass the ids best first"),
        (["a"], {"a": 0.5}, "query 0 in runs: a list of ids is needed, not dict"),
        (["a"], None, "query 0 in runs: a list of ids is needed, not NoneType"),
        (3, [3], "query 0 in qrels: a list of ids is needed, not int"),
        # Grades.
        ({"a": -1}, ["a"], f"{GRADE} -1"),
        ({"a": -0.5}, ["a"], f"{GRADE} -0.5"),
        ({"a": math.nan}, ["a"], f"{GRADE} nan"),
        ({"a": math.inf}, ["a"], f"{GRADE} inf"),
        ({"a": "1"}, ["a"], f"{GRADE} '1'"),
        ({"a": None}, ["a"], f"{GRADE} None"),
        ({"a": 1j}, ["a"], f"{GRADE} 1j"),
        ({"a": [1]}, ["a"], f"{GRADE} [1]"),
        ({"a": 10**400}, ("a",), f"{GRADE} 1{'0' * 79}"),
    ],
)
def test_query_is_refused(judged: Any, ids: Any, message: str) -> None:
    def refusal(qrels: Any, runs: Any) -> str:
        with pytest.raises(RecallError) as refused:
            recall_at_k(qrels, runs)
        return str(refused.value)

    assert refusal([judged], [ids]) == message
    assert refusal({"lease?": judged}, {"lease?": ids}) == message.replace("query 0", "query 'lease?'")
    if isinstance(judged, list):
        # Mappings and lists of text are read in one go.
        assert refusal([dict.fromkeys(judged, 1)], [ids]) == message
        if isinstance(judged[0], str):
            assert refusal([{"a": 1}, dict.fromkeys(judged, 1)], [["b"], ids]) == message.replace("query 0", "query 1")


def test_one_bad_query_among_many_is_named() -> None:
    qrels = {f"q{number}": ["a"] for number in range(50)}
    with pytest.raises(RecallError) as refused:
        recall_at_k({**qrels, "q30": {"a": math.nan}}, qrels)
    assert str(refused.value) == "query 'q30' in qrels: the grade of 'a' must be a finite number from 0, got nan"


class Note(str, Enum):
    LEASE = "lease"


class Number(int, Enum):
    SEVEN = 7


@pytest.mark.parametrize(("id", "member"), [("lease", Note.LEASE), (7, Number.SEVEN)])
def test_member_of_an_enumeration_is_its_value(id: Any, member: Any) -> None:
    assert recall_at_k([[member]], [[id]]) == 1
    assert recall_at_k([{id: 1}], [[member]]) == 1
    assert recall_at_k([[id], [id]], [[id], [member]]) == 1


def test_kinds_differ_between_queries() -> None:
    with pytest.raises(RecallError) as refused:
        recall_at_k([["a"], [1]], [["a"], [1]])
    assert str(refused.value) == f"query 1: {KINDS}"


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(RecallError) as refused:
        recall_at_k([["a"]], ["x" * 1000])
    assert str(refused.value) == f"query 0 in runs: a bare str {'x' * 1000!r:.80} is no list of ids"


@pytest.mark.parametrize(
    ("grades", "gain"),
    [({"a": 1.7e308, "b": 1.7e308}, "linear"), ({"a": 1024}, "exponential"), ({"a": 10**400}, "linear")],
)
def test_grades_whose_gains_overflow(grades: dict[str, float], gain: Any) -> None:
    with pytest.raises(RecallError) as refused:
        ranking_metrics([grades], [["a", "b"]], metrics=["ndcg"], gain=gain)
    assert str(refused.value) == "the grades are too large: a sum of their gains is no number"
