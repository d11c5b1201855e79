"""``pytest-recall score`` as people run it."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall.cli import progress
from pytest_recall.cli.score import DEFAULT_METRICS
from tests.trec_names import ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.cli.conftest import Shell

QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 1\nq3 0 x 1\n"
# q1 finds b first and a third, q2 finds a second, q3 is missing, q9 is judged by nobody.
RUN = "q1 Q0 b 1 3 s\nq1 Q0 y 2 2 s\nq1 Q0 a 3 1 s\nq2 Q0 y 1 9.5 s\nq2 Q0 a 2 9.25 s\nq9 Q0 a 1 1 s\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("qrels.txt").write_text(QRELS)
    tmp_path.joinpath("run.txt").write_text(RUN)
    return tmp_path


NOTES = (
    "pytest-recall: 1 judged query not in the run, scored 0: q3\n"
    "pytest-recall: 1 query of the run without judgments, ignored\n"
)


@pytest.mark.usefixtures("files")
def test_means_over_the_judged_queries(shell: Shell) -> None:
    # Of the three queries 1, 1/2 and 0, and 5/6, 1/2 and 0.
    assert shell.run("score", "qrels.txt", "run.txt", "-m", "mrr", "map") == (
        0,
        "mrr\tall\t0.5000\nmap\tall\t0.4444\n",
        NOTES,
    )


@pytest.mark.usefixtures("files")
def test_values_of_each_query(shell: Shell) -> None:
    code, printed, _ = shell.run("score", "qrels.txt", "run.txt", "--metric", "success@1", "--per-query")

    assert code == 0
    assert (
        printed == "hit_rate@1\tq1\t1.0000\nhit_rate@1\tq2\t0.0000\nhit_rate@1\tq3\t0.0000\nhit_rate@1\tall\t0.3333\n"
    )


@pytest.mark.usefixtures("files")
def test_without_metrics_those_of_the_field(shell: Shell) -> None:
    _, printed, _ = shell.run("score", "qrels.txt", "run.txt")

    assert [line.split("\t")[0] for line in printed.splitlines()] == list(DEFAULT_METRICS)


@pytest.mark.usefixtures("files")
def test_depth_cuts_each_ranking(shell: Shell) -> None:
    assert shell.run("score", "qrels.txt", "run.txt", "-m", "mrr", "--depth", "1")[1] == "mrr\tall\t0.3333\n"


@pytest.mark.usefixtures("files")
def test_threshold_and_gain(shell: Shell) -> None:
    options = ("--relevance-threshold", "2", "--gain", "exponential")

    _, printed, _ = shell.run("score", "qrels.txt", "run.txt", "-m", "mrr", "ndcg", "--per-query", *options)

    # Of q2 nothing is relevant. Gains of q1 are 3 and 1: (3 + 1 / 2) / (3 + 1 / log2 3) = 0.9639.
    assert "mrr\tq1\t1.0000\nmrr\tq2\t0.0000\n" in printed
    assert "ndcg\tq1\t0.9639\n" in printed


@pytest.mark.usefixtures("files")
def test_a_missed_bound_fails(shell: Shell) -> None:
    code, printed, told = shell.run(
        "score", "qrels.txt", "run.txt", "-m", "map", "--min", "mrr=0.6", "--min", "map=0.4"
    )

    assert code == 1
    assert printed == "map\tall\t0.4444\nmrr\tall\t0.5000\n"
    assert told == f"{NOTES}pytest-recall: mrr 0.5000, needs 0.6\n"


@pytest.mark.usefixtures("files")
def test_judgments_are_a_file(shell: Shell) -> None:
    told = "pytest-recall: QRELS must be a file; only RUN can be standard input\n"
    assert shell.run("score", "-", "run.txt") == (2, "", told)


def test_results_are_no_list(files: Path, shell: Shell) -> None:
    files.joinpath("run.json").write_text('["q1", "a"]\n')
    told = "pytest-recall: run.json: JSON results are an object such as {topic: [id]}, not a list\n"
    assert shell.run("score", "qrels.txt", "run.json") == (2, "", told)


@pytest.mark.usefixtures("files")
def test_a_metric_has_one_bound(shell: Shell) -> None:
    assert shell.run("score", "qrels.txt", "run.txt", "--min", "mrr=0.9", "--min", "mrr=0.1") == (
        2,
        "",
        "pytest-recall: --min names mrr twice, with 0.9 and 0.1: leave one out\n",
    )


@pytest.mark.usefixtures("files")
def test_a_bound_is_inclusive(shell: Shell) -> None:
    assert shell.run("score", "qrels.txt", "run.txt", "--min", "mrr=0.5")[0] == 0


def test_json_and_gzip(files: Path, shell: Shell) -> None:
    files.joinpath("run.json").write_text(json.dumps({"q1": ["y", "a"], "q2": {"a": 2, "y": 1}}))
    files.joinpath("qrels.gz").write_bytes(gzip.compress(QRELS.encode()))

    assert shell.run("score", "qrels.gz", "run.json", "-m", "mrr")[:2] == (0, "mrr\tall\t0.5000\n")


@pytest.mark.usefixtures("files")
def test_standard_input() -> None:
    program = Path(sys.executable).with_name("pytest-recall")

    done = subprocess.run(
        [program, "score", "qrels.txt", "-", "-m", "mrr"], input=RUN, capture_output=True, check=True, text=True
    )

    assert done.stdout == "mrr\tall\t0.5000\n"


def test_names_that_are_no_ascii(files: Path, shell: Shell) -> None:
    files.joinpath("qrels.txt").write_text("né\u0301 0 ü 1\n", encoding="utf-8")
    files.joinpath("run.txt").write_text("né\u0301 Q0 ü 1 1 s\n", encoding="utf-8")

    assert shell.run("score", "qrels.txt", "run.txt", "-m", "mrr", "--per-query")[1].startswith(
        "mrr\tné\u0301\t1.0000\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ndgc@10"], "argument -m/--metric: unknown metric 'ndgc@10' (did you mean 'ndcg@10'?)"),
        (
            ["-m", "judged@3"],
            "argument -m/--metric: 'judged@3' is no metric of a ranking alone; it is computed over a suite",
        ),
        (["--depth", "0"], "argument --depth: must be a whole number from 1, got '0'"),
        (["--min", "mrr"], "argument --min: must be METRIC=VALUE such as mrr=0.3, got 'mrr'"),
        (["--min", "mrr=x"], "argument --min: must be METRIC=VALUE such as mrr=0.3, got 'mrr=x'"),
        (["--min", "mrr=3"], "argument --min: min 3 is outside the range of mrr (0 to 1)"),
        (["--min", "mrr=nan"], "argument --min: min nan is outside the range of mrr (0 to 1)"),
        (["--relevance-threshold", "0"], "argument --relevance-threshold: must be a finite number above 0, got '0'"),
        (["--relevance-threshold", "x"], "argument --relevance-threshold: must be a finite number above 0, got 'x'"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_means_nothing_is_refused(arguments: list[str], message: str, shell: Shell) -> None:
    code, printed, told = shell.run("score", "qrels.txt", "run.txt", *arguments)

    assert (code, printed) == (2, "")
    assert told.splitlines()[-1] == f"pytest-recall score: error: {message}"


def test_broken_files_are_told_with_their_line(files: Path, shell: Shell) -> None:
    files.joinpath("run.txt").write_text(RUN + "q2 Q0 z\n")

    assert shell.run("score", "qrels.txt", "run.txt") == (
        2,
        "",
        "pytest-recall: run.txt:7: must be 'topic Q0 document rank score tag', got 3 fields\n",
    )
    assert shell.run("score", "qrels.txt", "none.txt")[2] == "pytest-recall: none.txt: there is no such file\n"
    assert shell.run("score", "none.txt", "run.txt")[2] == "pytest-recall: none.txt: there is no such file\n"


def test_trec_evals_numbers(shared_data: Path, shell: Shell) -> None:
    folder = shared_data / "oracle" / "trec"
    expected = json.loads(folder.joinpath("expected.json").read_text(encoding="utf-8"))["cases"]["standard"]
    metrics = {
        ours(theirs): theirs
        for theirs in ("map", "Rprec", "recip_rank", "P_5", "ndcg_cut_10")
        if theirs in expected["mean"]
    }

    _, printed, _ = shell.run(
        "score", str(folder / expected["qrels"]), str(folder / "results.test"), "-m", *metrics, "--per-query"
    )

    values = {(metric, topic): value for metric, topic, value in (line.split("\t") for line in printed.splitlines())}
    for name, theirs in metrics.items():
        assert float(values[name, "all"]) == pytest.approx(expected["mean"][theirs], abs=1.01e-4)
        for topic, printed_there in expected["per_query"].items():
            assert float(values[name, topic]) == pytest.approx(printed_there[theirs], abs=1.01e-4)


def read_on(terminal: int) -> Iterator[bytes]:
    """All that was written; how much one reading brings is up to the system."""
    with contextlib.suppress(OSError):  # at its end, Linux says
        while part := os.read(terminal, 65536):
            yield part


def seen_on_a_terminal(files: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> bytes:
    files.joinpath("run.txt").write_text("".join(f"t{topic} Q0 a 1 1 s\n" for topic in range(50)))
    monkeypatch.setenv("TERM", "xterm")
    shown, terminal = pty.openpty()
    with os.fdopen(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        code, printed, _ = shell.run("score", "qrels.txt", "run.txt", "-m", "mrr")
    seen = b"".join(read_on(shown))
    os.close(shown)

    assert (code, printed) == (0, "mrr\tall\t0.0000\n")
    return seen


def test_a_terminal_sees_how_far_it_is(files: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_S", 0)
    monkeypatch.setattr(progress, "EVERY_S", 0)
    seen = seen_on_a_terminal(files, shell, monkeypatch)
    bars, _, after = seen.partition(b"pytest-recall: ")
    assert b"\r[########################################] 100%, 0 s left" in bars
    # Gone before the notes.
    assert bars.endswith(b" \r")
    assert after


def test_a_terminal_sees_nothing_of_what_is_read_at_once(
    files: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST_S", 3600)
    assert b"#" not in seen_on_a_terminal(files, shell, monkeypatch)


@pytest.mark.usefixtures("files")
def test_nothing_else_sees_how_far_it_is(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_S", 0)

    assert shell.run("score", "qrels.txt", "run.txt", "-m", "mrr")[2] == NOTES


@pytest.mark.parametrize(
    ("qrels", "gain"),
    [
        pytest.param("q1 0 a 1025\n", "exponential", id="no power of two"),
        pytest.param("q1 0 a 1e308\nq1 0 b 1e308\nq1 0 c 1e308\n", "linear", id="no sum"),
    ],
)
def test_grades_whose_gains_have_no_sum(files: Path, shell: Shell, qrels: str, gain: str) -> None:
    files.joinpath("large.txt").write_text(qrels)

    assert shell.run("score", "large.txt", "run.txt", "-m", "ndcg", "--gain", gain) == (
        2,
        "",
        "pytest-recall: the grades are too large: a sum of their gains is no number\n",
    )
