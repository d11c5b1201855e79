from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_recall.baseline import Entry, RecordedCase, RecordedMetric, entry_of, suite_key
from pytest_recall.evaluation import CaseResult, Evaluation, MemoriesDigest, Policy, Settings
from pytest_recall.metrics import parse_metric

if TYPE_CHECKING:
    from pathlib import Path


def test_entry_holds_what_is_compared_and_nothing_else() -> None:
    settings = Settings(k=10, policy=Policy(gain="exponential"), memories=MemoriesDigest(count=2, sha256="ab"))
    metrics = [parse_metric(name) for name in ("mrr", "judged@10", "latency_p95_ms", "negative_accuracy")]
    cases = [
        CaseResult(
            id="found",
            query="q",
            fingerprint="f1",
            tags=("legal",),
            relevant={"a": 1, "b": 2},
            stale=("old",),
            ranking=("x", "a", "old"),
            scores={"mrr": 0.5, "judged@10": 0.25},
            latency_ms=3.5,
            line=7,
        ),
        CaseResult(id="nothing", fingerprint="f2", scores={"mrr": None, "judged@10": None, "negative_accuracy": 1.0}),
    ]
    assert entry_of(Evaluation.of("a.eval.yaml", "retriever", settings, metrics, cases)) == Entry(
        k=10,
        policy=settings.policy,
        memories=settings.memories,
        metrics={
            "mrr": RecordedMetric(value=0.5, aggregate="mean", scored=1, undefined=1),
            "negative_accuracy": RecordedMetric(value=1.0, aggregate="mean", scored=1, undefined=0),
        },
        cases={
            "found": RecordedCase(fingerprint="f1", ranks={"a": 2, "b": None, "old": 3}, scores={"mrr": 0.5}),
            "nothing": RecordedCase(fingerprint="f2", ranks={}, scores={"mrr": None, "negative_accuracy": 1.0}),
        },
    )


def test_ranks_of_a_case_whose_repeats_differ_are_not_recorded() -> None:
    case = CaseResult(id="q", relevant={"a": 1}, ranking=("a",), scores={"mrr": 0.75}, rankings=2)
    entry = entry_of(Evaluation.of("a.eval.yaml", "retriever", Settings(k=10), [parse_metric("mrr")], [case]))
    assert entry.cases["q"].ranks is None


@pytest.mark.parametrize(
    ("name", "folder", "key"),
    [
        ("a.eval.yaml", ".", "a.eval.yaml"),
        ("tests/a.eval.yaml", ".", "tests/a.eval.yaml"),
        ("tests/a.eval.yaml", "tests", "a.eval.yaml"),
        ("tests/a.eval.yaml", "baselines/nightly", "../../tests/a.eval.yaml"),
        ("../other/a.eval.yaml", ".", "../other/a.eval.yaml"),
        ("tests/test_a.py::TestX::test_y", "baselines", "../tests/test_a.py::TestX::test_y"),
        ("tests/test_a.py::test_y[a/../b::c]", ".", "tests/test_a.py::test_y[a/../b::c]"),
    ],
)
def test_suite_key_is_relative_to_the_folder_of_the_baseline(name: str, folder: str, key: str, tmp_path: Path) -> None:
    assert suite_key(name, tmp_path, tmp_path / folder) == key


def test_suite_key_sees_through_links_to_the_root(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "project"
    root.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    assert suite_key("a.eval.yaml", root, link) == "a.eval.yaml"
    assert suite_key("a.eval.yaml", link, root / "tests") == "../a.eval.yaml"


def test_suite_key_is_absolute_where_no_path_leads_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # On Windows nothing leads from one drive to another.
    def refuse(*_: object) -> NoReturn:
        raise ValueError

    monkeypatch.setattr(os.path, "relpath", refuse)
    assert suite_key("a.eval.yaml", tmp_path, tmp_path) == (tmp_path.resolve() / "a.eval.yaml").as_posix()
