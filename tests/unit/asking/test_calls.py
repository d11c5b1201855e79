from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.asking import Question
from pytest_recall.errors import RetrievalError
from tests.unit.asking.builders import asker, questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_recall.asking import Reply


def one(search: Callable[..., Any], **more: Any) -> Reply:
    (reply,) = asker(search, **more)(tuple(questions("q")))
    return reply


def test_reply_holds_what_was_returned_or_raised() -> None:
    error = LookupError("closed")

    def search(query: str) -> list[str]:
        if query == "broken":
            raise error
        return [query]

    ask = asker(search)
    (fine,), (broken,) = ask((Question("fine", {}),)), ask((Question("broken", {}),))
    assert (fine.returned, fine.error) == (["fine"], None)
    assert fine.latency_ms is not None
    assert (broken.returned, broken.error, broken.latency_ms) == (None, error, None)


def test_a_call_that_ends_the_program_failed_at_its_question() -> None:
    reply = one(lambda _: sys.exit(3))
    assert str(reply.error) == "SystemExit: 3"


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_what_is_about_more_than_a_question_is_not_caught(error: type[BaseException]) -> None:
    def search(_query: str) -> list[str]:
        raise error

    with pytest.raises(error):
        one(search)


def test_list_is_kept_as_it_is_now() -> None:
    shared = {"list": ["a"], "dict": {"a": 0.5}}
    replies = [one(lambda _, name=name: shared[name]) for name in shared]
    shared["list"].append("b")  # type: ignore[attr-defined]
    shared["dict"].clear()  # type: ignore[attr-defined]
    assert [reply.returned for reply in replies] == [["a"], {"a": 0.5}]


PARTS = ["a#1", "a#2", "b#1", "b#2", "c#1", "d#1"]


@pytest.mark.parametrize(
    ("policy", "read"),
    [
        ({}, 2),
        # Two distinct ids, whatever is between.
        ({"duplicates": "first", "id_from": "^(.)"}, 3),
    ],
)
def test_generator_is_drained_as_far_as_the_ranking_needs(policy: dict[str, Any], read: int) -> None:
    taken = count()

    def search(_query: str) -> Iterator[str]:
        for id in PARTS:
            next(taken)
            yield id

    assert one(search, k=2, **policy).returned == PARTS[:read]
    assert next(taken) == read


def test_generator_of_no_results_is_drained_for_whoever_understands_them() -> None:
    things = [object() for _ in range(5)]
    reply = one(lambda _: iter(things), k=3, duplicates="first")
    assert reply.returned == things[:3]


def test_error_of_a_generator_is_that_of_its_question() -> None:
    def search(_query: str) -> Iterator[str]:
        yield "a"
        raise LookupError("closed")

    assert repr(one(search).error) == "LookupError('closed')"


class Batches:
    """Answers with the batch that it got."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], int, str]] = []

    def search_batch(self, queries: list[str], k: int, user: str = "") -> list[list[str]]:
        self.asked.append((queries, k, user))
        return [[query] for query in queries]


def test_batch_goes_to_its_own_method_with_k_and_one_set_of_arguments() -> None:
    index = Batches()
    asked = [*questions("abc"), Question("d", {"user": "alice"}), Question("e", {"user": "alice"}), Question("f", {})]
    ask = asker(index, batch=2)
    replies = [reply for call in ask.calls(asked) for reply in ask(call)]
    assert index.asked == [
        (["a", "b"], 10, ""),
        (["c"], 10, ""),
        (["d", "e"], 10, "alice"),
        (["f"], 10, ""),
    ]
    assert [reply.returned for reply in replies] == [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
    assert {reply.latency_ms for reply in replies} == {None}


class Batch:
    """A retriever of LangChain's kind."""

    def __init__(self, returned: Any) -> None:
        self.returned = returned

    def invoke(self, query: str) -> list[str]:
        return [query]

    def batch(self, queries: list[str], config: object = None, **_more: Any) -> Any:  # noqa: ARG002 - LangChain's own
        if isinstance(self.returned, Exception):
            raise self.returned
        return self.returned


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        ([["a"]], "a batch of 2 brought 1 result; each query needs one"),
        ([["a"]] * 3, "a batch of 2 brought more than 2 results; each query needs one"),
        (count(), "a batch of 2 brought more than 2 results; each query needs one"),
        (None, "a batch of 2 brought an object of type NoneType, not one result a query"),
        ("ab", "a batch of 2 brought an object of type str, not one result a query"),
        ({"q": ["a"]}, "a batch of 2 brought an object of type dict, not one result a query"),
        (LookupError("closed"), "closed"),
    ],
)
def test_error_in_a_batch_is_that_of_every_query(returned: Any, error: str) -> None:
    replies = asker(Batch(returned), batch=5)(tuple(questions("ab")))
    assert [str(reply.error) for reply in replies] == [error, error]


def test_batch_of_generators_is_drained() -> None:
    replies = asker(Batch(iter([iter("abc"), iter("de")])), batch=5, k=2)(tuple(questions("xy")))
    assert [reply.returned for reply in replies] == [["a", "b"], ["d", "e"]]


@pytest.mark.parametrize(
    ("retriever", "error"),
    [
        (len, "batch needs a retriever with search_batch or batch, not builtin_function_or_method"),
        (Batch([]).invoke, "batch needs a retriever with search_batch or batch, not method; return the Batch itself"),
    ],
)
def test_retriever_without_a_method_for_batches_is_refused(retriever: object, error: str) -> None:
    with pytest.raises(RetrievalError) as caught:
        asker(retriever, batch=2)
    assert str(caught.value) == error
