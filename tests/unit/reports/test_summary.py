from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds
from pytest_recall.evaluation import MemoriesDigest
from pytest_recall.gates import Verdict
from pytest_recall.pairing import Pairing
from pytest_recall.reports import SuiteReport, summary_lines
from pytest_recall.reports.summary import notes_of, numbers_of
from tests.unit.reports.builders import evaluation, full_case

BEFORE = evaluation(
    [
        full_case(id="a", ranking=("lease-2",), scores={"mrr": 1.0}, repeats=()),
        full_case(id="b", ranking=("rent-9", "lease-2"), repeats=()),
    ]
)
NOW = evaluation(
    [
        full_case(id="a", ranking=(), scores={"mrr": 0.0}, repeats=()),
        full_case(id="b", ranking=("lease-2",), scores={"mrr": 1.0}, repeats=()),
    ],
    notes=(),
)
LOST = "    lost    a  lease-2: rank 1 -> not in 3  got nothing"
GAINED = "    gained  b  lease-2: rank 2 -> 1         got lease-2"


@pytest.mark.parametrize(("verbose", "moves"), [(False, [LOST]), (True, [LOST, GAINED])])
def test_what_got_better_explains_no_failure(verbose: bool, moves: list[str]) -> None:  # noqa: FBT001 - a column
    failed = Verdict(
        metric="mrr", bounds=Bounds(min=0.9), value=0.5, baseline=0.75, change=-0.25, outcome="failed", reason="less"
    )
    report = SuiteReport(evaluation=NOW, verdicts=(failed,), pairing=Pairing(NOW, entry_of(BEFORE)))
    lines = [line.text for line in summary_lines([report], verbose=verbose)]
    assert [line for line in lines if line.startswith("    ") and "rank" in line] == moves


def test_edited_memories_are_told() -> None:
    memories = MemoriesDigest(count=3, sha256="b6")
    edited = replace(NOW, settings=replace(NOW.settings, memories=memories))
    report = SuiteReport(evaluation=edited, verdicts=(), pairing=Pairing(edited, entry_of(BEFORE)))
    assert "note: the memories were edited since the baseline" in notes_of(report)


@pytest.mark.parametrize(
    ("value", "bounds", "shown"),
    [
        (0.79996, Bounds(min=0.8), ("0.79996", "", "", ">= 0.8")),
        (0.5, Bounds(min=0.8), ("0.500", "", "", ">= 0.8")),
        (0.9, Bounds(min=0.8000001), ("0.900", "", "", ">= 0.8000001")),
        (12.0004, Bounds(max=12), ("12.0004", "", "", "<= 12")),
        (None, Bounds(min=0.8), ("–", "", "", ">= 0.8")),
    ],
)
def test_a_value_never_looks_like_the_bound_it_misses(
    value: float | None, bounds: Bounds, shown: tuple[str, str, str, str]
) -> None:
    assert numbers_of(Verdict(metric="mrr", bounds=bounds, value=value)) == shown


def test_cases_with_a_value_on_one_side_only_are_told() -> None:
    before = evaluation([full_case(id="a"), full_case(id="b", scores={"mrr": None}, repeats=())], notes=())
    now = evaluation([full_case(id="a"), full_case(id="b", scores={"mrr": 0.0}, repeats=())], notes=())
    compared = Verdict(metric="mrr", value=0.25, baseline=0.5, change=0.0)
    report = SuiteReport(evaluation=now, verdicts=(compared,), pairing=Pairing(now, entry_of(before)))
    assert "note: mrr is compared without 1 case that has a value on one side only: b" in notes_of(report)
