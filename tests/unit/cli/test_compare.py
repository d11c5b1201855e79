"""``pytest-recall compare`` as people run it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.baseline import Baseline, entry_of, render
from pytest_recall.evaluation import Summary
from pytest_recall.reports import SuiteReport, files
from tests import builders
from tests.replays import ASKED, CHANGED, FINAL, run_of
from tests.unit.cli.test_main import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import Evaluation
    from tests.unit.cli.conftest import Shell

NAME = "tests/notes.eval.yaml"
METRICS = ("mrr", "stale_hit_rate@3")
HEAD = "                     before    now  change 95 % interval      p wins ties losses\n"


def scored(
    rankings: Mapping[str, Sequence[str] | Exception], metrics: Sequence[str] = METRICS, k: int = 10, name: str = NAME
) -> Evaluation:
    return replace(builders.scored(rankings, metrics, k=k), suite=name)


BEFORE = scored({"one": "a", "two": "xa", "three": "a"})
NOW = scored({"one": "xya", "two": "a", "three": "a"})

# One is 1/3 and two is 1: 1, 1/2 and 1 before, so 5/6 and then 7/9.
TABLE = f"""{HEAD}\
tests/notes.eval.yaml  retriever  3 cases
  mrr                 0.833  0.778  -0.056 -0.667 +0.500  1.000    1    1      1
  stale_hit_rate@3    0.000  0.000       =                         0    3      0
"""
MOVES = """\
    lost    one  a: rank 1 -> 3
    gained  two  a: rank 2 -> 1
"""
DROPPED = "mrr 0.778, baseline 0.833, dropped 0.056 (2 of 3 cases differ, too few to decide)"


def write(shell: Shell, name: str, *evaluations: Evaluation) -> None:
    files.write(shell.path / name, [SuiteReport(evaluation=each, verdicts=()) for each in evaluations])


def baseline(*evaluations: Evaluation, folder: str = "") -> str:
    """The baseline of some evaluations, as a file below a folder has it."""
    return render(
        Baseline(entries={(each.suite.removeprefix(folder), each.system): entry_of(each) for each in evaluations})
    )


def failures(told: str) -> list[str]:
    return [line.removeprefix("pytest-recall: ") for line in told.splitlines()]


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_reports_beside_each_other(shell: Shell, suffix: str) -> None:
    write(shell, f"before.{suffix}", BEFORE)
    write(shell, "now.json", NOW)
    code, printed, told = shell.run("compare", f"before.{suffix}", "now.json")
    assert (code, told) == (0, "")
    # a against x y a: 0.1 · 0.81 / 3 + 0.729 / 3 = 0.27; x a against a: 0.1 · 0.9 / 2 + 0.81 / 2 = 0.45; and 1.
    assert printed == f"{TABLE}  reproduced 0.333, rank-biased overlap 0.573\n{MOVES}"
    assert max(map(len, printed.splitlines())) == 80


def test_a_regression_fails_only_when_that_is_asked_for(shell: Shell) -> None:
    write(shell, "before.json", BEFORE)
    write(shell, "now.json", NOW)
    printed = shell.run("compare", "before.json", "now.json")[1]
    assert shell.run("compare", "before.json", "now.json", "--fail-on-regression") == (
        1,
        printed,
        f"pytest-recall: {NAME} (retriever): {DROPPED}\n",
    )
    assert shell.run("compare", "before.json", "before.json", "--fail-on-regression")[0] == 0


def test_what_is_better_lower_may_not_rise(shell: Shell) -> None:
    write(shell, "before.json", scored({"one": "a"}))
    write(shell, "now.json", scored({"one": ["a", "old"]}))
    code, _, told = shell.run("compare", "before.json", "now.json", "--fail-on-regression")
    rose = "stale_hit_rate@3 1.000, baseline 0.000, rose 1.000"
    assert (code, failures(told)) == (1, [f"{NAME} (retriever): {rose}"])
    code, printed, told = shell.run("compare", "now.json", "before.json", "--fail-on-regression")
    assert (code, told) == (0, "")
    assert printed.splitlines()[-1] == "    gained  one  old (stale): rank 2 -> not in 10"
    # A baseline does not know what is stale, and the report beside it does.
    shell.write("baseline.json", baseline(scored({"one": "a"})))
    assert shell.run("compare", "now.json", "baseline.json")[1].splitlines()[-1] == printed.splitlines()[-1]


@pytest.mark.parametrize("names", [("before.json", "now.json"), ("tests/before.json", "now.json"), ("old", "new")])
def test_baselines_are_told_by_their_content(shell: Shell, names: tuple[str, str]) -> None:
    for name, evaluation in zip(names, (BEFORE, NOW), strict=True):
        shell.write(name, baseline(evaluation))
    assert shell.run("compare", *names, "--fail-on-regression") == (
        1,
        TABLE + MOVES,
        f"pytest-recall: {NAME} (retriever): {DROPPED}\n",
    )


def test_a_baseline_names_suites_from_its_folder(shell: Shell) -> None:
    shell.write("tests/baseline.json", baseline(BEFORE, folder="tests/"))
    write(shell, "now.yaml", NOW)
    assert shell.run("compare", "tests/baseline.json", "now.yaml") == (0, TABLE + MOVES, "")
    # The other way round what was won is lost.
    code, printed, _ = shell.run("compare", "now.yaml", "tests/baseline.json")
    assert code == 0
    assert printed.endswith("    lost    two  a: rank 1 -> 2\n    gained  one  a: rank 3 -> 1\n")


def test_a_baseline_from_elsewhere_is_matched_by_how_paths_end(shell: Shell) -> None:
    write(shell, "now.json", NOW)
    for stdin in (baseline(BEFORE), baseline(BEFORE, folder="tests/")):
        assert shell.run("compare", "-", "now.json", stdin=stdin) == (0, TABLE + MOVES, "")


def test_a_baseline_of_a_copy_within_is_none_of_the_project(shell: Shell) -> None:
    shell.write("main/tests/baseline.json", baseline(BEFORE, folder="tests/"))
    copy = replace(BEFORE, suite=f"main/{NAME}")
    write(shell, "both.json", copy, NOW)
    code, printed, told = shell.run("compare", "main/tests/baseline.json", "both.json", "--fail-on-regression")
    assert printed.endswith(f"\nonly in both.json: {NAME} (retriever)\n")
    assert (code, failures(told)) == (
        1,
        [
            (
                f"{NAME} (retriever): not compared, for main/tests/baseline.json is that of its copy main/{NAME}; "
                "run pytest without the copy"
            )
        ],
    )
    # Without it the baseline is that of the project; and a new suite of the same name is no copy.
    write(shell, "now.json", NOW)
    told = shell.run("compare", "main/tests/baseline.json", "now.json", "--fail-on-regression")[2]
    assert failures(told) == [f"{NAME} (retriever): {DROPPED}"]
    shell.write("baseline.json", baseline(BEFORE))
    write(shell, "more.json", BEFORE, replace(NOW, suite="notes.eval.yaml"), replace(NOW, suite=f"new/{NAME}"))
    assert shell.run("compare", "baseline.json", "more.json", "--fail-on-regression")[::2] == (0, "")


def test_a_report_from_standard_input(shell: Shell) -> None:
    write(shell, "before.json", BEFORE)
    write(shell, "now.json", NOW)
    told = shell.run("compare", "before.json", "now.json")
    assert shell.run("compare", "before.json", "-", stdin=(shell.path / "now.json").read_text("utf-8")) == told
    assert shell.run("compare", "-", "-") == (2, "", "pytest-recall: only one of the files can be standard input\n")


def test_what_only_one_side_holds_is_named_and_its_loss_is_a_regression(shell: Shell) -> None:
    other = scored({"one": "a"}, name="tests/other.eval.yaml")
    write(shell, "more.json", BEFORE, other)
    write(shell, "less.json", BEFORE)
    code, printed, told = shell.run("compare", "more.json", "less.json", "--fail-on-regression")
    assert printed.endswith("\nonly in more.json: tests/other.eval.yaml (retriever)\n")
    assert (code, failures(told)) == (1, ["tests/other.eval.yaml (retriever): not in less.json any more"])
    code, printed, told = shell.run("compare", "less.json", "more.json", "--fail-on-regression")
    assert printed.endswith("\nonly in more.json: tests/other.eval.yaml (retriever)\n")
    assert (code, told) == (0, "")


def test_metrics_that_only_one_side_has(shell: Shell) -> None:
    write(shell, "more.json", scored({"one": "a"}, ["mrr", "recall@5", "map"]))
    write(shell, "less.json", scored({"one": "a"}, ["mrr"]))
    code, printed, told = shell.run("compare", "more.json", "less.json", "--fail-on-regression")
    assert printed.endswith("\n  note: only in more.json: recall@5, map\n")
    assert (code, failures(told)) == (1, [f"{NAME} (retriever): not computed any more: recall@5, map"])
    code, printed, told = shell.run("compare", "less.json", "more.json", "--fail-on-regression")
    assert printed.endswith("\n  note: only in more.json: recall@5, map\n")
    assert (code, told) == (0, "")


def test_a_case_that_raises_now_is_a_regression(shell: Shell) -> None:
    write(shell, "before.json", BEFORE)
    write(shell, "now.json", scored({"one": RuntimeError("no \x1b[31mindex"), "two": "xa", "three": "a"}))
    code, printed, told = shell.run("compare", "before.json", "now.json", "--fail-on-regression")
    assert code == 1
    assert printed == (
        f"{HEAD}tests/notes.eval.yaml  retriever  3 cases\n"
        "  mrr                 0.833      –                                 0    2      1\n"
        "  stale_hit_rate@3    0.000      –                                 0    2      1\n"
        "  reproduced 0.667, rank-biased overlap 0.667\n"
        "    raised  one  RuntimeError: no \\x1b[31mindex\n"
    )
    raised = "1 of 3 cases raised, first one: RuntimeError: no \\x1b[31mindex"
    assert failures(told) == [
        f"{NAME} (retriever): 1 case raises that did not before: one",
        f"{NAME} (retriever): mrr has no value: {raised}",
        f"{NAME} (retriever): stale_hit_rate@3 has no value: {raised}",
    ]
    # Mended, it is no regression.
    code, printed, told = shell.run("compare", "now.json", "before.json", "--fail-on-regression")
    assert (code, told) == (0, "")
    assert "    gained  one  mrr: – -> 1.000, stale_hit_rate@3: – -> 0.000\n" in printed
    assert "  note: mrr: no value in now.json\n" in printed


def test_a_value_that_is_missing_on_both_sides_proves_nothing(shell: Shell) -> None:
    write(shell, "now.json", scored({"one": RuntimeError("gone"), "two": "a"}, ["mrr"]))
    code, _, told = shell.run("compare", "now.json", "now.json", "--fail-on-regression")
    assert (code, failures(told)) == (
        1,
        [f"{NAME} (retriever): mrr has no value: 1 of 2 cases raised, first one: RuntimeError: gone"],
    )


def renamed(evaluation: Evaluation, **questions: str) -> Evaluation:
    cases = [replace(each, fingerprint=questions.get(str(each.id), str(each.id))) for each in evaluation.cases]
    return replace(evaluation, cases=tuple(cases))


def test_of_recorded_runs_only_the_metrics_are_compared(shell: Shell) -> None:
    write(shell, "before.json", run_of(ASKED, FINAL))
    write(shell, "now.json", run_of(CHANGED, FINAL))
    _, printed, _ = shell.run("compare", "before.json", "now.json")
    assert "  reproduced          1.000  0.000  -1.000 " in printed
    assert "rank-biased" not in printed


def test_other_questions_are_told(shell: Shell) -> None:
    write(shell, "before.json", renamed(scored({"one": "a", "two": "a", "old": "a", "gone": "a"}), old="same"))
    write(shell, "now.json", renamed(scored({"one": "a", "two": "a", "new": "xa", "more": "xa"}), new="same"))
    code, printed, told = shell.run("compare", "before.json", "now.json", "--fail-on-regression")
    assert (code, told) == (0, "")
    assert printed == (
        f"{HEAD}"
        "tests/notes.eval.yaml  retriever  4 cases\n"
        "  mrr                 1.000  1.000       =                         0    2      0\n"
        "  stale_hit_rate@3    0.000  0.000       =                         0    2      0\n"
        "  reproduced 1.000, rank-biased overlap 1.000\n"
        "  note: the numbers are over the 2 cases that both sides ask\n"
        "  note: 2 cases added since before.json: new, more\n"
        "  note: 2 cases removed since before.json: old, gone\n"
        "  note: 'old' is now called 'new' (same question)\n"
    )


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (
            scored({"one": "a", "two": "a", "three": "a"}, k=5),
            "not comparable with before.json: k is 5, recorded with 10",
        ),
        (scored({"one": "a", "x": "a"}), "not comparable with before.json: only 1 of its 3 cases still asks the same"),
        (
            replace(BEFORE, problem="no id is known"),
            "the numbers of now.json can't be trusted: no id is known",
        ),
    ],
)
def test_what_can_not_be_compared_has_no_numbers(shell: Shell, now: Evaluation, reason: str) -> None:
    write(shell, "before.json", BEFORE)
    write(shell, "now.json", now)
    code, printed, told = shell.run("compare", "before.json", "now.json")
    head, title, refusal, *_ = printed.splitlines()
    assert (code, told, head + "\n") == (0, "", HEAD)
    assert title.startswith("tests/notes.eval.yaml  retriever  ")
    assert refusal == f"  {reason}"
    assert "mrr" not in printed
    assert shell.run("compare", "before.json", "now.json", "--fail-on-regression")[::2] == (
        1,
        f"pytest-recall: {NAME} (retriever): {reason}\n",
    )


def test_a_baseline_edited_by_hand_is_told(shell: Shell) -> None:
    record = json.loads(baseline(BEFORE))
    record["suites"][NAME]["systems"]["retriever"]["metrics"]["mrr"]["value"] = 0.5
    shell.write("before.json", json.dumps(record))
    write(shell, "now.json", BEFORE)
    edited = "not comparable with before.json: its value there is 0.500, the mean of its cases 0.833"
    code, printed, told = shell.run("compare", "before.json", "now.json", "--fail-on-regression")
    assert printed.endswith(f"\n  note: mrr: {edited}\n")
    assert (code, told) == (1, f"pytest-recall: {NAME} (retriever): mrr 0.833, {edited}\n")


def with_cost(evaluation: Evaluation, cost: float) -> Evaluation:
    """The evaluation with a metric of the user's own, better lower."""
    summary = Summary(value=cost, scored=3, undefined=0, errors=0, better="lower", aggregate="mean")
    return replace(
        evaluation,
        metrics={**evaluation.metrics, "cost": summary},
        cases=tuple(replace(each, scores={**each.scores, "cost": cost}) for each in evaluation.cases),
    )


def test_two_baselines_do_not_tell_which_way_a_metric_of_the_users_is_better(shell: Shell) -> None:
    before, now = with_cost(BEFORE, 2.0), with_cost(BEFORE, 3.5)
    shell.write("before.json", baseline(before))
    shell.write("now.json", baseline(now))
    write(shell, "report.json", now)
    unknown = "not compared, for a baseline does not say which way is better: cost"
    code, printed, told = shell.run("compare", "before.json", "now.json", "--fail-on-regression")
    assert printed.endswith(f"\n  note: {unknown}\n")
    assert (code, told) == (1, f"pytest-recall: {NAME} (retriever): {unknown}\n")
    code, printed, told = shell.run("compare", "before.json", "report.json", "--fail-on-regression")
    assert "\n  cost                2.000  3.500  +1.500 +1.500 +1.500  0.250    0    0      3\n" in printed
    assert failures(told) == [
        f"{NAME} (retriever): cost 3.500, baseline 2.000, rose 1.500 (3 of 3 cases differ, too few to decide)"
    ]


def test_moves_are_cut_unless_all_are_asked_for(shell: Shell) -> None:
    ids = [f"case-{number:02}" for number in range(25)]
    write(shell, "before.json", scored(dict.fromkeys(ids, "a"), ["mrr"]))
    # The later the case, the deeper it fell.
    fallen = {id: [*map(str, range(place)), "a"] for place, id in enumerate(ids)}
    write(shell, "now.json", scored(fallen, ["mrr"], k=10))
    _, printed, _ = shell.run("compare", "before.json", "now.json")
    moves = [line for line in printed.splitlines() if line.startswith("    ") and "wins" not in line]
    assert len(moves) == 21
    assert moves[-1] == "    … 4 more cases"
    _, printed, _ = shell.run("compare", "before.json", "now.json", "--all")
    moves = [line for line in printed.splitlines() if line.startswith("    lost")]
    assert len(moves) == 24
    assert moves[-1] == "    lost    case-01  a: rank 1 -> 2"


def test_nothing_to_compare_with_is_no_evidence(shell: Shell) -> None:
    write(shell, "none.json")
    write(shell, "now.json", NOW)
    only = f"only in now.json: {NAME} (retriever)\n"
    assert shell.run("compare", "none.json", "now.json") == (0, only, "")
    assert shell.run("compare", "none.json", "now.json", "--fail-on-regression") == (
        1,
        only,
        "pytest-recall: none.json holds nothing to compare with\n",
    )


def twice(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "evaluations": record["evaluations"] * 2}


def test_metrics_have_their_whole_names(shell: Shell) -> None:
    names = ["capped_recall@100000", "capped_recall@100001"]
    write(shell, "now.json", *[scored({"one": "a"}, names)])
    printed = shell.run("compare", "now.json", "now.json")[1].splitlines()
    assert [line.split()[0] for line in printed[2:4]] == names
    assert printed[0].index("before") + len("before") == printed[3].index("1.000") + len("1.000")


def test_texts_of_others_are_escaped_and_cut(shell: Shell) -> None:
    name = "tests/\x1b[31m" + "x" * 200 + ".eval.yaml"
    hostile = replace(scored({"\x1b[2J\n" + "y" * 200: "a"}), suite=name, system="z" * 200)
    worse = replace(scored({"\x1b[2J\n" + "y" * 200: "xa"}), suite=name, system="z" * 200)
    write(shell, "before.json", hostile)
    write(shell, "now.json", worse)
    code, printed, told = shell.run("compare", "before.json", "now.json")
    assert (code, told) == (0, "")
    assert max(map(len, printed.splitlines())) <= 80
    assert "\x1b" not in printed
    assert "tests/\\x1b[31mxxx" in printed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.json", None, "no.json: there is no such file"),
        ("now.md", "", "now.md: a .md report can't be read back; write one of .json, .toml, .yaml, .yml too"),
        ("now.json", "", "now.json: the file is empty; restore it, or delete it and make it again"),
        ("now.json", "[]", "now.json: must be an object, not a list"),
        ("now.json", '{"format": 1}', "now.json: neither a report nor a baseline of pytest-recall"),
        ("now.json", '{"format": 1, "suites": []}', "now.json: suites: must be an object, not a list"),
        ("now.json", '{"format": 1, "evaluations": {}}', "now.json: evaluations: must be a list, not an object"),
        (
            "now.yaml",
            '{"format": 1, "evaluations": 1, "counts": {"evaluations": 0, "cases": 0, "gates": 0}}',
            "now.yaml: evaluations: must be a list, not 1",
        ),
        ("baseline", '{"format": 1,', "baseline:1: the file is cut off; restore it, or delete it and make it again"),
    ],
)
def test_a_file_that_is_neither_is_bad_input(shell: Shell, name: str, content: str | None, message: str) -> None:
    if content is not None:
        shell.write(name, content)
    write(shell, "before.json", BEFORE)
    assert shell.run("compare", "before.json", name) == (2, "", f"pytest-recall: {message}\n")


def test_a_suite_that_a_report_holds_twice_is_bad_input(shell: Shell) -> None:
    write(shell, "now.json", NOW)
    shell.write("now.json", json.dumps(twice(json.loads((shell.path / "now.json").read_text("utf-8")))))
    assert shell.run("compare", "now.json", "now.json") == (
        2,
        "",
        "pytest-recall: now.json: evaluations[1]: 'tests/notes.eval.yaml' (retriever) is there twice\n",
    )


def test_standard_input_is_json(shell: Shell) -> None:
    write(shell, "before.json", BEFORE)
    assert shell.run("compare", "before.json", "-", stdin="a: 1\n") == (
        2,
        "",
        "pytest-recall: <stdin>:1: not JSON: expecting value; standard input is read as JSON\n",
    )


def test_the_program_compares(shell: Shell) -> None:
    write(shell, "now.json", NOW)
    done = run("compare", "-", "now.json", "--fail-on-regression", stdin=baseline(BEFORE).encode(), cwd=shell.path)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == (TABLE + MOVES).splitlines()
    assert done.stderr.decode().splitlines() == [f"pytest-recall: {NAME} (retriever): {DROPPED}"]
