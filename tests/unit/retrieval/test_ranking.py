from __future__ import annotations

import math
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.evaluation import Policy
from pytest_recall.retrieval import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator


def ranking(returned: object, k: int = 3, **policy: Any) -> tuple[str, ...]:
    return Reader(k, Policy(**policy)).read(returned, "q").ranking


def error_of(returned: object, k: int = 3, **policy: Any) -> str:
    with pytest.raises(RetrievalError) as caught:
        ranking(returned, k, **policy)
    return str(caught.value)


CHUNKS = r"^(.*)#"


def repeated(id: str, first: int, second: int) -> str:
    return (
        f"{id!r} came back twice, at ranks {first} and {second}; "
        "where several results are parts of one document, duplicates 'first' counts each once"
    )


@pytest.mark.parametrize("duplicates", ["error", "first"])
@pytest.mark.parametrize(
    ("returned", "k", "expected"), [("abcde", 3, "abc"), ("ab", 3, "ab"), ("", 3, ""), ("ab", 1, "a")]
)
def test_at_most_k_results_count(returned: str, k: int, expected: str, duplicates: str) -> None:
    assert ranking(list(returned), k, duplicates=duplicates) == tuple(expected)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("aa", repeated("a", 1, 2)),
        ("abb", repeated("b", 2, 3)),
        ("aba", repeated("a", 1, 3)),
        ("aaa", repeated("a", 1, 2)),
    ],
)
def test_repeated_id_is_an_error_with_both_ranks(returned: str, message: str) -> None:
    assert error_of(list(returned)) == message


def test_repeat_in_another_type_is_the_same_id() -> None:
    assert error_of([1, "1"]) == repeated("1", 1, 2)
    assert error_of({1: 0.1, "1": 0.9}) == repeated("1", 1, 2)


def test_repeat_beyond_the_first_k_is_not_read() -> None:
    assert ranking(list("abca")) == ("a", "b", "c")


def test_under_first_only_the_first_rank_of_an_id_counts() -> None:
    assert ranking(list("aabacd"), duplicates="first") == ("a", "b", "c")
    assert ranking(list("aaa"), duplicates="first") == ("a",)


@pytest.mark.parametrize("duplicates", ["error", "first"])
def test_generator_that_never_ends_is_read_as_far_as_k_results(duplicates: str) -> None:
    read = []

    def endless() -> Iterator[str]:
        for number in count():
            read.append(number)
            yield str(number)

    assert ranking(endless(), duplicates=duplicates) == ("0", "1", "2")
    assert read == [0, 1, 2]


def test_under_first_results_are_read_until_k_distinct_ids_are_found() -> None:
    endless = chain(["a#1"] * 1000, ["b#1", "c#1"], repeat("a#2"))
    assert ranking(endless, id_from=CHUNKS, duplicates="first") == ("a", "b", "c")


def test_id_is_the_first_group_of_the_pattern() -> None:
    assert ranking(["a#1", "b#2#3"], id_from=CHUNKS) == ("a", "b#2")
    assert ranking(["doc-12/5"], id_from=r"doc-(\d+)/(\d+)") == ("12",)
    assert ranking([17], id_from=r"(.)$") == ("7",)


def test_ids_that_map_to_one_are_repeats() -> None:
    assert error_of(["a#1", "b#1", "a#2"], id_from=CHUNKS) == repeated("a", 1, 3)


@pytest.mark.parametrize("id", ["a", "#1"])
def test_id_without_a_match_is_an_error(id: str) -> None:
    assert error_of([id], id_from=CHUNKS) == f"id_from '^(.*)#' finds no id in {id!r}"


def test_group_that_takes_no_part_is_no_match() -> None:
    assert error_of(["b"], id_from="(a)?b") == "id_from '(a)?b' finds no id in 'b'"


def test_results_below_min_score_are_dropped() -> None:
    assert ranking([("a", 0.2), ("b", 0.5), ("c", 0.49999)], min_score=0.5) == ("b",)
    assert ranking({"a": 0.2, "b": 0.5}, min_score=0.5) == ("b",)
    assert ranking([{"id": "a", "score": 0.9}], min_score=0.5) == ("a",)
    assert ranking([("a", 0.0), ("b", -1.0)], min_score=0.0) == ("a",)
    assert ranking([("a", 0.0)], min_score=0.001) == ()


def test_nan_is_below_every_min_score() -> None:
    assert ranking([("a", math.nan), ("b", 0.5)], min_score=-math.inf) == ("b",)


def test_min_score_looks_at_the_first_k_results_only() -> None:
    assert ranking([("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.9)], min_score=0.3) == ("c",)


@pytest.mark.parametrize("returned", [["a"], [("a",)], [{"id": "a"}], [{"id": "a", "score": "0.9"}]])
def test_min_score_needs_scores(returned: object) -> None:
    assert error_of(returned, min_score=0.5) == "min_score needs scores, and 'a' came back without one"


def test_long_ids_are_cut_in_messages() -> None:
    long = "x" * 500
    cut = repr(long)[:80]
    assert error_of([long, long]).startswith(f"{cut} came back twice")
    assert error_of([long], id_from=CHUNKS) == f"id_from '^(.*)#' finds no id in {cut}"
    assert error_of([long], min_score=0) == f"min_score needs scores, and {cut} came back without one"
