"""Suites of other shapes: memories and cases in other files, other people's collections, very many cases."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.cases.conftest import Reported


def jsonl(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")


def bring_paths(reported: Reported, name: str, written: str) -> None:
    reported.bring("20", name, changes=((f"memories_file: {written}\n", f"memories: {{path: {written}}}\n"),))
    shutil.copytree(reported.folder / "sub", reported.path / "sub", copy_function=shutil.copyfile)


def test_path_is_relative_to_the_suite_wherever_pytest_is_called(
    reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_paths(reported, "ok.eval.yaml", "sub/corpus.jsonl")
    reported.run().assert_outcomes(passed=5)
    monkeypatch.chdir(reported.path / "sub")
    reported.run("--rootdir=..", "..").assert_outcomes(passed=5)


@pytest.mark.parametrize(
    ("name", "written"), [("abs.eval.yaml", "/etc/passwd"), ("inc.eval.yaml", "../../../../../../etc/passwd")]
)
def test_path_that_leaves_the_root_is_refused_with_where_it_leads(reported: Reported, name: str, written: str) -> None:
    bring_paths(reported, name, written)
    result = reported.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    outside = f"'{written}' leads to '*etc/passwd', outside of '*', so it is not opened"
    result.stdout.fnmatch_lines([f"{name}:2:18: memories.path: {outside}"])


def test_link_that_leaves_the_root_is_refused_unread(
    reported: Reported, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bring_paths(reported, "ok.eval.yaml", "sub/corpus.jsonl")
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.jsonl"
    secret.write_text("a secret\n", encoding="utf-8")
    corpus = reported.path / "sub" / "corpus.jsonl"
    corpus.unlink()
    corpus.symlink_to(secret)
    result = reported.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    outside = "'sub/corpus.jsonl' leads to '*/secret.jsonl', outside of '*', so it is not opened"
    result.stdout.fnmatch_lines([f"ok.eval.yaml:2:18: memories.path: {outside}"])
    assert "a secret" not in str(result.stdout)


@pytest.mark.parametrize("form", ["list", "lines"])
def test_ten_thousand_cases_score_what_was_worked_out(reported: Reported, form: str) -> None:
    reported.bring("59")
    metrics = "metrics: [recall@10, mrr]\nk: 10\n"
    if form == "list":
        subprocess.run([sys.executable, reported.folder / "make_fixture.py"], check=True, cwd=reported.path)
        suite = reported.path / "huge.eval.yaml"
        suite.write_text(suite.read_text(encoding="utf-8").replace("k: 10\n", metrics), encoding="utf-8")
    else:
        jsonl(reported.path / "corpus.jsonl", ({"_id": f"doc-{i:05d}", "text": f"number {i}"} for i in range(2000)))
        jsonl(
            reported.path / "cases.jsonl",
            (
                {
                    "id": f"case-{i:05d}",
                    "query": f"topic {i % 97} item {i}",
                    "relevant": [f"doc-{i % 2000:05d}", f"doc-{i * 7 % 2000:05d}"],
                }
                for i in range(10_000)
            ),
        )
        reported.write("huge.eval.yaml", f"{metrics}memories: {{path: corpus.jsonl}}\ncases: {{path: cases.jsonl}}\n")
    entry = reported.recorded()
    assert len(entry["cases"]) == 10_000
    # The second id is within ten where (6 i mod 2000) < 10: for 5 in 1000.
    assert {metric: summary["value"] for metric, summary in entry["metrics"].items()} == {"recall@10": 0.5025, "mrr": 1}


def test_grades_below_zero_are_told_and_not_relevant(reported: Reported, shared_data: Path) -> None:
    shutil.copytree(shared_data / "data" / "cranfield", reported.path / "cranfield")
    reported.write(
        "cranfield.eval.yaml",
        "k: 1000\nmetrics: [map]\nmemories: {path: cranfield/corpus.jsonl}\n"
        "cases: {queries: cranfield/queries.jsonl, qrels: cranfield/qrels/test_trec_codes.txt}\n",
    )
    result = reported.run("--eval-retriever=lexical_retriever", own_process=True)
    result.stdout.fnmatch_lines(
        [
            "cranfield.eval.yaml  lexical_retriever  225 cases",
            "  map    *  0.301  *",
            "  note: 225 judgments of cranfield/qrels/test_trec_codes.txt with a grade below 0,*not relevant",
        ]
    )


def test_judgments_joined_to_other_numbers_are_no_cases(reported: Reported, shared_data: Path) -> None:
    shutil.copytree(shared_data / "data" / "cranfield", reported.path / "cranfield")
    path = reported.path / "cranfield" / "queries.jsonl"
    queries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    # The numbers in the collection's own file of queries, which its judgments do not use.
    jsonl(path, ({"_id": str(int(query["metadata"]["orig_I"])), "text": query["text"]} for query in queries))
    reported.write(
        "cranfield.eval.yaml", "cases: {queries: cranfield/queries.jsonl, qrels: cranfield/qrels/test.tsv}\n"
    )
    result = reported.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["cranfield/qrels/test.tsv:*: unknown query '3'*"])


@pytest.mark.parametrize("form", ["as it is", "lines"])
def test_kimetsu_fixture_scores_what_was_worked_out(reported: Reported, form: str) -> None:
    reported.bring("63", changes=(('{"memories"', '{"k": 2, "memories"'),))
    if form == "lines":
        suite = reported.path / "kimetsu.eval.yaml"
        fixture = json.loads(suite.read_text(encoding="utf-8"))
        jsonl(reported.path / "memories.jsonl", fixture["memories"])
        jsonl(reported.path / "cases.jsonl", fixture["cases"])
        suite.write_text("k: 2\nmemories: {path: memories.jsonl}\ncases: {path: cases.jsonl}\n", encoding="utf-8")
    entry = reported.recorded()
    values = {metric: summary["value"] for metric, summary in entry["metrics"].items()}
    expected = {"recall@2": 1, "mrr": 0.75, "negative_accuracy": 1, "stale_hit_rate@2": 1, "resolution_accuracy": 0}
    assert {metric: values[metric] for metric in expected} == expected
