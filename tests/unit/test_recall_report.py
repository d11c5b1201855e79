from __future__ import annotations

import json
from math import log2
from typing import Any

import pytest

from pytest_recall.errors import MetricError
from pytest_recall.recall_report import RecallSample, score_recall


def test_one_query() -> None:
    # Window x, a, y: a at rank 2 of 3. 1 of k = 3; 1 of 2 expected; 1/log2(3) of 1 + 1/log2(3).
    report = score_recall([RecallSample("lease?", ["a", "b"], ["x", "a", "y", "b"])], k=3)
    assert report.k == 3
    (score,) = report.per_query
    assert (score.query, score.expected_count, score.first_hit_rank) == ("lease?", 2, 2)
    assert score.precision_at_k == pytest.approx(1 / 3)
    assert score.recall_at_k == 1 / 2
    assert score.ndcg_at_k == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        ("hit_rate", 2 / 3),
        ("mean_reciprocal_rank", (1 + 0 + 1 / 2) / 3),
        ("mean_precision_at_k", (1 / 2 + 0 + 1 / 2) / 3),
        # The query that expects nothing is left out.
        ("mean_recall_at_k", (1 + 1) / 2),
        ("mean_ndcg_at_k", (1 + 1 / log2(3)) / 2),
    ],
)
def test_means(mean: str, expected: float) -> None:
    samples = [RecallSample("1", ["a"], ["a", "b"]), RecallSample("2", [], ["a"]), RecallSample("3", ["z"], ["x", "z"])]
    report = score_recall(samples, k=2)
    assert getattr(report, mean)() == pytest.approx(expected, abs=1e-12)
    assert json.loads(report.to_json())[mean] == getattr(report, mean)()


def test_json_holds_every_field() -> None:
    report = score_recall([RecallSample("q", ["a"], [])], k=1)
    score = {
        "query": "q",
        "expected_count": 1,
        "first_hit_rank": None,
        "precision_at_k": 0,
        "recall_at_k": 0,
        "ndcg_at_k": 0,
    }
    means = ["hit_rate", "mean_reciprocal_rank", "mean_precision_at_k", "mean_recall_at_k", "mean_ndcg_at_k"]
    assert json.loads(report.to_json()) == {"k": 1, **dict.fromkeys(means, 0), "per_query": [score]}


def test_window_of_nothing_scores_nothing() -> None:
    (score,) = score_recall([RecallSample("q", ["a"], ["a", "a"])], k=0).per_query
    assert (score.first_hit_rank, score.precision_at_k, score.recall_at_k, score.ndcg_at_k) == (None, 0, 0, 0)


def test_ideal_ranking_is_cut_at_k() -> None:
    (score,) = score_recall([RecallSample("q", ["a", "b", "c"], ["a"])], k=1).per_query
    assert score.ndcg_at_k == 1


def test_id_that_is_expected_twice_counts_twice() -> None:
    (score,) = score_recall([RecallSample("q", ["a", "a"], ["a"])], k=1).per_query
    assert (score.expected_count, score.recall_at_k) == (2, 0.5)


def test_repeat_within_the_window_is_refused() -> None:
    sample = RecallSample("lease?", ["a"], ["x", "a", "b", "a"])
    assert score_recall([sample], k=3).hit_rate() == 1
    with pytest.raises(MetricError, match=r"^query 'lease\?': 'a' came back twice, at ranks 2 and 4$"):
        score_recall([sample], k=4)


@pytest.mark.parametrize(("k", "shown"), [(-1, "-1"), (True, "True"), (1.0, r"1\.0"), ("1", "'1'"), (None, "None")])
def test_k_is_a_whole_number(k: Any, shown: str) -> None:
    with pytest.raises(MetricError, match=rf"^k must be a whole number from 0, got {shown}$"):
        score_recall([], k)


def test_any_kind_of_whole_number_is_one() -> None:
    class Three:
        def __index__(self) -> int:
            return 3

    three: Any = Three()
    assert score_recall([], three).k == 3


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (RecallSample("q", "abc", []), "query 'q': expected must be a list of ids, got the text 'abc'"),
        (RecallSample("q", [], "abc"), "query 'q': returned_ids must be a list of ids, got the text 'abc'"),
        (RecallSample("q", None, []), "query 'q': expected must be a list of ids, not NoneType"),  # type: ignore[arg-type]
        (RecallSample("q", [], {"a"}), "query 'q': returned_ids must be a list of ids, not set"),  # type: ignore[arg-type]
        (RecallSample("q", [], {"a": 1}), "query 'q': returned_ids must be a list of ids, not dict"),  # type: ignore[arg-type]
        (("q", [], []), "samples must be a list of RecallSample, and holds tuple ('q', [], [])"),
    ],
)
def test_what_is_no_list_of_ids_is_refused(sample: Any, message: str) -> None:
    with pytest.raises(MetricError) as refused:
        score_recall([sample], 3)
    assert str(refused.value) == message


def test_a_bare_sample_is_no_list_of_samples() -> None:
    sample: Any = RecallSample("q", ["a"], ["a"])
    with pytest.raises(MetricError, match=r"^samples must be a list of RecallSample, not RecallSample$"):
        score_recall(sample, k=1)
