"""The table of cases as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.evaluation import CaseResult, Evaluation
from pytest_recall.pairing import Pairing
from pytest_recall.reports.page.cases import MOST_RESULTS, table_of
from tests.searches import NEGATIVE, RAISED, STALE, regressed, searched
from tests.unit.reports.builders import BROKEN_CASE, evaluation, full_case


def columns(now: Evaluation, before: Evaluation | None = None) -> dict[str, Any]:
    table = table_of(now, Pairing(now, entry_of(before)) if before else None)
    read: dict[str, Any] = json.loads(table.json)
    return read


def outcome_of(case: CaseResult) -> str:
    read = columns(evaluation([case]))
    outcome: str = read["outcomes"][read["outcome"][0]]
    return outcome


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (RAISED, "raised"),
        (NEGATIVE, "false injection"),
        (replace(NEGATIVE, ranking=()), "silent"),
        (STALE, "stale came back"),
        (replace(STALE, ranking=("days-2024",)), "missed"),
        (replace(STALE, ranking=("days-2025",)), "found"),
        (CaseResult(id="a", relevant={"x": 1, "y": 1}, ranking=("y",)), "partly found"),
        (CaseResult(id="a", relevant={"x": 1, "y": 0.5}, ranking=("x",)), "found"),
        (CaseResult(id="a", relevant={"x": 0}, ranking=("x",)), "nothing to find"),
        (CaseResult(id="a", relevant=None, scores={"exact_match": 0.0, "token_f1": 0.0}), "wrong answer"),
        (CaseResult(id="a", relevant=None, scores={"exact_match": 1.0, "latency_p50_ms": 3.0}), "right answer"),
        (CaseResult(id="a", relevant=None, scores={"exact_match": 0.0, "token_f1": 0.5}), "answered"),
        (CaseResult(id="a", relevant=None, ranking=("x",)), "answered"),
    ],
)
def test_how_a_case_came_out(case: CaseResult, outcome: str) -> None:
    assert outcome_of(case) == outcome


def test_every_column_has_an_entry_for_each_case() -> None:
    read = columns(evaluation([full_case(), BROKEN_CASE]))
    assert (read["k"], read["compared"]) == (3, False)
    assert read["metrics"] == ["mrr", "stale_hit_rate@3"]
    assert read["lower"] == [False, True]
    assert read["id"] == ["lease-end", "broken"]
    assert read["ids"] == ["lease-2", "lease-1", "old", "rent-9"]
    # id, grade, rank; 0 did not come back
    assert read["expected"] == [[[0, 1, 2], [1, 0.5, 0]], []]
    assert read["stale"] == [[[2, 0, 0]], []]
    assert read["ranking"] == [[3, 0], []]
    # False: the metric is not about the case.
    assert read["scores"] == [[0.5, None], [None, False]]
    assert [read["tags"][group] for group in read["groups"][0]] == ["legal", "kind=lookup", "family=lease"]
    assert (read["error"], read["line"], read["latency"]) == ({"1": "RuntimeError: gone"}, [7, None], [1.5, None])
    assert json.loads(read["args"]["0"]) == full_case().args
    assert (read["answer"], read["answers"]) == ({"0": "on 31 May"}, {"0": ["31 May", "the end of May"]})


def test_ranks_and_scores_are_beside_those_of_the_baseline() -> None:
    report = regressed(5)
    assert report.pairing is not None
    table = table_of(report.evaluation, report.pairing)
    read = json.loads(table.json)
    assert [each[0][2:] for each in read["expected"]] == [[1, 1], [2, 1], [3, 1], [4, 1], [0, 1]]
    assert read["before"][1] == [1, 1]
    assert [read["changes"][change] for change in read["change"]] == ["same", "lost", "lost", "lost", "lost"]
    assert table.changes == (("lost", 4), ("same", 1))
    assert table.outcomes == (("missed", 1), ("found", 4))
    assert table.groups == (("legal", 2), ("travel", 3))


def test_a_new_case_has_nothing_beside_it() -> None:
    read = columns(searched(3), searched(2))
    assert [read["changes"][change] for change in read["change"]] == ["same", "same", "not compared"]
    assert (read["before"][2], read["expected"][2][0][2:]) == ([], [3])


def test_ranks_of_repeats_that_differ_are_not_compared() -> None:
    now = searched(2)
    unsteady = replace(now, cases=(replace(now.cases[0], rankings=2), now.cases[1]))
    read = columns(unsteady, now)
    assert [len(each[0]) for each in read["expected"]] == [3, 4]
    assert read["rankings"] == {"0": 2}


def test_a_long_ranking_is_cut_but_its_ranks_are_kept() -> None:
    ranking = tuple(f"x{place}" for place in range(MOST_RESULTS + 20))
    read = columns(evaluation([full_case(relevant={ranking[-1]: 1}, ranking=ranking)]))
    assert (len(read["ranking"][0]), read["unseen"]) == (MOST_RESULTS, {"0": 20})
    assert read["expected"][0][0][2] == MOST_RESULTS + 20


def test_what_can_not_be_seen_is_shown() -> None:
    text = "\0\x1b\u202e\n"
    shown = r"\x00\x1b\u202e\n"
    read = columns(evaluation([full_case(id=text, query=text, tags=(text,), ranking=(text,), error=text)]))
    assert (read["id"], read["query"], read["tags"][0], read["error"]) == ([shown], [shown], shown, {"0": shown})
    assert read["ids"][-1] == shown


def test_ids_that_only_look_alike_stay_two() -> None:
    read = columns(evaluation([full_case(relevant={"a\n": 1}, ranking=(r"a\n", "a\n"))]))
    assert read["expected"][0][0][2] == 2
    assert len(set(read["ranking"][0])) == 2
