"""What changed between two evaluations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.comparison import CaseChange, Comparison
from pytest_recall.errors import MetricError, RecallError
from tests.builders import scored

if TYPE_CHECKING:
    from pytest_recall.evaluation import Evaluation

THIRD = 1 / 3


def test_a_metric_is_compared_over_its_pairs() -> None:
    before = scored({"one": "a", "two": "xa", "three": "a"})
    now = scored({"one": "xa", "two": "xa", "three": "xyza"})
    change = now.compare(before)["mrr"]
    # 1, 1/2, 1 against 1/2, 1/2, 1/4
    assert change.baseline == pytest.approx(2.5 / 3)
    assert change.candidate == pytest.approx(1.25 / 3)
    assert change.delta == pytest.approx(-1.25 / 3)
    assert (change.wins, change.ties, change.losses) == (0, 1, 2)
    # -1/2 and -3/4, both down or both up: 2 of 4 signs
    assert change.p_value == 0.5
    assert change.interval is not None
    assert change.delta is not None
    low, high = change.interval
    assert -0.75 <= low < change.delta < high <= 0
    assert change.regressed


def test_a_win_is_whichever_way_is_better() -> None:
    before = scored({"one": ["old", "a"]}, ["stale_hit_rate@3", "mrr"])
    now = scored({"one": ["a"]}, ["stale_hit_rate@3", "mrr"])
    better, worse = now.compare(before), before.compare(now)
    assert [(change.delta, change.wins, change.losses) for change in better.metrics] == [(-1, 1, 0), (0.5, 1, 0)]
    assert [change.regressed for change in better.metrics] == [False, False]
    assert [(change.delta, change.wins, change.losses) for change in worse.metrics] == [(1, 0, 1), (-0.5, 0, 1)]
    assert [change.regressed for change in worse.metrics] == [True, True]


def asking(evaluation: Evaluation, **questions: str) -> Evaluation:
    """The evaluation with other questions under some ids."""
    cases = [replace(each, fingerprint=questions.get(str(each.id), str(each.id))) for each in evaluation.cases]
    return replace(evaluation, cases=tuple(cases))


def test_only_common_questions_are_compared() -> None:
    before = asking(scored({"one": "a", "edited": "a", "gone": "a", "old": "a"}), old="same")
    now = asking(scored({"one": "xa", "edited": "", "new": "", "newer": ""}), edited="other", new="same")
    comparison = now.compare(before)
    assert (comparison["mrr"].baseline, comparison["mrr"].candidate) == (1, 0.5)
    assert [pair[0].id for pair in comparison.pairing.common] == ["one"]
    assert comparison.pairing.changed == ("edited",)
    assert comparison.pairing.added == ("new", "newer")
    assert comparison.pairing.removed == ("gone", "old")
    assert comparison.pairing.renamed == (("old", "new"),)


def test_a_case_that_raised_leaves_its_metric_without_a_value() -> None:
    before = scored({"one": "a", "two": "a"})
    now = scored({"one": "a", "two": RuntimeError("gone")})
    comparison = now.compare(before)
    change = comparison["mrr"]
    assert (change.baseline, change.candidate, change.delta, change.interval, change.p_value) == (
        1,
        None,
        None,
        None,
        None,
    )
    assert (change.wins, change.ties, change.losses) == (0, 1, 1)
    assert change.regressed
    assert [(moved.id, moved.kind) for moved in comparison.moved] == [("two", "lost")]
    assert comparison.raised == ("two",)
    assert now.compare(now).raised == ()
    assert comparison.reproduced == 0.5
    assert comparison.overlap == 0.5
    back = before.compare(now)
    assert back.raised == ()
    assert [(moved.id, moved.kind) for moved in back.moved] == [("two", "gained")]
    assert not back["mrr"].regressed


def test_cases_that_moved_are_told_with_scores_and_ranks() -> None:
    metrics = ["hit_rate@2", "mrr", "stale_hit_rate@2"]
    before = scored({"same": "a", "lost": "a", "gained": "xa", "deeper": "xyza", "both": "xya"}, metrics)
    now = scored({"same": "a", "lost": "xya", "gained": "a", "deeper": "xyza", "both": ["old", "a"]}, metrics)
    assert now.compare(before).moved == (
        CaseChange(
            id="lost",
            kind="lost",
            scores={"hit_rate@2": (1, 0), "mrr": (1, THIRD)},
            ranks={"a": (1, 3)},
        ),
        CaseChange(id="gained", kind="gained", scores={"mrr": (0.5, 1)}, ranks={"a": (2, 1)}),
        CaseChange(
            id="both",
            kind="moved",
            scores={"hit_rate@2": (0, 1), "mrr": (THIRD, 0.5), "stale_hit_rate@2": (0, 1)},
            ranks={"a": (3, 2), "old": (None, 1)},
        ),
    )


def test_a_change_of_rank_that_no_metric_sees_is_a_move() -> None:
    before, now = scored({"one": "xa"}, ["hit_rate@3"]), scored({"one": "a"}, ["hit_rate@3"])
    assert now.compare(before).moved == (CaseChange(id="one", kind="moved", scores={}, ranks={"a": (2, 1)}),)


def test_likeness_of_rankings() -> None:
    before = scored({"same": "ab", "swapped": "ab", "nothing": ""})
    now = scored({"same": "ab", "swapped": "ba", "nothing": ""})
    comparison = now.compare(before)
    assert comparison.reproduced == pytest.approx(2 / 3)
    # 1, 0.9 and 1
    assert comparison.overlap == pytest.approx(2.9 / 3)


def test_a_baseline_entry_holds_no_rankings() -> None:
    before, now = scored({"one": "a"}), scored({"one": "xa"})
    comparison = now.compare(entry_of(before))
    assert comparison["mrr"] == now.compare(before)["mrr"]
    assert comparison.moved == now.compare(before).moved
    assert comparison.reproduced is None
    assert comparison.overlap is None


def test_entries_of_baselines_compare_as_their_evaluations_do() -> None:
    metrics = ["mrr", "hit_rate@2", "stale_hit_rate@2"]
    before = scored({"same": "a", "lost": "a", "gained": "xa"}, metrics)
    now = scored({"same": "a", "lost": ["old", "x", "a"], "gained": "a"}, metrics)
    whole = now.compare(before)
    for comparison in (
        Comparison.of(entry_of(now), entry_of(before)),
        Comparison.of(entry_of(now), before),
    ):
        assert comparison.metrics == whole.metrics
        assert comparison.moved == whole.moved
        assert comparison.raised == ()
        assert comparison.reproduced is None
        assert comparison.overlap is None


def test_two_entries_do_not_tell_which_way_a_metric_of_a_user_wins() -> None:
    def with_cost(value: float) -> Evaluation:
        evaluation = scored({"one": "a"})
        summary = replace(evaluation.metrics["mrr"], value=value, better="lower")
        cases = [replace(case, scores={**case.scores, "cost@5": value}) for case in evaluation.cases]
        return replace(evaluation, metrics={**evaluation.metrics, "cost@5": summary}, cases=tuple(cases))

    before, now = with_cost(2.0), with_cost(3.0)
    of_entries = Comparison.of(entry_of(now), entry_of(before))
    assert [change.metric for change in of_entries.metrics] == ["mrr"]
    # An evaluation on either side tells.
    for comparison in (Comparison.of(entry_of(now), before), now.compare(entry_of(before))):
        assert comparison["cost@5"].losses == 1
        assert comparison["cost@5"].regressed


def test_entries_scored_by_other_rules_are_refused() -> None:
    now, before = entry_of(scored({"one": "a"}, k=5)), entry_of(scored({"one": "a"}))
    with pytest.raises(RecallError, match=r"^not comparable: k is 5, recorded with 10$"):
        Comparison.of(now, before)


def test_a_baseline_whose_repeats_differed_knows_no_ranks() -> None:
    before, now = scored({"one": "a"}), scored({"one": "xa"})
    entry = entry_of(before)
    entry = replace(entry, cases={"one": replace(entry.cases["one"], ranks=None)})
    assert now.compare(entry).moved == (CaseChange(id="one", kind="lost", scores={"mrr": (1, 0.5)}, ranks={}),)


def test_metrics_that_mean_the_same_only_over_the_same_cases() -> None:
    before, now = scored({"one": "a", "two": "a"}), scored({"one": "a", "two": "xa"})
    before, now = (
        replace(side, metrics={"mrr": replace(side.metrics["mrr"], aggregate="max")}) for side in (before, now)
    )
    change = now.compare(before)["mrr"]
    # The values are those of the means; only how they are treated matters here.
    assert (change.delta, change.interval, change.p_value) == (-0.25, None, None)
    assert replace(now, cases=now.cases[:1]).compare(before)["mrr"].delta is None


def test_neither_latency_nor_a_metric_of_one_side_is_compared() -> None:
    before = scored({"one": "a"}, ["mrr", "map", "latency_p95_ms", "judged@3"])
    now = scored({"one": "a"}, ["mrr", "latency_p95_ms", "judged@3"])
    comparison = now.compare(before)
    assert [change.metric for change in comparison.metrics] == ["mrr"]
    with pytest.raises(KeyError, match="map"):
        comparison["map"]
    with pytest.raises(MetricError, match="did you mean 'mrr'"):
        comparison["mmr"]


def test_nothing_in_common_gives_no_change() -> None:
    comparison = scored({"one": "a"}).compare(scored({"two": "xa"}))
    change = comparison["mrr"]
    assert (change.baseline, change.candidate, change.delta) == (None, None, None)
    assert (change.wins, change.ties, change.losses) == (0, 0, 0)
    assert (comparison.reproduced, comparison.overlap) == (None, None)


def test_other_rules_are_not_comparable() -> None:
    before, now = scored({"one": "a"}), scored({"one": "a"}, k=5)
    with pytest.raises(RecallError) as error:
        now.compare(before)
    assert str(error.value) == "not comparable: k is 5, recorded with 10"


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (None, "compared are evaluations and entries of a baseline, and this is a NoneType"),
        (
            "x.json",
            "compared are evaluations and entries of a baseline, and this is a str; Evaluation.read reads a report",
        ),
    ],
)
def test_what_can_not_be_compared_is_named(side: Any, message: str) -> None:
    with pytest.raises(RecallError) as raised:
        scored({"one": "a"}).compare(side)
    assert str(raised.value) == message
