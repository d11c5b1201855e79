from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.retrieval import Caller
from pytest_recall.retrieval.calling import CLASSIFIER, K_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable


def call(retriever: object, **args: Any) -> Any:
    """What the retriever makes of the query "q" and k = 7."""
    return Caller.of(retriever)("q", 7, args)


def error_of(retriever: object, **args: Any) -> str:
    with pytest.raises(RetrievalError) as caught:
        call(retriever, **args)
    return str(caught.value)


class Methods:
    """Answers with the name of the method that was called."""

    def __init__(self, *names: str) -> None:
        for name in names:
            setattr(self, name, functools.partial(self.answer, name))

    def answer(self, name: str, query: str, k: int) -> tuple[str, str, int]:
        return name, query, k


class CallableIndex:
    def __call__(self, query: str, k: int) -> tuple[str, str, int]:
        return "call", query, k

    def search(self, query: str, k: int) -> tuple[str, str, int]:
        return "search", query, k

    @classmethod
    def from_class(cls, query: str, k: int) -> tuple[str, str, int]:
        return cls.__name__, query, k

    @staticmethod
    def static(query: str, k: int) -> tuple[str, str, int]:
        return "static", query, k


def function(query: str, k: int) -> tuple[str, str, int]:
    return "function", query, k


def of_index(index: str, query: str, k: int = 3) -> tuple[str, str, int]:
    return index, query, k


@functools.wraps(function)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


@pytest.mark.parametrize(
    ("retriever", "name"),
    [
        (function, "function"),
        (wrapped, "function"),
        (lambda query, k: ("lambda", query, k), "lambda"),
        (functools.partial(of_index, "partial"), "partial"),
        (functools.partial(of_index, "k of a partial", k=5), "k of a partial"),
        (CallableIndex().search, "search"),
        (CallableIndex.from_class, "CallableIndex"),
        (CallableIndex.static, "static"),
        (CallableIndex(), "call"),
        (Methods("search"), "search"),
        (Methods("invoke"), "invoke"),
        (Methods("retrieve"), "retrieve"),
        (Methods("retrieve", "invoke", "search"), "search"),
        (Methods("retrieve", "invoke"), "invoke"),
    ],
)
def test_forms_of_a_retriever(retriever: object, name: str) -> None:
    assert call(retriever) == (name, "q", 7)


def by_each_k_name() -> list[Callable[..., Any]]:
    return [
        lambda q, k: (q, k),
        lambda q, top_k: (q, top_k),
        lambda q, topk: (q, topk),
        lambda q, limit: (q, limit),
        lambda q, n_results: (q, n_results),
        lambda q, n: (q, n),
        lambda q, size: (q, size),
    ]


@pytest.mark.parametrize("retriever", by_each_k_name(), ids=K_NAMES)
def test_k_goes_to_the_parameter_of_that_name(retriever: Callable[..., Any]) -> None:
    assert call(retriever) == ("q", 7)


def keyword_k(query: str, *, k: int = 3) -> tuple[str, int]:
    return query, k


def far_k(query: str, fuzzy: bool = False, size: int = 3) -> tuple[str, bool, int]:  # noqa: FBT001, FBT002 - as found
    return query, fuzzy, size


def two_ks(query: str, limit: int = 1, k: int = 2) -> tuple[str, int, int]:
    return query, limit, k


def no_k(query: str, cutoff: int = 3) -> tuple[str, int]:
    return query, cutoff


def query_alone(query: str) -> str:
    return query


def positional(query: str, k: int, /) -> tuple[str, int]:
    return query, k


def positional_k_first(query: str, n: int, /, limit: int = 3) -> tuple[str, int, int]:
    return query, n, limit


def other_positional(query: str, cutoff: int = 3, /, k: int = 4) -> tuple[str, int, int]:
    return query, cutoff, k


def positional_query(query: str, /, *, k: int = 3, **more: Any) -> tuple[str, int, Any]:
    return query, k, more


def keywords_only(*, query: str, top_k: int) -> tuple[str, int]:
    return query, top_k


def starred_keywords_only(*rest: Any, query: str, top_k: int) -> tuple[Any, str, int]:
    return rest, query, top_k


def any_keywords(**keywords: Any) -> dict[str, Any]:
    return keywords


def anything(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
    return args, kwargs


def query_named_like_k(n: str, k: int = 3) -> tuple[str, int]:
    return n, k


def query_named_like_k_alone(size: str) -> str:
    return size


@pytest.mark.parametrize(
    ("retriever", "returned"),
    [
        (keyword_k, ("q", 7)),
        (far_k, ("q", False, 7)),
        (two_ks, ("q", 1, 7)),
        (no_k, ("q", 3)),
        (query_alone, "q"),
        (positional, ("q", 7)),
        (positional_k_first, ("q", 7, 3)),
        (other_positional, ("q", 3, 7)),
        (positional_query, ("q", 7, {})),
        (keywords_only, ("q", 7)),
        (starred_keywords_only, ((), "q", 7)),
        (any_keywords, {"query": "q"}),
        (anything, (("q",), {})),
        (query_named_like_k, ("q", 7)),
        (query_named_like_k_alone, "q"),
    ],
)
def test_places_for_the_query_and_k(retriever: Callable[..., Any], returned: object) -> None:
    assert call(retriever) == returned


def test_without_a_readable_signature_the_query_goes_alone() -> None:
    class Unreadable:
        __signature__ = 0

        def __call__(self, *args: Any) -> Any:
            return args

    assert call(Unreadable()) == ("q",)
    assert call(operator.itemgetter(0)) == "q"  # has a signature on some Pythons only
    assert error_of(Unreadable(), user="alice") == "the retriever takes no argument 'user'"


def for_user(query: str, k: int, user: str = "nobody", *, since: int = 0) -> tuple[str, int, str, int]:
    return query, k, user, since


def needs_user(query: str, k: int, *, user: str) -> tuple[str, int, str]:
    return query, k, user


def needs_count(query: str, count: int, also: int) -> tuple[str, int, int]:
    return query, count, also


def open_ended(query: str, k: int = 3, **filters: Any) -> tuple[str, int, Any]:
    return query, k, filters


@pytest.mark.parametrize(
    ("retriever", "args", "returned"),
    [
        (for_user, {"user": "alice"}, ("q", 7, "alice", 0)),
        (for_user, {"since": 9, "user": "alice"}, ("q", 7, "alice", 9)),
        (needs_user, {"user": "alice"}, ("q", 7, "alice")),
        (needs_count, {"count": 1, "also": 2}, ("q", 1, 2)),
        (open_ended, {"user": "alice", "tags": ["x"]}, ("q", 7, {"user": "alice", "tags": ["x"]})),
        (two_ks, {"limit": 9}, ("q", 9, 7)),
        (positional_query, {"query": "another"}, ("q", 7, {"query": "another"})),
        (any_keywords, {"user": "alice"}, {"query": "q", "user": "alice"}),
        (anything, {"user": "alice"}, (("q",), {"user": "alice"})),
    ],
)
def test_args_of_a_case_go_by_name(retriever: Callable[..., Any], args: dict[str, Any], returned: object) -> None:
    assert call(retriever, **args) == returned


K_GOES_TO = "(k goes to a parameter named k, top_k, topk, limit, n_results, n or size)"


@pytest.mark.parametrize(
    ("retriever", "args", "message"),
    [
        (for_user, {"usr": "alice"}, "the retriever takes no argument 'usr' (did you mean 'user'?)"),
        (query_alone, {"user": "alice"}, "the retriever takes no argument 'user'"),
        (query_alone, {"k": 5}, "the retriever takes no argument 'k'"),
        (
            needs_user,
            {},
            "the retriever needs an argument 'user': give it a default, or in a suite a value in the case's args",
        ),
        (
            needs_count,
            {},
            "the retriever needs an argument 'also': give it a default, or in a suite a value in the case's args "
            + K_GOES_TO,
        ),
        (for_user, {"k": 5}, "the retriever's argument 'k' is the suite's k; no case can set it"),
        (open_ended, {"k": 5}, "the retriever's argument 'k' is the suite's k; no case can set it"),
        (keywords_only, {"top_k": 5}, "the retriever's argument 'top_k' is the suite's k; no case can set it"),
        (for_user, {"query": "x"}, "the retriever's argument 'query' is the query; no case can set it"),
        (open_ended, {"query": "x"}, "the retriever's argument 'query' is the query; no case can set it"),
        (keywords_only, {"query": "x"}, "the retriever's argument 'query' is the query; no case can set it"),
        (any_keywords, {"query": "x"}, "the retriever's argument 'query' is the query; no case can set it"),
        (query_named_like_k, {"n": "x"}, "the retriever's argument 'n' is the query; no case can set it"),
    ],
)
def test_args_that_cannot_be_given(retriever: Callable[..., Any], args: dict[str, Any], message: str) -> None:
    assert error_of(retriever, **args) == message


def nothing() -> None: ...


def other_keywords(*, text: str, k: int) -> None: ...


def positional_more(query: str, index: int, /) -> None: ...


def positional_third(query: str, k: int, index: int, /) -> None: ...


NO_QUERY = "the retriever has no place for the query: it goes first, or by name to 'query'"
FORMS = "a retriever is a callable or an object with search, invoke or retrieve, not"


@pytest.mark.parametrize(
    ("retriever", "message"),
    [
        (None, f"{FORMS} NoneType (missing return?)"),
        ([1, 2], f"{FORMS} list"),
        (Methods("query"), f"{FORMS} Methods"),
        (nothing, NO_QUERY),
        (other_keywords, NO_QUERY),
        (positional_more, "the retriever needs 'index' by position, where only the query and k can go"),
        (positional_third, "the retriever needs 'index' by position, where only the query and k can go"),
    ],
)
def test_what_cannot_be_called(retriever: object, message: str) -> None:
    with pytest.raises(RetrievalError) as caught:
        Caller.of(retriever)
    assert str(caught.value) == message


def test_fixture_that_nothing_ran_is_told_without_a_warning() -> None:
    async def fixture() -> None: ...

    assert error_of(fixture()) == (
        f"{FORMS} coroutine "
        f"(an asynchronous fixture needs @pytest_asyncio.fixture, or anyio_backend among its arguments)"
    )


def test_attribute_that_is_no_method_is_passed_over() -> None:
    index = Methods("invoke")
    index.search = "a setting"  # type: ignore[attr-defined]
    assert call(index) == ("invoke", "q", 7)


def test_retriever_may_change_its_arguments_without_changing_the_case() -> None:
    def greedy(_query: str, tags: list[str]) -> list[str]:
        tags.append("more")
        return tags

    args = {"tags": ["x"]}
    assert Caller.of(greedy)("q", 7, args) == ["x", "more"]
    assert args == {"tags": ["x"]}


def test_users_error_stays_as_it_is() -> None:
    error = TypeError("missing 1 required positional argument: 'k'")

    def broken(_query: str) -> None:
        raise error

    with pytest.raises(TypeError) as caught:
        call(broken)
    assert caught.value is error


class Classifier:
    def classify(self, text: str) -> str:
        return f"classified {text}"


@pytest.mark.parametrize(
    ("classifier", "args", "returned"),
    [
        (lambda text: text, {}, "q"),
        # What a retriever would get k by is a classifier's own.
        (lambda text, n=3: (text, n), {}, ("q", 3)),
        (lambda text, /, limit=3: (text, limit), {}, ("q", 3)),
        (lambda *, input: input, {}, "q"),  # noqa: A006 - the word of the suites
        (lambda text, *, channel: (text, channel), {"channel": "mail"}, ("q", "mail")),
        (Classifier(), {}, "classified q"),
    ],
)
def test_classifier_is_given_its_input_and_no_k(classifier: Any, args: dict[str, Any], returned: object) -> None:
    assert Caller.of(classifier, CLASSIFIER)("q", 1, args) == returned


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (
            None,
            ("a classifier is a callable or an object with classify or invoke, not NoneType (missing return?)"),
        ),
        (lambda *, text: text, "the classifier has no place for the input: it goes first, or by name to 'input'"),
        (
            lambda text, k, /: (text, k),
            "the classifier needs 'k' by position, where only the input can go",
        ),
    ],
)
def test_what_can_not_be_a_classifier_is_told(classifier: Any, message: str) -> None:
    with pytest.raises(RetrievalError) as raised:
        Caller.of(classifier, CLASSIFIER)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "the classifier needs an argument 'k': give it a default, or in a suite a value in the case's args"),
        ({"k": 1, "text": "x"}, "the classifier's argument 'text' is the input; no case can set it"),
        ({"k": 1, "m": 2}, "the classifier takes no argument 'm'"),
    ],
)
def test_arguments_of_a_classifier_are_told_in_its_words(args: dict[str, Any], message: str) -> None:
    with pytest.raises(RetrievalError) as raised:
        Caller.of(lambda text, k: (text, k), CLASSIFIER)("q", 1, args)
    assert str(raised.value) == message
