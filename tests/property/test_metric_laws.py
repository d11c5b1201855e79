from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_recall.metrics import CATALOGUE, JudgedRanking, Judgments, Metric, parse_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DataObject

IDS = st.sampled_from("abcdefghij")
GRADES = st.dictionaries(IDS, st.one_of(st.integers(-1, 4), st.floats(-1, 4), st.floats(0, 1e-300)))
CUTOFFS = st.integers(1, 12)
RANKINGS = st.lists(IDS, unique=True)

WITH_CUTOFF = [name for name, metric in CATALOGUE.items() if metric.takes_cutoff != "none"]
SCORED = [name for name, metric in CATALOGUE.items() if metric.family != "latency"]

# Sums of the same terms in another order.
ROUNDING = 1e-12


@st.composite
def judgments(draw: st.DrawFn) -> Judgments:
    grades = draw(GRADES)
    return Judgments(
        grades=grades,
        expected=draw(st.none() | IDS),
        stale=tuple(id for id in draw(RANKINGS) if id not in grades),
        relevance_threshold=draw(st.sampled_from([0.1, 1, 2])),
        gain=draw(st.sampled_from(["linear", "exponential"])),
    )


@st.composite
def metrics(draw: st.DrawFn, names: Sequence[str]) -> Metric:
    name = draw(st.sampled_from(names))
    if CATALOGUE[name].takes_label:
        return parse_metric(f"{name}.{draw(IDS | st.text().filter(str.strip))}")
    takes = CATALOGUE[name].takes_cutoff
    cut = takes == "required" or (takes == "optional" and draw(st.booleans()))
    return parse_metric(f"{name}@{draw(CUTOFFS)}" if cut else name)


def score(metric: Metric | str, known: Judgments, ranking: Sequence[str]) -> float:
    parsed = parse_metric(metric) if isinstance(metric, str) else metric
    assume(parsed.defined(known))
    value = parsed.score(JudgedRanking(known, ranking))
    assume(value is not None)
    assert value is not None
    return value


@given(metrics(SCORED), judgments(), RANKINGS)
def test_scores_stay_in_their_range(metric: Metric, known: Judgments, ranking: list[str]) -> None:
    assert 0 <= score(metric, known, ranking) <= metric.maximum


@given(st.data(), CUTOFFS, judgments(), RANKINGS)
def test_nothing_after_the_cutoff_matters(data: DataObject, n: int, known: Judgments, ranking: list[str]) -> None:
    metric = parse_metric(f"{data.draw(st.sampled_from(WITH_CUTOFF))}@{n}")
    top = ranking[:n]
    rest = data.draw(st.lists(IDS.filter(lambda id: id not in top), unique=True)) if len(top) == n else []
    assert score(metric, known, ranking) == score(metric, known, [*top, *rest])


@given(st.data(), metrics(["ndcg", "map", "mrr"]), judgments(), RANKINGS)
def test_moving_a_relevant_id_up_never_lowers(
    data: DataObject, metric: Metric, known: Judgments, ranking: list[str]
) -> None:
    grades = [known.grades.get(id, 0) for id in ranking]
    movable = [rank for rank in range(1, len(ranking)) if grades[rank] > max(grades[rank - 1], 0)]
    assume(movable)
    rank = data.draw(st.sampled_from(movable))
    moved = [*ranking[: rank - 1], ranking[rank], ranking[rank - 1], *ranking[rank + 1 :]]
    assert score(metric, known, moved) >= score(metric, known, ranking) - ROUNDING


@given(judgments())
def test_ideal_ranking_scores_one(known: Judgments) -> None:
    ideal = sorted((id for id in known.grades if known.grades[id] > 0), key=lambda id: -known.grades[id])
    size = len(known.relevant)
    assume(size)
    above = [f"{name}@{n}" for name in ("recall", "map") for n in (size, size + 1)]
    below = [f"precision@{n}" for n in range(1, size + 1)]
    every = [
        f"{name}@{n}" for name in ("hit_rate", "capped_recall", "mrr", "ndcg", "judged") for n in range(1, size + 2)
    ]
    for metric in (*above, *below, *every, "mrr", "map", "ndcg", "r_precision"):
        assert score(metric, known, ideal) == pytest.approx(1, abs=ROUNDING), metric


@given(metrics(list(CATALOGUE)))
def test_text_parses_back(metric: Metric) -> None:
    assert parse_metric(str(metric)) == metric
