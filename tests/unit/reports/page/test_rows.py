"""The rows of the tables of metrics."""

from __future__ import annotations

from dataclasses import replace

from pytest_recall.baseline import entry_of
from pytest_recall.evaluation import CaseResult, Evaluation, Settings
from pytest_recall.metrics import parse_metric
from pytest_recall.pairing import Pairing
from pytest_recall.reports.page.rows import group_rows, metric_rows, system_rows
from tests.searches import regressed
from tests.unit.reports.builders import report


def of_scores(metric: str, system: str, scores: dict[str, float], tags: tuple[str, ...] = ()) -> Evaluation:
    cases = [CaseResult(id=id, scores={metric: score}, tags=(*tags, id[0])) for id, score in scores.items()]
    return Evaluation.of("notes.eval.yaml", system, Settings(k=3), [parse_metric(metric)], cases)


def test_a_metric_has_a_row_with_all_that_is_said_of_it() -> None:
    row, free = metric_rows(report())
    assert (row.name, row.tag, row.value, row.baseline, row.change) == ("mrr:legal", True, "0.500", "0.750", "-0.250")
    assert (row.direction, row.bounds, row.verdict) == ("worse", ("at least 0.85", "may drop 5%"), "failed")
    assert (free.name, free.value, free.baseline, free.bounds, free.verdict) == (
        "stale_hit_rate@3",
        "–",
        "",
        (),
        "no gate",
    )
    assert free.bar is None


def test_a_rise_of_what_is_better_lower_is_worse() -> None:
    base = report().verdicts[0]
    rise = replace(base, metric="stale_hit_rate@3", tag=None, change=0.25)
    assert [row.direction for row in metric_rows(report(verdicts=(rise, replace(rise, change=-0.1))))] == [
        "worse",
        "better",
    ]


def test_what_nothing_judged_has_its_values() -> None:
    rows = metric_rows(report(verdicts=()))
    assert [(row.name, row.value, row.verdict) for row in rows] == [("mrr", "0.500", ""), ("stale_hit_rate@3", "–", "")]


def test_every_tag_is_beside_the_baseline() -> None:
    now = of_scores("mrr", "retriever", {"a1": 1.0, "a2": 0.0, "b1": 0.5})
    before = of_scores("mrr", "retriever", {"a1": 1.0, "a2": 1.0, "b1": 0.5})
    rows, left_out = group_rows(now, Pairing(now, entry_of(before)))
    assert left_out == 0
    assert [(row.group, row.cases, row.value, row.baseline, row.change, row.direction) for row in rows["mrr"]] == [
        ("a", 2, "0.500", "1.000", "-0.500", "worse"),
        ("b", 1, "0.500", "0.500", "=", ""),
    ]
    assert [(row.value, row.baseline) for row in group_rows(now, None)[0]["mrr"]] == [("0.500", ""), ("0.500", "")]


def test_one_tag_alone_says_nothing_new_and_the_rarest_of_many_are_left_out() -> None:
    assert group_rows(of_scores("mrr", "retriever", {"a1": 1.0}), None) == ({}, 0)
    many = of_scores("mrr", "retriever", {f"{chr(97 + n)}{m}": 1.0 for n in range(25) for m in range(1 + (n < 20))})
    rows, left_out = group_rows(many, None)
    assert ([row.group for row in rows["mrr"]], left_out) == ([chr(97 + n) for n in range(20)], 5)


def test_systems_are_beside_the_first() -> None:
    first = of_scores("mrr", "bm25", {"a": 1.0, "b": 0.0, "c": 0.5})
    second = of_scores("mrr", "dense", {"a": 0.5, "b": 1.0, "c": 0.5})
    other = replace(second, system="other k", settings=Settings(k=5))
    rows = system_rows([first, second, other])["mrr"]
    # 1.5 / 3 and 2 / 3
    assert [(row.system, row.value, row.best, row.beside) for row in rows] == [
        ("bm25", "0.500", False, ""),
        ("dense", "0.667", True, "1 case better, 1 worse"),
        ("other k", "0.667", True, ""),
    ]


def test_the_best_of_a_metric_that_is_better_lower() -> None:
    rows = system_rows([of_scores("stale_hit_rate@3", name, {"a": score}) for name, score in (("x", 1.0), ("y", 0.0))])
    assert [(row.best, row.beside) for row in rows["stale_hit_rate@3"]] == [
        (False, ""),
        (True, "1 case better, 0 worse"),
    ]


def test_no_system_is_best_where_all_are_alike() -> None:
    rows = system_rows([of_scores("mrr", name, {"a": 1.0}) for name in "xy"])["mrr"]
    assert [(row.best, row.beside) for row in rows] == [(False, ""), (False, "no case differs")]


def test_a_baseline_is_shown_as_far_as_the_verdicts_hold_it() -> None:
    read = replace(regressed(5), pairing=None)
    assert [row.baseline for row in metric_rows(read)] == ["1.000", "1.000", "1.000"]
