"""Recording a baseline, and being judged by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.project import Project

BASELINE = "--eval-baseline=baseline.json"


@pytest.fixture
def recorded(notes: Project) -> Project:
    """Both cases answered at rank 1, and recorded."""
    assert notes.run(BASELINE, "--eval-update").ret == pytest.ExitCode.OK
    return notes


def test_the_file_reads_well_in_a_review(recorded: Project) -> None:
    fingerprints = [case["fingerprint"] for case in entry(recorded)["cases"].values()]
    # sha256 of the memories: ids, titles, texts and metadata, one JSON list a line.
    digest = entry(recorded)["memories"]["sha256"]
    assert (
        recorded.baseline()
        == f"""\
{{
  "format": 1,
  "suites": {{
    "notes.eval.yaml": {{
      "systems": {{
        "retriever": {{
          "cases": {{
            "one": {{"fingerprint": "{fingerprints[0]}", "ranks": {{"a": 1}}, "scores": {{"mrr": 1, "recall@3": 1}}}},
            "two": {{"fingerprint": "{fingerprints[1]}", "ranks": {{"b": 1}}, "scores": {{"mrr": 1, "recall@3": 1}}}}
          }},
          "k": 3,
          "memories": {{
            "count": 4,
            "sha256": "{digest}"
          }},
          "metrics": {{
            "mrr": {{
              "aggregate": "mean",
              "scored": 2,
              "undefined": 0,
              "value": 1
            }},
            "recall@3": {{
              "aggregate": "mean",
              "scored": 2,
              "undefined": 0,
              "value": 1
            }}
          }},
          "policy": {{
            "definitions": 1,
            "duplicates": "error",
            "gain": "linear",
            "id_from": null,
            "min_score": null,
            "relevance_threshold": 1,
            "repeat": 1,
            "undefined": "exclude"
          }}
        }}
      }}
    }}
  }}
}}
"""
    )


def entry(project: Project, suite: str = "notes.eval.yaml", system: str = "retriever") -> Any:
    return json.loads(project.baseline())["suites"][suite]["systems"][system]


def test_recording_twice_touches_nothing(recorded: Project) -> None:
    before = (recorded.path / "baseline.json").stat()
    result = recorded.run(BASELINE, "--eval-update")
    result.stdout.fnmatch_lines(["nothing to record in baseline.json: 1 unchanged"])
    after = (recorded.path / "baseline.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_nothing_is_written_without_an_update_flag(recorded: Project) -> None:
    before = recorded.baseline()
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})
    recorded.run(BASELINE)
    assert recorded.baseline() == before
    assert sorted(path.name for path in recorded.path.iterdir() if path.suffix == ".json") == [
        "baseline.json",
        "rankings.json",
    ]


def test_a_regression_tells_what_was_lost(recorded: Project) -> None:
    recorded.rankings({"q1": ["b", "c", "d"], "q2": ["b"]})
    result = recorded.run(BASELINE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert failure(result, "mrr") == [
        "mrr 0.500, baseline 1.000, dropped 0.500 (1 of 2 cases differs, too few to decide)",
        "  2 cases",
        "  lost    one  a: rank 1 -> not in 3  got b, c, d",
    ]


@pytest.mark.parametrize("tolerance", ["0.5", "50%", "mrr=0.5"])
def test_a_drop_of_exactly_the_tolerance_passes(recorded: Project, tolerance: str) -> None:
    recorded.rankings({"q1": ["b", "c", "d"], "q2": ["b"]})
    recorded.run(BASELINE, f"--eval-max-drop={tolerance}", "-k", "mrr").assert_outcomes(passed=1)


def test_the_tolerance_of_the_command_line_wins_then_the_metric_the_suite_and_ini(recorded: Project) -> None:
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})  # mrr drops by 0.25
    suite = (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8")
    run = ("-k", "mrr", BASELINE)
    recorded.write("pytest.ini", "[pytest]\neval_max_drop = 0.3\n")
    recorded.run(*run).assert_outcomes(passed=1)
    recorded.write("notes.eval.yaml", suite + "max_drop: 0.2\n")
    recorded.run(*run).assert_outcomes(failed=1)
    recorded.write("notes.eval.yaml", suite + "max_drop: 0.2\nthresholds: {mrr: {max_drop: 0.25}}\n")
    recorded.run(*run).assert_outcomes(passed=1)
    result = recorded.run(*run, "--eval-max-drop=0.1")
    assert failure(result, "mrr")[0] == (
        "mrr 0.750, baseline 1.000, dropped 0.250, may drop 0.100 (1 of 2 cases differs, too few to decide)"
    )


def test_an_improvement_passes_with_the_hint_to_record_it(recorded: Project) -> None:
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})
    recorded.run(BASELINE, "--eval-update")
    recorded.rankings({"q1": ["a"], "q2": ["b"]})
    result = recorded.run(BASELINE)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["  note: better than the baseline: mrr; record it with --eval-update"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            [BASELINE],
            "ERROR: baseline.json: no such baseline; record it: pytest --eval-baseline=baseline.json --eval-update",
        ),
        (["--eval-update"], "ERROR: an update needs --eval-baseline=PATH or the ini key eval_baseline"),
        (["--eval-baseline="], "ERROR: --eval-baseline is empty: give a value, or leave the option out"),
        (["--eval-alpha="], "ERROR: --eval-alpha is empty: give a value, or leave the option out"),
        (["--eval-retriever=my search"], "ERROR: --eval-retriever: 'my search' is no name of a fixture"),
        (["--eval-retriever="], "ERROR: --eval-retriever: '' is no name of a fixture"),
        (["-o", "eval_retriever=class"], "ERROR: ini key eval_retriever: 'class' is no name of a fixture"),
        (
            [BASELINE, "--eval-update", "--eval-update-new"],
            "ERROR: --eval-update records everything that ran: leave --eval-update-new out, or use it alone",
        ),
        (["--eval-prune"], "ERROR: --eval-prune needs --eval-update or --eval-update-new"),
        (["--eval-max-drop=-1"], "ERROR: --eval-max-drop: '-1' is no tolerance: write a number from 0 such as 0.02, *"),
        (["--eval-max-drop=mmr=0.1"], "ERROR: --eval-max-drop: unknown metric 'mmr' (did you mean 'mrr'?)"),
        (["--eval-max-drop=5"], "ERROR: --eval-max-drop: '5' tolerates any loss of a metric from 0 to 1 *'5%'?)"),
        (
            ["--eval-max-drop=mrr=5"],
            "ERROR: --eval-max-drop: max_drop 5 tolerates any loss of mrr, which is from 0 to 1 *",
        ),
        (
            ["--eval-max-drop=100%"],
            "ERROR: --eval-max-drop: '100%' is no tolerance: a share is below 100%, such as 5%",
        ),
        (["-o", "eval_max_drop=mrr=100%"], "ERROR: ini key eval_max_drop: '100%' is no tolerance: *"),
        (["--eval-alpha=5%"], "ERROR: --eval-alpha: '5%' is no alpha: write a number above 0 and below 1, such as *"),
        (["-o", "eval_max_drop=lots"], "ERROR: ini key eval_max_drop: 'lots' is no tolerance: *"),
        (
            ["--eval-baseline=no/b.json", "--eval-update"],
            "ERROR: no/b.json: the folder * does not exist; make it first",
        ),
    ],
)
def test_bad_options_stop_the_run_before_anything_runs(notes: Project, arguments: list[str], sentence: str) -> None:
    result = notes.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([sentence.replace("[", "[[]")])
    result.stdout.no_fnmatch_line("*collected*")


def test_an_unreadable_baseline_stops_the_run_also_when_it_would_be_updated(notes: Project) -> None:
    notes.write("baseline.json", "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n")
    for flags in ([], ["--eval-update"]):
        result = notes.run(BASELINE, *flags)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *baseline.json:1*merge conflict*"])
    notes.write("pytest.ini", "[pytest]\neval_baseline = baseline.json\n")
    result = notes.run("--eval-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *baseline.json:1*merge conflict*"])


def test_a_baseline_with_a_byte_order_mark_is_read(recorded: Project) -> None:
    recorded.write("baseline.json", "\ufeff" + recorded.baseline())
    recorded.run(BASELINE).assert_outcomes(passed=2)


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"1.0"', "true"])
def test_a_value_that_is_no_number_stops_the_run(recorded: Project, value: str) -> None:
    recorded.write("baseline.json", recorded.baseline().replace('"value": 1\n', f'"value": {value}\n', 1))
    assert recorded.run(BASELINE).ret == pytest.ExitCode.USAGE_ERROR


def test_a_recorded_null_is_no_entry(recorded: Project) -> None:
    recorded.write("baseline.json", recorded.baseline().replace('"value": 1\n', '"value": null\n', 1))
    result = recorded.run(BASELINE)
    result.assert_outcomes(passed=1, failed=1)
    assert failure(result, "mrr") == [
        (
            "mrr 1.000, no value in baseline.json; "
            "record it: pytest notes.eval.yaml --eval-baseline=baseline.json --eval-update"
        ),
        "  2 cases",
    ]


def test_a_missing_ini_baseline_fails_each_gate(notes: Project) -> None:
    notes.write("pytest.ini", "[pytest]\neval_baseline = base.json\n")
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr")[0] == (
        "mrr 1.000, base.json: no such baseline; record it: pytest --eval-baseline=base.json --eval-update"
    )
    notes.run("--eval-update").assert_outcomes(passed=2)
    notes.run().assert_outcomes(passed=2)


def test_an_ini_baseline_is_found_beside_the_ini_file_from_anywhere(
    notes: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("pytest.ini", "[pytest]\neval_baseline = base.json\n")
    (notes.path / "sub").mkdir()
    monkeypatch.chdir(notes.path / "sub")
    notes.run("..", "--eval-update").assert_outcomes(passed=2)
    assert list(json.loads(notes.baseline("base.json"))["suites"]) == ["notes.eval.yaml"]


def test_a_suite_without_an_entry_fails_with_the_command_that_adds_it(recorded: Project) -> None:
    recorded.write("more.eval.yaml", (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8"))
    result = recorded.run(BASELINE)
    result.assert_outcomes(passed=2, failed=2)
    command = "pytest more.eval.yaml --eval-baseline=baseline.json --eval-update-new"
    result.stdout.fnmatch_lines([f"mrr 1.000, no entry in baseline.json; add it: {command}"])
    before = entry(recorded)
    recorded.run(*command.split()[1:]).assert_outcomes(passed=2)
    recorded.run(BASELINE).assert_outcomes(passed=4)
    assert entry(recorded) == before


def test_update_new_still_judges_what_it_does_not_write(recorded: Project) -> None:
    recorded.rankings({"q1": ["b"], "q2": ["b"]})
    before = recorded.baseline()
    recorded.run(BASELINE, "--eval-update-new").assert_outcomes(failed=2)
    assert recorded.baseline() == before


def test_an_updating_run_judges_bounds_and_records_all_the_same(recorded: Project) -> None:
    recorded.rankings({"q1": ["b"], "q2": ["b"]})
    suite = (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8")
    recorded.write("notes.eval.yaml", suite + "thresholds: {mrr: 0.9}\n")
    result = recorded.run(BASELINE, "--eval-update")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["recorded in baseline.json: 1 replaced"])
    assert '"mrr": 0,' in recorded.baseline()


def test_a_suite_with_an_errored_case_is_not_recorded(recorded: Project) -> None:
    before = recorded.baseline()
    recorded.rankings({"q1": ["a"]})
    result = recorded.run(BASELINE, "--eval-update")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["not recorded: notes.eval.yaml (retriever): 1 case raised"])
    assert recorded.baseline() == before


def test_a_suite_whose_ids_never_came_back_is_not_recorded(recorded: Project) -> None:
    before = recorded.baseline()
    recorded.rankings({"q1": ["a#1"], "q2": ["b#1"]})
    result = recorded.run(BASELINE, "--eval-update")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["not recorded: notes.eval.yaml (retriever): no returned id is a memory of this suite: *"]
    )
    assert recorded.baseline() == before


def test_another_k_is_not_comparable(recorded: Project) -> None:
    suite = (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8")
    recorded.write("notes.eval.yaml", suite.replace("k: 3", "k: 5") + "gain: exponential\n")
    result = recorded.run(BASELINE, "-k", "mrr")
    assert failure(result, "mrr")[0] == (
        "mrr 1.000, not comparable with baseline.json: k is 5, recorded with 3, gain is exponential, recorded with "
        "linear; record it again: pytest notes.eval.yaml --eval-baseline=baseline.json --eval-update"
    )


def test_only_the_same_questions_are_compared_and_the_others_are_listed(project: Project) -> None:
    def suite(*cases: str) -> str:
        listed = "".join(f"  - {{{case}}}\n" for case in cases)
        return f"k: 1\nmetrics: [recall@1]\nmemories: [{{id: a}}, {{id: b}}, {{id: c}}, {{id: d}}]\ncases:\n{listed}"

    one, three = "id: one, query: q1, relevant: [a]", "id: three, query: q3, relevant: [c]"
    two, four = "id: two, query: q2, relevant: [b]", "id: four, query: q4, relevant: [d]"
    project.write("n.eval.yaml", suite(one, two, three, four))
    project.rankings({"q1": ["a"], "q2": ["b"], "q3": ["c"], "q4": ["a"], "q5": ["a"]})
    project.run(BASELINE, "--eval-update")
    project.write(
        "n.eval.yaml", suite(one, two.replace("two", "two renamed"), three, "id: five, query: q5, relevant: [a]")
    )
    result = project.run(BASELINE, "-v")
    result.assert_outcomes(passed=1)
    # The mean rose from 3/4 to 1 only because "four" was removed: over the common cases nothing changed.
    result.stdout.fnmatch_lines(
        [
            "  recall@1                         1.000    1.000        =             passed",
            "  note: 2 cases added since the baseline: two renamed, five",
            "  note: 2 cases removed since the baseline: four, two",
            "  note: 'two' is now called 'two renamed' (same question)",
        ]
    )


def test_fewer_than_half_of_the_recorded_cases_are_too_few(recorded: Project) -> None:
    suite = (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8")
    more = "".join(f"  - {{id: n{n}, query: q1, relevant: [a]}}\n" for n in range(3))
    recorded.write("notes.eval.yaml", suite + more)
    recorded.run(BASELINE, "--eval-update")
    recorded.write("notes.eval.yaml", suite)
    result = recorded.run(BASELINE, "-k", "mrr")
    assert failure(result, "mrr")[0].startswith(
        "mrr 1.000, not comparable with baseline.json: only 2 of its 5 cases still ask the same; record it again: "
    )


def test_a_tag_that_collapses_is_red_while_the_mean_rises(project: Project) -> None:
    easy = "".join(f"  - {{id: e{n}, query: e, relevant: [a, b, c, d], tags: [easy]}}\n" for n in range(8))
    legal = "".join(f"  - {{id: l{n}, query: l, relevant: [a, b, c, d], tags: [legal]}}\n" for n in range(2))
    project.write(
        "t.eval.yaml",
        "k: 4\nmetrics: [recall@4]\nthresholds: {recall@4:legal: {max_drop: 0}}\n"
        f"memories: [{{id: a}}, {{id: b}}, {{id: c}}, {{id: d}}]\ncases:\n{easy}{legal}",
    )
    project.rankings({"e": ["a", "b"], "l": ["a", "b", "c", "d"]})
    project.run(BASELINE, "--eval-update")
    project.rankings({"e": ["a", "b", "c"], "l": ["a", "b"]})
    result = project.run(BASELINE, "-v")
    result.assert_outcomes(passed=1, failed=1)
    # All: (8 * 3/4 + 2 * 1/2) / 10 = 0.7 against (8 * 1/2 + 2) / 10 = 0.6. Legal: 1/2 against 1.
    assert failure(result, "recall-at-4:legal")[0] == (
        "recall@4:legal 0.500, baseline 1.000, dropped 0.500 (2 of 2 cases differ, too few to decide)"
    )
    result.stdout.fnmatch_lines(
        [
            "  recall@4                         0.700    0.600   +0.100             passed",
            "  recall@4:legal                   0.500    1.000   -0.500             failed",
            "  recall@4:easy                    0.750    0.500   +0.250",
        ]
    )


def test_alpha_excuses_a_drop_only_where_enough_cases_differ(project: Project) -> None:
    def run(hits: int, *arguments: str) -> pytest.RunResult:
        project.rankings({f"q{n}": ["a" if n < hits else "b"] for n in range(10)})
        return project.run(BASELINE, *arguments)

    cases = "".join(f"  - {{query: q{n}, relevant: [a]}}\n" for n in range(10))
    project.write("s.eval.yaml", f"k: 1\nmetrics: [mrr]\nmemories: [{{id: a}}, {{id: b}}]\ncases:\n{cases}")
    run(10, "--eval-update")
    # Five of ten lost, all one way: no p can decide, the tolerance alone does.
    run(5, "--eval-alpha=0.05").assert_outcomes(failed=1)
    # Six of ten lost, all one way: p = 2 / 2**6 = 0.03125.
    run(4, "--eval-alpha=0.03").assert_outcomes(passed=1)
    result = run(4, "--eval-alpha=0.05")
    assert failure(result, "mrr")[0] == "mrr 0.400, baseline 1.000, dropped 0.600 (p = 0.031, 6 of 10 cases differ)"


NAMED = "suites are files named [*].eval.yaml, [*].eval.yml, [*].eval.json[ ,]*"


def test_a_run_that_was_to_compare_and_collected_no_suite_fails(recorded: Project) -> None:
    (recorded.path / "notes.eval.yaml").unlink()
    recorded.write("test_other.py", "def test_other(): pass\n")
    result = recorded.run(BASELINE)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    nothing = "--eval-baseline=baseline.json: no suite was collected, so nothing was"
    result.stdout.fnmatch_lines([f"{nothing} compared; {NAMED}"])
    assert recorded.run(BASELINE, "test_other.py").ret == pytest.ExitCode.OK
    assert recorded.run(BASELINE, "-n2", own_process=True).ret == pytest.ExitCode.TESTS_FAILED
    result = recorded.run(BASELINE, "--eval-update")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{nothing} recorded; {NAMED}"])


def test_a_partial_update_records_its_suite_whole_and_keeps_the_rest(recorded: Project) -> None:
    suite = (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8")
    recorded.write("more.eval.yaml", suite)
    recorded.run(BASELINE, "--eval-update")
    before = entry(recorded)
    recorded.rankings({"q1": ["b", "a"], "q2": ["b"]})
    recorded.run("more.eval.yaml", "-k", "recall-at-3", BASELINE, "--eval-update").assert_outcomes(passed=1)
    assert entry(recorded) == before
    assert entry(recorded, "more.eval.yaml")["metrics"]["mrr"]["value"] == 0.75


def test_prune_removes_entries_whose_file_is_gone(recorded: Project) -> None:
    (recorded.path / "notes.eval.yaml").rename(recorded.path / "renamed.eval.yaml")
    result = recorded.run(BASELINE, "--eval-update", "--eval-prune")
    result.stdout.fnmatch_lines(["recorded in baseline.json: 1 added, 1 dropped"])
    assert list(json.loads(recorded.baseline())["suites"]) == ["renamed.eval.yaml"]


def test_prune_removes_systems_and_tests_that_are_no_more(recorded: Project) -> None:
    recorded.write("more.eval.yaml", (recorded.path / "notes.eval.yaml").read_text(encoding="utf-8"))
    recorded.run(BASELINE, "--eval-update")
    recorded.write(
        "conftest.py",
        "import pytest\n@pytest.fixture(params=[0], ids=['new'])\ndef retriever(request):\n"
        "    return {'q1': ['a'], 'q2': ['b']}.get\n",
    )
    prune = ("notes.eval.yaml", BASELINE, "--eval-update", "--eval-prune")
    # A selection may leave a system out, and says nothing of other files.
    recorded.run(*prune, "-k", "mrr").stdout.fnmatch_lines(["recorded in baseline.json: 1 added"])
    recorded.run(*prune).stdout.fnmatch_lines(["recorded in baseline.json: 1 unchanged, 1 dropped"])
    suites = json.loads(recorded.baseline())["suites"]
    assert {suite: list(entry["systems"]) for suite, entry in suites.items()} == {
        "more.eval.yaml": ["retriever"],
        "notes.eval.yaml": ["retriever[new]"],
    }


def test_what_the_baseline_holds_and_the_run_does_not_is_listed(recorded: Project) -> None:
    (recorded.path / "notes.eval.yaml").rename(recorded.path / "renamed.eval.yaml")
    recorded.run(BASELINE, "--eval-update")
    suite = (recorded.path / "renamed.eval.yaml").read_text(encoding="utf-8")
    recorded.write("renamed.eval.yaml", suite.replace("recall@3, mrr", "mrr"))
    result = recorded.run(BASELINE)
    result.stdout.fnmatch_lines(
        [
            "  note: in the baseline, but not computed any more: recall@3",
            "note: in baseline.json, but not in this run: notes.eval.yaml (retriever)",
        ]
    )


def test_keys_are_relative_to_the_baseline(notes: Project) -> None:
    (notes.path / "stored").mkdir()
    notes.run("--eval-baseline=stored/b.json", "--eval-update").assert_outcomes(passed=2)
    assert list(json.loads(notes.baseline("stored/b.json"))["suites"]) == ["../notes.eval.yaml"]
    notes.run("--eval-baseline=stored/b.json").assert_outcomes(passed=2)
