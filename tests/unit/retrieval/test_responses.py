"""Responses by their shapes alone; ``tests/ecosystem`` has those of the libraries themselves."""

from __future__ import annotations

import array
import sqlite3
from collections import UserDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.evaluation import Policy
from pytest_recall.retrieval import ACCEPTED, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Require


def ranking(returned: object, **policy: Any) -> tuple[str, ...]:
    return Reader(5, Policy(**policy)).read(returned, "q").ranking


def error_of(returned: object, **policy: Any) -> str:
    with pytest.raises(RetrievalError) as caught:
        ranking(returned, **policy)
    return str(caught.value)


@dataclass
class Hit:
    id: str
    score: float = 0.0


class Fields:
    """An object with the given attributes."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Model(Fields):
    """As pydantic has them: iterating gives names with values."""

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter(self.__dict__.items())


class Keyed:
    """Knows keys without being a mapping, and iterates over them."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._body = body

    def __getitem__(self, key: str) -> Any:
        return self._body[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._body)


class Uuid:
    """As Weaviate has its objects."""

    def __init__(self, uuid: str) -> None:
        self.uuid, self.metadata, self.properties = uuid, Fields(distance=0.1), {"id": "x"}


FOUND = [Hit("b", 0.1), Hit("a", 0.9)]
HITS = [{"_id": "b", "_score": 2.0}, {"_id": "a", "_score": 1.0}]
CHROMA = {"ids": [["b", "a"]], "documents": [["text of b", "text of a"]], "distances": [[0.1, 0.9]], "data": None}


WRAPPED = {
    "haystack": {"documents": FOUND},
    "documents that are ids": {"documents": ["b", "a"]},
    "another mapping": UserDict({"documents": FOUND}),
    "qdrant": Fields(points=FOUND),
    "model that can be iterated": Model(points=FOUND, time=0.1),
    "chroma": CHROMA,
    "ids of one query": {"ids": ["b", "a"]},
    "opensearch": {"took": 3, "hits": {"total": {"value": 2}, "hits": HITS}},
    "hits alone": {"hits": HITS},
    "elasticsearch": Keyed({"took": 3, "hits": {"hits": HITS}}),
    "keyed within keyed": Keyed({"hits": Keyed({"hits": HITS})}),
    "weaviate": Fields(objects=[Uuid("b"), Uuid("a")]),
    "a count beside the results": Fields(points=2, hits=2, results=["b", "a"]),
    "results": {"results": ["b", "a"]},
    "scores in results": {"results": {"a": 0.1, "b": 0.9}},
    "response in results": {"results": {"documents": FOUND}},
    "generator in results": {"results": (id for id in "ba")},
    "results with an answer": Fields(results=[("b", 0.5), ("a", 0.4)], answer="yes"),
    "results with a status": Model(results=FOUND, status="success"),
}


@pytest.mark.parametrize("returned", WRAPPED.values(), ids=WRAPPED)
def test_results_are_found_in_their_wrapping(returned: object) -> None:
    assert ranking(returned) == ("b", "a")


@pytest.mark.parametrize(
    "returned",
    [{"documents": []}, Fields(points=[]), {"ids": [[]]}, {"ids": []}, {"hits": {"hits": []}}, {"results": []}],
)
def test_response_without_results_is_an_answer(returned: object) -> None:
    assert ranking(returned) == ()


def test_score_of_a_search_engine_counts_and_a_distance_does_not() -> None:
    assert ranking({"hits": {"hits": HITS}}, min_score=1.5) == ("b",)
    assert error_of(CHROMA, min_score=0) == "min_score needs scores, and 'b' came back without one"
    rows = [{"id": "b", "_distance": 0.1}]
    assert error_of(rows, min_score=0) == "min_score needs scores, and 'b' came back without one"


def test_mapping_of_numbers_is_one_of_scores_whatever_its_ids() -> None:
    assert ranking({"documents": 0.5, "results": 0.9, "hits": 1}) == ("hits", "results", "documents")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"ids": [["a"], ["b"]]}, "the results of 2 queries came back, and one was asked"),
        ({"documents": "ab"}, f"the retriever returned a bare str, not a list of ids; accepted are {ACCEPTED}"),
        (Fields(points={"a", "b"}), f"the retriever returned a set, which has no order; accepted are {ACCEPTED}"),
        (Fields(points=2), f"the retriever returned an object of type Fields; accepted are {ACCEPTED}"),
        ({"results": None}, f"the results in a dict are None; accepted are {ACCEPTED}"),
        ({"answer": "yes"}, f"a dict with 'answer' has no 'results'; accepted are {ACCEPTED}"),
        ({"status": "success"}, f"a dict with 'status' has no 'results'; accepted are {ACCEPTED}"),
        ({"results": "ab"}, f"the retriever returned a bare str, not a list of ids; accepted are {ACCEPTED}"),
        ({"results": {"a"}}, f"the retriever returned a set, which has no order; accepted are {ACCEPTED}"),
        (Fields(results=3), f"the retriever returned an object of type int; accepted are {ACCEPTED}"),
        ({"results": {"results": ["a"]}}, f"a dict with a score of type list is no ranking; accepted are {ACCEPTED}"),
        (Fields(passages=["a"]), f"the retriever returned an object of type Fields; accepted are {ACCEPTED}"),
        (Model(text="a"), f"a tuple with a score of type str is no ranking; accepted are {ACCEPTED}"),
    ],
)
def test_what_holds_no_results(returned: object, message: str) -> None:
    assert error_of(returned) == message


class Row(NamedTuple):
    text: str
    doc_id: str


def rows(sql: str) -> list[sqlite3.Row]:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


@pytest.mark.parametrize(
    "sql",
    [
        "VALUES ('b'), ('a')",
        "VALUES ('b', 0.1), ('a', 0.9)",
        "SELECT column2 AS text, column1 AS id FROM (VALUES ('b', 'x'), ('a', 'y'))",
        "SELECT column2 AS score, column1 AS key FROM (VALUES ('b', 0.1), ('a', 0.9))",
        "SELECT column1 AS doc_id, 1 AS page, 2 AS line FROM (VALUES ('b'), ('a'))",
    ],
)
def test_row_is_read_by_its_names_else_by_its_places(sql: str) -> None:
    assert ranking(rows(sql)) == ("b", "a")
    assert ranking(iter(rows(sql))) == ("b", "a")
    assert ranking([tuple(row) for row in rows("VALUES ('b'), ('a')")]) == ("b", "a")
    assert ranking([Row("text of b", "b"), Row("text of a", "a")]) == ("b", "a")


def test_row_that_has_no_id_is_an_error() -> None:
    assert error_of(rows("SELECT 'x' AS text, 'y' AS title, 3 AS page")) == (
        f"a result of type Row (keys: text, title, page) has no id; accepted are {ACCEPTED}"
    )


def test_object_with_its_score_beside_it() -> None:
    hit = Fields(id=None, metadata={"source": "b"})
    assert ranking([(hit, 0.9)], min_score=0.5) == ("b",)
    assert ranking([({"id": "b", "score": 0.1}, 0.9)], min_score=0.5) == ("b",)
    assert error_of([("a", 0.5), (Fields(text=""), 0.9)]) == (
        f"a result of type Fields has no id; accepted are {ACCEPTED}"
    )


class Frame:
    """A table of a library: iterating gives the names of its columns."""

    def __iter__(self) -> Iterator[str]:
        return iter(["id", "text"])


ROWS = [{"id": "b", "text": "x"}, {"id": "a", "text": "y"}]


class Arrow(Frame):
    def to_pylist(self) -> list[dict[str, str]]:
        return ROWS


class Polars(Frame):
    def to_dicts(self) -> list[dict[str, str]]:
        return ROWS


class Pandas(Frame):
    iterrows = None

    def to_dict(self, orient: str) -> list[dict[str, str]]:
        assert orient == "records"
        return ROWS


@pytest.mark.parametrize("table", [Arrow(), Polars(), Pandas()], ids=lambda table: type(table).__name__)
def test_table_is_read_by_rows(table: object) -> None:
    assert ranking(table) == ("b", "a")


def test_padding_is_dropped_from_arrays_alone() -> None:
    assert ranking(array.array("q", [3, -1, 2, -1])) == ("3", "2")
    assert ranking([3, -1, 2]) == ("3", "-1", "2")


def test_arrays_of_numpy(require: Require) -> None:
    np = require.library("numpy")
    for returned in (
        np.array(["b", "a"]),
        np.array(["b", "a"], dtype=object),
        np.array([["b"], ["a"]]),
        np.array([("b", 0.1), ("a", 0.9)], dtype=[("key", "U1"), ("score", "f4")]),
        tuple(np.array(["b", "a"])),
        [("b", np.float32(0.1)), ("a", np.float32(0.9))],
        {"b": np.float32(0.9), "a": np.float64(0.1)},
        {"results": np.array(["b", "a"])},
    ):
        assert ranking(returned) == ("b", "a")
    for returned in (np.array([7, -1, 0]), np.array([[7, 0, -1]]), [np.int64(7), np.int32(0)], tuple(np.array([7, 0]))):
        assert ranking(returned) == ("7", "0")
    assert ranking(np.array([], dtype=int)) == ()
    assert error_of(np.array([0.5, 0.1])) == "an id is text or a whole number, not float 0.5"
    assert error_of([np.float32(0.5)]).startswith("an id is text or a whole number, not float32 ")
    assert error_of(np.array(7)) == f"the retriever returned an object of type ndarray; accepted are {ACCEPTED}"
    assert error_of(np.int64(7)) == f"the retriever returned an object of type int64; accepted are {ACCEPTED}"
    assert error_of(np.str_("ab")).startswith("the retriever returned a bare str_")


@pytest.mark.parametrize("depth", [1, 2])
def test_two_arrays_are_ids_and_distances_in_either_order(require: Require, depth: int) -> None:
    np = require.library("numpy")
    shape = (1, -1)[2 - depth :]
    distances, numbers = np.array([0.1, 0.2, 9.0]).reshape(shape), np.array([4, 2, -1]).reshape(shape)
    texts, scores = np.array(["b", "a", "c"]).reshape(shape), np.array([0.9, 0.5, 0.1]).reshape(shape)
    assert ranking((distances, numbers)) == ranking((numbers, distances)) == ("4", "2")
    assert ranking((texts, distances)) == ("b", "a", "c")
    assert error_of((distances, numbers), min_score=0) == "min_score needs scores, and '4' came back without one"
    assert ranking(Fields(documents=texts, scores=scores), min_score=0.4) == ("b", "a")
    either = "two arrays came back, and {} may be the ids; return the ids alone, or pairs"
    assert error_of((numbers, numbers)) == either.format("either")
    assert error_of((distances, scores)) == either.format("neither")
    assert ranking((distances[:, :0], numbers[:, :0]) if depth == 2 else (distances[:0], numbers[:0])) == ()


def test_series_and_tables_of_pandas(require: Require) -> None:
    pd = require.library("pandas")
    assert ranking(pd.Series(["b", "a"], index=["id", "points"])) == ("b", "a")
    assert ranking(pd.Series([3, -1, 2])) == ("3", "2")
    assert ranking(pd.Index(["b", "a"])) == ("b", "a")
    frame = pd.DataFrame({"id": [2, 1], "text": ["x", "y"], "score": [0.9, 0.1]})
    assert ranking(frame) == ranking([row for _, row in frame.iterrows()]) == ("2", "1")
    assert ranking(frame, min_score=0.5) == ("2",)
    assert ranking(frame[["text", "id"]].head(0)) == ()
    assert error_of(frame[["text", "score"]]) == (
        f"a result of type dict (keys: text, score) has no id; accepted are {ACCEPTED}"
    )
