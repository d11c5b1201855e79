"""The functions against pytrec_eval, and against one case at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_recall import ranking_metrics
from pytest_recall.metrics import CATALOGUE, JudgedRanking, Judgments, parse_metric
from tests.trec_names import ours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.metrics import Gain
    from tests.conftest import Require

# More than the few hits that are looked up one by one.
IDS = st.sampled_from([f"d{number}" for number in range(40)])
GRADES = st.one_of(st.dictionaries(IDS, st.integers(0, 4)), st.dictionaries(IDS, st.just(1), min_size=10))
# Few scores, so that many are tied.
RUNS = st.dictionaries(IDS, st.sampled_from([-1.5, 0.0, 0.25, 1.0]), min_size=1)
CUTOFFS = (1, 2, 5, 10, 30)

MEASURES = {
    *("map", "Rprec", "recip_rank", "ndcg"),
    *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("map_cut", "ndcg_cut", "P", "recall", "success")),
}
NAMES = [
    *("map", "Rprec", "recip_rank", "ndcg"),
    *(f"{name}_{n}" for name in ("map_cut", "ndcg_cut", "P", "recall", "success") for n in CUTOFFS),
]

COLUMNS = [
    f"{name}@{n}" if n else name
    for name, metric in CATALOGUE.items()
    if metric.column is not None
    for n in (None, 1, 3, 20)
    if (metric.takes_cutoff != "none" if n else metric.takes_cutoff != "required")
]


def best_first(scores: Mapping[str, float]) -> list[str]:
    """trec_eval's order: by score, then by id, both descending."""
    return sorted(scores, key=lambda id: (scores[id], id), reverse=True)


# pytrec_eval leaves out a topic without judgments.
@given(topics=st.lists(st.tuples(GRADES.filter(bool), RUNS), min_size=1, max_size=4))
def test_agrees_with_pytrec_eval(topics: list[tuple[dict[str, int], dict[str, float]]], require: Require) -> None:
    pytrec_eval = require.library("pytrec_eval")
    qrels = {f"t{number}": grades for number, (grades, _) in enumerate(topics)}
    runs = {f"t{number}": scores for number, (_, scores) in enumerate(topics)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(runs)

    columns = ranking_metrics(
        qrels,
        {topic: best_first(scores) for topic, scores in runs.items()},
        metrics=map(ours, NAMES),
        average=None,
        zero_division=0.0,
    )
    for topic in qrels:
        values = {name: columns[ours(name)][topic] for name in NAMES}
        assert values == pytest.approx(theirs[topic], abs=1e-9), topic


@given(
    queries=st.lists(st.tuples(GRADES, st.lists(IDS, unique=True)), min_size=1, max_size=4),
    threshold=st.sampled_from([0.5, 1, 3]),
    gain=st.sampled_from(["linear", "exponential"]),
)
def test_a_column_is_the_score_of_each_case(
    queries: list[tuple[dict[str, float], list[str]]], threshold: float, gain: Gain
) -> None:
    columns = ranking_metrics(
        [grades for grades, _ in queries],
        [ids for _, ids in queries],
        metrics=COLUMNS,
        average=None,
        zero_division=math.nan,
        relevance_threshold=threshold,
        gain=gain,
    )
    for position, (grades, ids) in enumerate(queries):
        judgments = Judgments(grades=grades, relevance_threshold=threshold, gain=gain)
        for name, column in columns.items():
            metric = parse_metric(name)
            undefined = 0.0 if metric.name in {"hit_rate", "precision", "mrr"} else math.nan
            score = metric.score(JudgedRanking(judgments, ids)) if metric.defined(judgments) else None
            expected = undefined if score is None else score
            assert column[position] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@given(queries=st.lists(st.tuples(GRADES, st.lists(IDS, unique=True)), min_size=1, max_size=4))
def test_shape_of_the_input_does_not_matter(queries: list[tuple[dict[str, float], list[str]]]) -> None:
    def score(qrels: Any, runs: Any) -> dict[str, float]:
        return ranking_metrics(qrels, runs, metrics=COLUMNS, zero_division=0.0)

    qrels, runs = [grades for grades, _ in queries], [ids for _, ids in queries]
    expected = score(qrels, runs)
    numbered = [{int(id[1:]): grade for id, grade in grades.items()} for grades in qrels]
    assert score(numbered, [[int(id[1:]) for id in ids] for ids in runs]) == expected
    assert score(tuple(qrels), [tuple(ids) for ids in runs]) == expected
    assert score(dict(enumerate(qrels)), dict(reversed(list(enumerate(runs))))) == expected
