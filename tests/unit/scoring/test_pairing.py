"""Which ranking belongs to which judgments."""

from __future__ import annotations

from collections import OrderedDict, UserDict, UserList, defaultdict, deque
from types import MappingProxyType
from typing import Any

import pytest

from pytest_recall import RecallError, mean_reciprocal_rank, ranking_metrics, recall_at_k

REMEDY = "unpaired='trec' scores a missing ranking 0 and ignores one without judgments"
BOTH = "qrels and runs must both be mappings by query id or both sequences by position, not"
OUTER = "must be a mapping by query id or a sequence by position, not"


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        ({"q": ["a"]}, {}, f"query 'q' is in qrels but not in runs; {REMEDY}"),
        ({}, {"q": ["a"]}, f"query 'q' is in runs but not in qrels; {REMEDY}"),
        ({"q": ["a"], "r": ["a"]}, {"q": ["a"], "s": ["a"]}, f"query 'r' is in qrels but not in runs; {REMEDY}"),
        ({1: ["a"]}, {"1": ["a"]}, f"query 1 is in qrels but not in runs, which has '1', of type str; {REMEDY}"),
        ([["a"], ["b"]], [["a"]], "qrels hold 2 queries and runs 1; by position they must match"),
        ({"q": ["a"]}, [["a"]], f"{BOTH} dict and list"),
        ([["a"]], {"q": ["a"]}, f"{BOTH} list and dict"),
        ("ab", [["a"], ["b"]], f"qrels {OUTER} str"),
        ([["a"]], b"a", f"runs {OUTER} bytes"),
        ({"a"}, [["a"]], f"qrels {OUTER} set"),
        ([["a"]], iter([["a"]]), f"runs {OUTER} list_iterator"),
        (None, [["a"]], f"qrels {OUTER} NoneType"),
        ([["a"]], 3, f"runs {OUTER} int"),
        ([], [], "there are no queries, so there is nothing to score"),
        ({}, {}, "there are no queries, so there is nothing to score"),
    ],
)
def test_sides_do_not_fit(qrels: Any, runs: Any, message: str) -> None:
    with pytest.raises(RecallError) as refused:
        mean_reciprocal_rank(qrels, runs)
    assert str(refused.value) == message


def test_mappings_are_paired_by_id_in_the_order_of_qrels() -> None:
    values = mean_reciprocal_rank({"q": ["a"], "r": ["b"]}, {"r": ["x", "b"], "q": ["a"]}, average=None)
    assert list(values.items()) == [("q", 1.0), ("r", 0.5)]


def test_query_ids_keep_their_kind() -> None:
    assert mean_reciprocal_rank({7: ["a"], (8, "b"): ["b"]}, {7: ["a"], (8, "b"): []}, average=None) == {
        7: 1.0,
        (8, "b"): 0.0,
    }


def test_trec_scores_a_missing_ranking_0_and_ignores_an_extra_one() -> None:
    qrels = {"q": ["a"], "r": ["b"]}
    runs: Any = {"q": ["a"], "extra": None}
    for metric in ("mrr", "recall@1", "ndcg", "map"):
        values = ranking_metrics(qrels, runs, metrics=[metric], unpaired="trec", average=None)
        assert values == {metric: {"q": 1.0, "r": 0.0}}


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        ({}, {"q": ["a"]}, "there are no queries, so there is nothing to score"),
        ([["a"], ["b"]], [["a"]], "qrels hold 2 queries and runs 1; by position they must match"),
        (
            {"301": ["a"]},
            {301: ["a"]},
            "query '301' is in qrels but not in runs, which has 301, of type int; no query is on both sides",
        ),
        ({"q": ["a"]}, {"r": ["a"]}, "query 'q' is in qrels but not in runs; no query is on both sides"),
    ],
)
def test_trec_is_no_way_around_the_rest(qrels: Any, runs: Any, message: str) -> None:
    with pytest.raises(RecallError) as refused:
        mean_reciprocal_rank(qrels, runs, unpaired="trec")
    assert str(refused.value) == message


def test_trec_scores_a_system_that_ranked_nothing() -> None:
    assert mean_reciprocal_rank({"q": ["a"], "r": ["b"]}, {}, unpaired="trec") == 0.0


@pytest.mark.parametrize("unpaired", ["error", "trec"])
def test_defaultdict_is_not_asked_for_what_it_would_make(unpaired: Any) -> None:
    runs = defaultdict(list, {"q": ["a"]})
    if unpaired == "error":
        with pytest.raises(RecallError, match="query 'r' is in qrels but not in runs"):
            recall_at_k({"q": ["a"], "r": ["b"]}, runs)
    else:
        assert recall_at_k({"q": ["a"], "r": ["b"]}, runs, unpaired="trec") == 0.5
    assert list(runs) == ["q"]


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, MappingProxyType])
def test_mapping_of_any_kind(kind: Any) -> None:
    assert recall_at_k(kind({"q": ["a"]}), kind({"q": ["a"]}), average=None) == {"q": 1.0}


@pytest.mark.parametrize("kind", [list, tuple, deque, UserList])
def test_sequence_of_any_kind(kind: Any) -> None:
    assert recall_at_k(kind([["a"]]), kind([["a"]]), average=None) == [1.0]
