"""Users' code over the functions, as type checkers see it; an ignored line is one that they must refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.typing.conftest import Check

TYPED = """\
import math
from collections.abc import Mapping, Sequence

import numpy as np
from typing_extensions import assert_type

from pytest_recall import (
    hit_rate_at_k,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    ranking_metrics,
    recall_at_k,
)

qrels: dict[str, dict[str, int]] = {"q": {"a": 2}}
runs: dict[str, list[str]] = {"q": ["a"]}
listed: list[set[int]] = [{1}]
ranked: list[tuple[int, ...]] = [(1,)]
rows = np.array([[1]])

assert_type(recall_at_k(qrels, runs, 5), float)
assert_type(precision_at_k(qrels, runs), float)
assert_type(hit_rate_at_k(qrels, runs, k=5, average="mean"), float)
assert_type(ndcg_at_k(listed, ranked, gain="exponential"), float)
assert_type(mean_reciprocal_rank(listed, rows, relevance_threshold=0.5), float)
assert_type(mean_average_precision(listed, [rows[0]], zero_division=math.nan), float)
assert_type(r_precision(qrels, runs, unpaired="trec", duplicates="first"), float)
assert_type(ranking_metrics(qrels, runs, metrics=["mrr"]), dict[str, float])

assert_type(recall_at_k(qrels, runs, average=None), dict[str, float])
assert_type(precision_at_k({1: ["a"]}, {1: ["a"]}, average=None), dict[int, float])
assert_type(hit_rate_at_k(listed, ranked, average=None), list[float])
assert_type(ndcg_at_k(listed, rows, average=None, zero_division="warn"), list[float])
assert_type(mean_reciprocal_rank(qrels, runs, average=None), dict[str, float])
assert_type(mean_average_precision(listed, ranked, average=None), list[float])
assert_type(r_precision(qrels, runs, average=None), dict[str, float])
assert_type(ranking_metrics(qrels, runs, metrics=("mrr",), average=None), dict[str, dict[str, float]])
assert_type(ranking_metrics(listed, ranked, metrics=("mrr",), average=None), dict[str, list[float]])


def score(judged: Mapping[str, Sequence[str]], found: Mapping[str, Sequence[str]]) -> float:
    return mean_reciprocal_rank(judged, found)


recall_at_k({"q": 1}, runs)  # type: ignore[dict-item]
recall_at_k(qrels, runs, k="5")  # type: ignore[call-overload]
recall_at_k(qrels, runs, gain="cubic")  # type: ignore[call-overload]
recall_at_k(qrels, ranked, average=None)  # type: ignore[call-overload]
recall_at_k(listed, [{1}])  # type: ignore[list-item]
mean_reciprocal_rank(qrels, runs, k=5)  # type: ignore[call-overload]
ranking_metrics(qrels, runs)  # type: ignore[call-overload]
"""


def test_functions_over_typed_code(check: Check) -> None:
    check(TYPED)
