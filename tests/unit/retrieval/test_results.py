from __future__ import annotations

import asyncio
import collections
import math
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval import ACCEPTED
from pytest_recall.retrieval.responses import open_returned
from pytest_recall.retrieval.results import ResultReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Iterator

Hit = tuple[str, "float | None"]


def hits(returned: object, reader: ResultReader | None = None) -> list[Hit]:
    ids, scores = (reader or ResultReader()).read([*open_returned(returned).results])
    return list(zip(ids, scores, strict=True))


def ids(returned: object) -> list[str]:
    return [id for id, _ in hits(returned)]


def error_of(returned: object) -> str:
    with pytest.raises(RetrievalError) as caught:
        hits(returned)
    return str(caught.value)


class Index:
    """A whole number that is no int, as array libraries have them."""

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value

    def __float__(self) -> float:
        return float(self._value)

    def __repr__(self) -> str:
        return f"Index({self._value})"


class Real:
    """A number that is no float, as array libraries have them."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __float__(self) -> float:
        return self._value

    def __repr__(self) -> str:
        return f"Real({self._value})"


class Series:
    """Values behind an index, of which nobody can say whether it is true."""

    def __init__(self, *values: object) -> None:
        self._values = values

    def __iter__(self) -> Iterator[object]:
        return iter(self._values)

    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")

    def keys(self) -> range:
        return range(len(self._values))


class Array:
    """A row of an array: neither one whole number nor one score."""

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __float__(self) -> float:
        raise TypeError("only length-1 arrays can be converted")

    def __repr__(self) -> str:
        return "Array"


class Color(str, Enum):
    RED = "red"


@dataclass
class Found:
    id: Any
    score: Any = None


class Pair(NamedTuple):
    id: str
    score: float


class Row(NamedTuple):
    memory: str
    cosine: float


class Wide(NamedTuple):
    score: float
    id: str
    text: str


class WithMetadata:
    """An object such as a LangChain document, whose own id may be None."""

    def __init__(self, metadata: object, id: str | None = None) -> None:
        self.metadata = metadata
        self.id = id


KEY = UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("a", "a"),
        (" a ", " a "),
        ("é", "é"),
        ("01", "01"),
        (1, "1"),
        (-1, "-1"),
        (10**20, "100000000000000000000"),
        (Index(7), "7"),
        (KEY, "12345678-1234-5678-1234-567812345678"),
        (Color.RED, "red"),
    ],
)
def test_each_id_becomes_text(id: object, text: str) -> None:
    assert hits([id]) == [(text, None)]
    assert hits([(id,)]) == [(text, None)]
    assert hits([(id, 0.5)]) == [(text, 0.5)]
    assert hits({id: 0.5}) == [(text, 0.5)]
    assert hits([{"id": id, "score": 0.5}]) == [(text, 0.5)]
    assert type(ids([id])[0]) is str


@pytest.mark.parametrize(
    "returned",
    [
        ["b", "a", "c"],
        ("b", "a", "c"),
        collections.deque(["b", "a", "c"]),
        (id for id in "bac"),
        iter(["b", "a", "c"]),
        Series("b", "a", "c"),
        {"b": 1, "a": 1, "c": 1}.keys(),
        [("b",), ("a",), ("c",)],
        [["b"], ["a"], ["c"]],
        [("b", 0.1), ("a", 0.9), ("c", 0.5)],
        [["b", 0.1], ["a", 0.9], ["c", 0.5]],
        [Pair("b", 0.1), Pair("a", 0.9), Pair("c", 0.5)],
        [Row("b", 0.1), Row("a", 0.9), Row("c", 0.5)],
        [Found("b", 0.1), Found("a", 0.9), Found("c", 0.5)],
        [{"id": "b"}, {"id": "a"}, {"id": "c"}],
        [Wide(0.1, "b", ""), Wide(0.9, "a", ""), Wide(0.5, "c", "")],
    ],
)
def test_sequence_is_the_ranking_whatever_its_scores(returned: object) -> None:
    assert ids(returned) == ["b", "a", "c"]


@pytest.mark.parametrize("returned", [[], (), iter(()), Series(), {}])
def test_nothing_came_back(returned: object) -> None:
    assert hits(returned) == []


@pytest.mark.parametrize(
    ("score", "number"),
    [(1, 1.0), (-0.5, -0.5), (Decimal("0.25"), 0.25), (Fraction(1, 4), 0.25), (Real(0.5), 0.5), (Index(2), 2.0)],
)
def test_score_is_any_number(score: object, number: float) -> None:
    assert hits([("a", score)]) == [("a", number)]
    assert hits([(3, score)]) == [("3", number)]
    assert hits({"a": score}) == [("a", number)]
    assert hits([Found("a", score)]) == [("a", number)]
    assert type(hits([("a", score)])[0][1]) is float


@pytest.mark.parametrize("score", [None, "0.9", True, [0.9], Array(), 10**400])
def test_score_of_an_object_that_is_no_number_is_none(score: object) -> None:
    assert hits([Found("a", score)]) == [("a", None)]


def test_mapping_is_sorted_by_score_descending_then_id_ascending() -> None:
    assert hits({"c": 0.1, "b": 0.8, "a": 0.9}) == [("a", 0.9), ("b", 0.8), ("c", 0.1)]
    assert ids({"c": 1, "a": 1, "b": 1, "d": 2}) == ["d", "a", "b", "c"]
    assert ids({10: 1, 9: 1, 2: 1}) == ["10", "2", "9"]  # as text
    assert ids({"low": -math.inf, "high": math.inf, "zero": 0}) == ["high", "zero", "low"]


def test_nan_of_a_mapping_goes_last() -> None:
    nan = math.nan
    assert ids({"d": nan, "a": 0.1, "c": nan, "b": 0.9}) == ["b", "a", "c", "d"]


def test_nan_keeps_its_place_and_is_told_once() -> None:
    reader = ResultReader()
    assert [id for id, _ in hits([("a", 0.1), ("b", math.nan), ("c", 0.9)], reader)] == ["a", "b", "c"]
    assert [id for id, _ in hits({"d": math.nan}, reader)] == ["d"]
    assert reader.notes == ["NaN scores came back, first that of 'b'"]


@pytest.mark.parametrize("field", ["id", "key", "_id", "doc_id", "docid", "node_id", "chunk_id", "uuid"])
def test_id_of_an_object_or_mapping_by_field(field: str) -> None:
    reader = ResultReader()
    result = {field: "a", "score": 0.5, "text": "x"}
    assert hits([result, collections.UserDict(result)], reader) == [("a", 0.5), ("a", 0.5)]
    assert hits([type("Hit", (), result)()]) == [("a", 0.5)]
    assert reader.notes == []


@pytest.mark.parametrize("outer", ["metadata", "payload"])
@pytest.mark.parametrize("inner", ["id", "key", "source"])
def test_id_inside_metadata_or_payload_is_told_once(outer: str, inner: str) -> None:
    reader = ResultReader()
    result = {outer: {inner: "a"}, "id": None, "score": 0.5}
    assert hits([result, type("Hit", (), result)()], reader) == [("a", 0.5), ("a", 0.5)]
    assert hits([result], reader) == [("a", 0.5)]
    assert reader.notes == [f'ids taken from {outer}["{inner}"]']


def test_earlier_field_wins() -> None:
    assert ids([{"key": "k", "id": "i"}]) == ["i"]
    assert ids([{"uuid": "u", "metadata": {"id": "m"}}]) == ["u"]
    assert ids([{"payload": {"id": "p"}, "metadata": {"source": "s", "key": "k"}}]) == ["k"]
    assert ids([WithMetadata({"source": "s"}, id="d")]) == ["d"]
    assert ids([WithMetadata({"source": "s"})]) == ["s"]


def test_place_of_the_first_result_holds_for_the_whole_suite() -> None:
    reader = ResultReader()
    assert hits([{"key": "a"}, {"key": "b", "id": "x"}], reader) == [("a", None), ("b", None)]
    assert hits([{"key": "c", "id": "y"}], reader) == [("c", None)]
    with pytest.raises(RetrievalError) as caught:
        hits([{"id": "z"}], reader)
    assert str(caught.value) == "a result of type dict has no key, where the results before it had their id"


def test_result_without_the_nested_place_is_an_error() -> None:
    first = WithMetadata({"source": "a"})
    for other in (WithMetadata({}), WithMetadata(None), WithMetadata({"id": "b"}), object()):
        kind = type(other).__name__
        message = f'a result of type {kind} has no metadata["source"], where the results before it had their id'
        assert error_of([first, other]) == message


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, f"the retriever returned None (missing return?); accepted are {ACCEPTED}"),
        ("ab", f"the retriever returned a bare str, not a list of ids; accepted are {ACCEPTED}"),
        ("", f"the retriever returned a bare str, not a list of ids; accepted are {ACCEPTED}"),
        (b"ab", f"the retriever returned a bare bytes, not a list of ids; accepted are {ACCEPTED}"),
        (bytearray(b"ab"), f"the retriever returned a bare bytearray, not a list of ids; accepted are {ACCEPTED}"),
        ({"a", "b"}, f"the retriever returned a set, which has no order; accepted are {ACCEPTED}"),
        (frozenset("a"), f"the retriever returned a frozenset, which has no order; accepted are {ACCEPTED}"),
        (3, f"the retriever returned an object of type int; accepted are {ACCEPTED}"),
        (True, f"the retriever returned an object of type bool; accepted are {ACCEPTED}"),
        (object(), f"the retriever returned an object of type object; accepted are {ACCEPTED}"),
        (len, f"the retriever returned an object of type builtin_function_or_method; accepted are {ACCEPTED}"),
        ([None], "an id is text or a whole number, not None"),
        ([True], "an id is text or a whole number, not bool True"),
        ([10**5000], "an id is text or a whole number, not one of thousands of digits"),
        ([{"id": 10**5000}], "an id is text or a whole number, not one of thousands of digits"),
        ({10**5000: 1.0}, "an id is text or a whole number, not one of thousands of digits"),
        ([1.0], "an id is text or a whole number, not float 1.0"),
        ([Array()], "an id is text or a whole number, not Array Array"),
        ([""], "an empty id came back"),
        (["a", ""], "an empty id came back"),
        ([("", 0.5)], "an empty id came back"),
        ([{"id": ""}], "an empty id came back"),
        ([{"id": True}], "an id is text or a whole number, not bool True"),
        ([{"id": 1.5}], "an id is text or a whole number, not float 1.5"),
        ([{"id": ["a"]}], "an id is text or a whole number, not list ['a']"),
        ({None: 0.5}, "an id is text or a whole number, not None"),
        ({True: 0.5}, "an id is text or a whole number, not bool True"),
        ([(True, 0.5)], "an id is text or a whole number, not bool True"),
        ([(None, 0.5)], "an id is text or a whole number, not None"),
        ([(0.9, 0.8)], "an id is text or a whole number, not float 0.9"),
        ([("a" * 5, "b" * 100)], f"a tuple with a score of type str is no ranking; accepted are {ACCEPTED}"),
        ([("a", None)], f"a tuple with a score of type NoneType is no ranking; accepted are {ACCEPTED}"),
        ([(3, None)], f"a tuple with a score of type NoneType is no ranking; accepted are {ACCEPTED}"),
        ([["a", True]], f"a list with a score of type bool is no ranking; accepted are {ACCEPTED}"),
        ({"a": "high"}, f"a dict with a score of type str is no ranking; accepted are {ACCEPTED}"),
        ({"a": 0.5, "b": None}, f"a dict with a score of type NoneType is no ranking; accepted are {ACCEPTED}"),
        ({"passages": []}, f"a dict with a score of type list is no ranking; accepted are {ACCEPTED}"),
        ([(0.9, "a")], "a pair of types (float, str) looks like (score, id); return (id, score)"),
        ([(9, "a")], "a pair of types (int, str) looks like (score, id); return (id, score)"),
        ([[Real(0.9), "a"]], "a pair of types (Real, str) looks like (score, id); return (id, score)"),
        ([(0.9, KEY)], "a pair of types (float, UUID) looks like (score, id); return (id, score)"),
        ([(0.9, Found("a"))], "a pair of types (float, Found) looks like (score, id); return (id, score)"),
        ([(0.9, 3)], "a pair of types (float, int) looks like (score, id); return (id, score)"),
        ([()], "a result with 0 fields is no (id, score) pair"),
        ([("a", 0.9, "text")], "a result with 3 fields is no (id, score) pair"),
        ([(0.9, "a", "text")], "a result with 3 fields is no (id, score) pair"),
        ([{}], f"a result of type dict has no id; accepted are {ACCEPTED}"),
        ([{"name": "a"}], f"a result of type dict (keys: name) has no id; accepted are {ACCEPTED}"),
        ([b"a"], "an id is text or a whole number, not bytes b'a'"),
        ([PurePosixPath("a")], "an id is text or a whole number, not PurePosixPath PurePosixPath('a')"),
        ([object()], f"a result of type object has no id; accepted are {ACCEPTED}"),
        ([{"a"}], f"a result of type set has no id; accepted are {ACCEPTED}"),
    ],
)
def test_what_is_no_ranking(returned: object, message: str) -> None:
    assert error_of(returned) == message


def test_two_whole_numbers_are_id_and_score() -> None:
    assert hits([(9, 3), (3, 9)]) == [("9", 3.0), ("3", 9.0)]


def test_long_values_are_cut_in_messages() -> None:
    assert error_of([{"id": ["x" * 500]}]) == f"an id is text or a whole number, not list {repr(['x' * 500])[:80]}"


async def coroutine() -> list[str]:
    return ["a"]


async def generator() -> AsyncIterator[str]:
    yield "a"


class Awaitable:
    def __await__(self) -> Generator[Any, None, list[str]]:
        return coroutine().__await__()


def refusal(kind: str) -> str:
    return (
        f"the retriever is asynchronous (it returned an object of type {kind}): "
        f"declare `async: true` in the suite, or await it where it is called"
    )


@pytest.mark.parametrize(
    ("make", "kind"), [(coroutine, "coroutine"), (generator, "async_generator"), (Awaitable, "Awaitable")]
)
def test_asynchronous_result_is_refused_without_a_warning(make: Any, kind: str) -> None:
    assert error_of(make()) == refusal(kind)


def test_future_is_asynchronous_though_it_can_be_iterated() -> None:
    loop = asyncio.new_event_loop()
    try:
        message = error_of(loop.create_future())
    finally:
        loop.close()
    assert message == refusal("Future")


def test_error_of_a_lazy_object_is_the_users_own() -> None:
    class Lazy:
        @property
        def id(self) -> str:
            raise LookupError("index closed")

    with pytest.raises(LookupError, match="index closed"):
        hits([Lazy()])


def test_what_came_back_is_copied_at_once() -> None:
    returned = [{"id": "a", "score": 0.5}]
    found = hits(returned)
    returned[0]["id"] = "b"
    assert found == [("a", 0.5)]
