"""Suites as people write them: what is a mistake, where it stands, and what the others score."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_recall import Evaluation
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.cases.conftest import Changes, Reported

NO_CUTOFF = "the cutoff must be a whole number from 1 to 1,000,000"
NO_K = "must be a whole number from 1 to 1,000,000, got"

MISTAKES: list[tuple[str, str, list[str]]] = [
    ("01", "ids.eval.yaml", [":12:6: memories[9]: id is missing", ":13:6: memories[10]: id is missing"]),
    ("04", "dup.eval.yaml", [":7:1: the key 'cases' is here twice, first on line 5"]),
    (
        "05",
        "names.eval.yaml",
        [
            ":7:10: cases[1].id (same): the id 'same' is here twice, first on line 6",
            ":9:13: cases[3].query: the query 'q3' is here twice, first on line 8; give both cases an id",
        ],
    ),
    ("06", "mem.eval.yaml", [":4:10: memories[1].id (a): the id 'a' is here twice, first on line 3"]),
    ("07", "dangle.eval.yaml", [":6:44: cases[1].relevant (dangling): unknown memory 'zz-gone'"]),
    (
        "10",
        "missing.eval.yaml",
        [
            ":5:5: cases[0] (forgot the key): relevant is missing",
            ":6:32: cases[1] (null value): relevant is missing",
            ":8:30: cases[3].query (empty query): query is blank",
            ":9:30: cases[4].query (blank query): query is blank",
        ],
    ),
    ("11", "blank.eval.yaml", [":1:1: the file is empty; a suite needs cases"]),
    ("11", "comment_only.eval.yaml", [":1:1: the file is empty; a suite needs cases"]),
    ("11", "empty.eval.yaml", [":4:8: cases: no cases, so there is nothing to ask"]),
    (
        "13",
        "cp1252.eval.yaml",
        [":3:13: not UTF-8: byte 0xe9 at offset 27; save the file as UTF-8"],
    ),
    (
        "19",
        "evil.eval.yaml",
        [":3:19: memories[0].text (a): the tag '!!python/object/apply:os.system' is not allowed, only !!str is"],
    ),
    (
        "19",
        "tags.eval.yaml",
        [":4:10: memories[1].id (aGVsbG8=): the tag '!!binary' is not allowed, only !!str is"],
    ),
    ("22", "kbool.eval.yaml", [f":1:4: k: {NO_K} 'yes'"]),
    ("22", "kfloat.eval.yaml", [f":1:4: k: {NO_K} '2.5'"]),
    ("22", "kneg.eval.yaml", [f":1:4: k: {NO_K} '-1'"]),
    ("22", "list.eval.yaml", [":1:1: a suite must be a mapping with the key 'cases', got a list"]),
    (
        "22",
        "map_cases.eval.yaml",
        [":3:8: cases: must be a list, or {path: FILE}, or {queries: FILE, qrels: FILE}, got a mapping"],
    ),
    ("22", "nested.eval.yaml", [":3:38: cases[0].relevant[0] (c): must be text, got a list"]),
    ("22", "scalar.eval.yaml", [":1:1: a suite must be a mapping with the key 'cases', got 'hello'"]),
    (
        "22",
        "str_relevant.eval.yaml",
        [":3:37: cases[0].relevant (c): must be a list of ids, or a mapping from id to grade, got 'doc1'"],
    ),
    ("22", "tab.eval.yaml", [":3:1: a tab can't indent; use spaces"]),
    (
        "24",
        "typo.eval.yaml",
        [
            ":2:1: unknown key 'treshold' (did you mean 'thresholds'?)",
            ":5:5: cases[0] (c): relevant is missing",
            ":5:23: cases[0] (c): unknown key 'relevent' (did you mean 'relevant'?)",
            ":6:38: cases[1] (d): unknown key 'min_recal'",
        ],
    ),
    (
        "24",
        "badmetric.eval.yaml",
        [
            ":2:14: thresholds: unknown metric 'recal@3' (did you mean 'recall@3'?)",
            f":2:28: thresholds: metric 'recall@0': {NO_CUTOFF}",
            f":2:43: thresholds: metric 'recall@': {NO_CUTOFF}",
            f":2:57: thresholds: metric 'ndcg@abc': {NO_CUTOFF}",
            ":2:70: thresholds: unknown metric 'RECALL@3' (did you mean 'recall@3'?)",
        ],
    ),
    (
        "25",
        "t.eval.yaml",
        [
            ":2:24: thresholds.recall@3: min 85 is outside the range of recall@3 (0 to 1)",
            ":2:33: thresholds.mrr: must be a number, got '85%'",
            ":2:46: thresholds.ndcg@3: min -0.1 is outside the range of ndcg@3 (0 to 1)",
            ":2:65: thresholds.precision@3: must be a finite number, got '.nan'",
            ":2:83: thresholds.hit_rate@3: must be a number, got the text '0.9'",
        ],
    ),
    (
        "60",
        "graded.eval.yaml",
        [":6:51: cases[2].relevant.x (negative grade): the grade of 'x' must be from 0 to 1,000,000, got '-1'"],
    ),
]


@pytest.mark.parametrize(("number", "name", "sentences"), MISTAKES, ids=[f"{row[0]}-{row[1]}" for row in MISTAKES])
def test_every_mistake_is_told_with_its_place(reported: Reported, number: str, name: str, sentences: list[str]) -> None:
    result = reported.bring(number, name).run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert collection_errors(result, name) == [f"{name}{sentence}" for sentence in sentences]
    assert not (reported.path / "pwned_by_eval_yaml").exists()


def collection_errors(result: pytest.RunResult, name: str) -> list[str]:
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if f" ERROR collecting {name} " in line) + 1
    stop = next(i for i in range(start, len(lines)) if lines[i].startswith(("===", "___")))
    return lines[start:stop]


def test_aliases_that_multiply_are_refused_in_one_short_message(reported: Reported) -> None:
    result = reported.bring("16").run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    lines = collection_errors(result, "bomb.eval.yaml")
    unknown = [f"bomb.eval.yaml:{n + 2}:1: unknown key 'a{n}'" for n in range(9)]
    assert [line for line in lines if "unknown key" in line] == unknown
    assert "bomb.eval.yaml:8:5: a6: expands to more than 1,000,000 entries through its aliases" in lines
    free = reported.bring("16", changes=(("\na", "\nx-a"),)).run()
    assert collection_errors(free, "bomb.eval.yaml")[0] == (
        "bomb.eval.yaml:8:7: x-a6: expands to more than 1,000,000 entries through its aliases"
    )


@pytest.mark.parametrize("arguments", [["--continue-on-collection-errors"], ["-n2"]], ids=["serial", "xdist"])
def test_a_suite_in_another_encoding_leaves_the_others_alone_whatever_the_locale(
    reported: Reported, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    result = reported.bring("13").run(*arguments, own_process=True)
    # Five defaults of the suite that is UTF-8.
    result.assert_outcomes(passed=5, errors=1)
    assert collection_errors(result, "cp1252.eval.yaml") == [
        "cp1252.eval.yaml:3:13: not UTF-8: byte 0xe9 at offset 27; save the file as UTF-8"
    ]


@pytest.mark.parametrize("arguments", [["--continue-on-collection-errors"], ["-n2"]], ids=["serial", "xdist"])
def test_wrong_shapes_leave_the_other_suites_alone(reported: Reported, arguments: list[str]) -> None:
    reported.bring("28", changes=(("k: 5\n", "k: 5\nmetrics: [mrr]\n"),)).bring("22")
    reported.retriever("retriever")
    reported.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): return lambda query: ['a']\n")
    result = reported.run(*arguments, own_process="-n2" in arguments)
    result.assert_outcomes(passed=1, errors=9)


def test_nothing_to_run_is_never_green(reported: Reported) -> None:
    reported.bring("28").recorded()
    compare = "--eval-baseline=recorded.json"
    before = reported.baseline("recorded.json")
    assert reported.run(compare, "--eval-update", "-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert reported.baseline("recorded.json") == before
    reported.write("test_other.py", "def test_other(): pass\n")
    (reported.path / "few.eval.yaml").unlink()
    assert reported.run(compare).ret == pytest.ExitCode.TESTS_FAILED


Scores = dict[str, "float | None"]

WITHOUT_NULL = (("  - {id: null, text: the word null}\n", ""), ("  - {id: ~, text: tilde id}\n", ""))
WITHOUT_BINARY = (("  - {id: !!binary aGVsbG8=, text: bytes}\n", ""),)
FREE_ANCHORS = (("defaults: &d {tags: [smoke], k: 2}", "x-defaults: &d {tags: [smoke]}"),)
ONLY_NEGATIVES = (
    ("  - {id: pos full, query: p1, relevant: [a]}\n", ""),
    ("  - {id: pos half, query: p2, relevant: [a, b]}\n", ""),
    ("k: 2\n", "k: 2\nmetrics: [recall@2, mrr, negative_accuracy]\n"),
)
WITHOUT_NEGATIVE_GRADE = (
    ("  - {id: negative grade, query: q2, relevant: {x: -1, a: 1}}\n", ""),
    ("k: 3\n", "k: 3\nmetrics: [ndcg@3, recall@1, recall@2, mrr]\n"),
)

# By case; the means under MEAN.
MEAN = ""
NUMBERS: list[tuple[str, str, Changes, dict[str, Scores]]] = [
    ("01", "ids.eval.yaml", WITHOUT_NULL, {MEAN: {"recall@20": 1}}),
    (
        "09",
        "neg.eval.yaml",
        (("k: 2\n", "k: 2\nmetrics: [recall@2, hit_rate@2, mrr, map, negative_accuracy, false_injection_rate]\n"),),
        {
            # Over the two positives (1 + 1/2) / 2; of the two negatives one abstains.
            MEAN: {"recall@2": 0.75, "hit_rate@2": 1, "mrr": 1, "map": 0.75},
            "neg abstains": {"recall@2": None, "negative_accuracy": 1, "false_injection_rate": 0},
            "neg injects": {"recall@2": None, "negative_accuracy": 0, "false_injection_rate": 1},
        },
    ),
    ("09", "neg.eval.yaml", ONLY_NEGATIVES, {MEAN: {"recall@2": None, "mrr": None, "negative_accuracy": 0.5}}),
    ("12", "bom_crlf.eval.yaml", (), {MEAN: {"recall@2": 1}}),
    ("13", "utf8.eval.yaml", (), {MEAN: {"recall@2": 1}, "résumé": {"recall@2": 1}}),
    (
        "18",
        "merge.eval.yaml",
        FREE_ANCHORS,
        {
            MEAN: {"recall@2": 1, "mrr": 0.75},
            "one": {"recall@2": 1, "mrr": 1},
            "two": {"recall@2": 1, "mrr": 0.5},
        },
    ),
    ("19", "tags.eval.yaml", WITHOUT_BINARY, {MEAN: {"recall@1": 1}}),
    (
        "28",
        "few.eval.yaml",
        (("k: 5\n", "k: 5\nmetrics: [recall@5, precision@5, mrr, map@5, ndcg@5]\n"),),
        # 1 / (1 + 1/log2(3) + 1/2 + 1/log2(5) + 1/log2(6)) = 1 / 2.9485
        {MEAN: {"recall@5": 0.2, "precision@5": 0.2, "mrr": 1, "map@5": 0.2, "ndcg@5": 0.3392}},
    ),
    (
        "26",
        "dup.eval.yaml",
        (("k: 3\n", "k: 3\nduplicates: first\nmetrics: [recall@3, precision@3, mrr, map, ndcg@3]\n"),),
        {
            # 1 / (1 + 1/log2(3)) = 1 / 1.6309
            "two rel": {"recall@3": 0.5, "precision@3": 1 / 3, "mrr": 1, "map": 0.5, "ndcg@3": 0.6131},
            "one rel": {"recall@3": 1, "precision@3": 1 / 3, "mrr": 1, "map": 1, "ndcg@3": 1},
        },
    ),
    (
        "27",
        "chunks.eval.yaml",
        (("k: 3\n", "k: 3\nid_from: '^(.*)#'\nduplicates: first\n"),),
        # A, B, C with B and C relevant: (0.6309 + 0.5) / 1.6309
        {"c": {"recall@3": 1, "mrr": 0.5, "ndcg@3": 0.6934}},
    ),
    ("34", "pad.eval.yaml", (), {MEAN: {"recall@2": 1, "negative_accuracy": 0}}),
    (
        "34",
        "pad.eval.yaml",
        (("k: 2\n", "k: 2\nmin_score: 0.001\n"),),
        {MEAN: {"recall@2": 0, "negative_accuracy": 1}},
    ),
    (
        "36",
        "ties.eval.yaml",
        (),
        {MEAN: {"mrr": 2 / 3}, "last of a tie": {"mrr": 1 / 3}, "first of a tie": {"mrr": 1}},
    ),
    ("37", "dist.eval.yaml", (), {MEAN: {"mrr": 1, "recall@2": 1}}),
    # The mean of 0.7, 0.8 and 0.9.
    ("54", "eq.eval.yaml", (), {MEAN: {"recall@10": 0.8}}),
    (
        "60",
        "graded.eval.yaml",
        WITHOUT_NEGATIVE_GRADE,
        {
            # (1 + 3/log2(3) + 2/2) / (3 + 2/log2(3) + 1/2) = 3.8928 / 4.7619
            "graded": {"ndcg@3": 0.8175},
            "zero grade is not relevant": {"recall@1": 0, "recall@2": 1, "mrr": 0.5},
            # (0.1 + 1/log2(3) + 0.5/2) / (1 + 0.5/log2(3) + 0.1/2) = 0.9809 / 1.3655
            "fractional": {"ndcg@3": 0.7184},
        },
    ),
    (
        "60",
        "graded.eval.yaml",
        (*WITHOUT_NEGATIVE_GRADE, ("k: 3\n", "k: 3\ngain: exponential\n")),
        # (1 + 7/log2(3) + 3/2) / (7 + 3/log2(3) + 1/2) = 6.9165 / 9.3928
        {"graded": {"ndcg@3": 0.7364}},
    ),
    (
        "63",
        "kimetsu.eval.yaml",
        (('{"memories"', '{"k": 2, "memories"'),),
        # The stale id stands above the relevant one, at ranks 1 and 2.
        {
            MEAN: {
                "recall@2": 1,
                "mrr": 0.75,
                "negative_accuracy": 1,
                "stale_hit_rate@2": 1,
                "resolution_accuracy": 0,
            }
        },
    ),
]


@pytest.mark.parametrize(("number", "name", "changes", "scores"), NUMBERS, ids=[row[0] for row in NUMBERS])
def test_the_numbers_are_the_worked_ones(
    reported: Reported, number: str, name: str, changes: Changes, scores: dict[str, Scores]
) -> None:
    entry = reported.bring(number, name, changes=changes).recorded()
    found = {case: recorded["scores"] for case, recorded in entry["cases"].items()}
    found[MEAN] = {metric: summary["value"] for metric, summary in entry["metrics"].items()}
    for case, expected in scores.items():
        assert {metric: found[case][metric] for metric in expected} == pytest.approx(expected, abs=5e-5)


@pytest.mark.usefixtures("arrays")
def test_integers_numpys_integers_and_digits_are_the_same_ids(reported: Reported) -> None:
    named = (("k: 3\n", "k: 3\nmetrics: [recall@3, mrr, map, ndcg@3]\n"),)
    entry = reported.bring("02", changes=named).recorded()
    # Found at 1 and 3: (1/1 + 2/3) / 2, (1 + 0.5) / 1.6309
    expected = {"recall@3": 1, "mrr": 1, "map": 0.8333, "ndcg@3": 0.9197}
    assert len(entry["cases"]) == 4
    for case in entry["cases"].values():
        assert case["scores"] == pytest.approx(expected, abs=5e-5)
        assert case["ranks"] == {"1": 1, "2": 3}


@pytest.mark.usefixtures("arrays")
def test_each_container_is_read_or_told(reported: Reported) -> None:
    each = "k: 3\nmetrics: [mrr]\neach: {mrr: {min: 0.5, max: 0.5}, recall@3: 1}\n"
    result = reported.bring("31", changes=(("k: 3\n", each),)).run("-k", "case")
    result.assert_outcomes(passed=8, failed=2)
    accepted = "accepted are ids, (id, score) pairs, a mapping id -> score, or objects with an id"
    # Once for each of the two bounds.
    assert (
        failure(result, "case:set")
        == [f"case set raised: the retriever returned a set, which has no order; {accepted}"] * 2
    )
    assert (
        failure(result, "case:triples")
        == ["case triples raised: a pair of types (float, str) looks like (score, id); return (id, score)"] * 2
    )


def test_padding_is_an_error_where_it_names_a_memory_and_nothing_where_it_was_dropped(reported: Reported) -> None:
    named = (("k: 5\n", "k: 5\nmetrics: [recall@5, mrr]\n"),)
    reported.bring("33", changes=named)
    result = reported.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "recall-at-5")[0].startswith(
        "recall@5 has no value: 1 of 1 case raised, first padded: 'c' came back twice, at ranks 2 and 3"
    )
    reported.retriever("fixed")
    scores = {metric: summary["value"] for metric, summary in reported.recorded()["metrics"].items()}
    assert scores == {"recall@5": 0, "mrr": 0}


def test_repeated_ids_are_errors_of_their_cases(reported: Reported) -> None:
    result = reported.bring("26", changes=(("k: 3\n", "k: 3\nmetrics: [mrr]\n"),)).run()
    assert failure(result, "mrr")[0].startswith(
        "mrr has no value: 2 of 2 cases raised, first two rel: 'a' came back twice, at ranks 1 and 2"
    )


def test_chunks_are_told_apart_from_their_documents(reported: Reported) -> None:
    result = reported.bring("27", changes=(("k: 3\n", "k: 3\nmetrics: [mrr]\n"),)).run()
    assert failure(result, "mrr")[0] == (
        "mrr: no returned id is a memory of this suite: returned 'A#3', memories look like 'A'"
    )


def test_a_value_that_equals_its_bound_passes_and_a_higher_bound_does_not(reported: Reported) -> None:
    only = ("-k", "recall-at-10")
    reported.bring("54").run(*only).assert_outcomes(passed=1)
    reported.bring("54", changes=(("recall@10: 0.8}", "recall@10: 0.8001}"),)).run(*only).assert_outcomes(failed=1)


HOSTILE_ITEMS = [
    "case:has--colons--and-brackets-",
    "case:slash/back-slash",
    "case:new-line-and-tab",
    "case:control---bell-and---31mred",
    "case:ünïcødé-名前--",
    "case:-b-html----xml--/b-",
    "case:--pipe---for---markdown",
    "case:x--or-1-1",
    "case:42",
    "case:../../etc/passwd",
]


def test_hostile_ids_can_be_selected_and_reported(reported: Reported) -> None:
    reported.bring("15", changes=(("k: 1\n", "k: 1\neach: {hit_rate@1: 1}\n"),))
    before = set(reported.path.rglob("*"))
    reported.run("--junitxml=junit.xml", "-k", "case").assert_outcomes(passed=10)
    junit = ET.parse(reported.path / "junit.xml")  # noqa: S314  # pytest's own file
    assert [case.attrib["name"] for case in junit.iter("testcase")] == HOSTILE_ITEMS
    assert set(reported.path.rglob("*")) - before == {reported.path / "junit.xml"}
    for item in HOSTILE_ITEMS:
        reported.run(f"hostile.eval.yaml::{item}").assert_outcomes(passed=1)


def test_hostile_ids_break_no_report(reported: Reported) -> None:
    reported.bring("15", changes=(("k: 1\n", "k: 1\nmetrics: [mrr]\neach: {hit_rate@1: 1}\n"),))
    reported.write("retriever.py", "def retrieve(query, k): return []\n")
    kinds = ("json", "yaml", "toml", "jsonl", "md")
    reported.run(*(f"--eval-report=now.{kind}" for kind in kinds)).assert_outcomes(passed=1, failed=10)
    whole = Evaluation.read(reported.path / "now.json")
    assert [case.id for case in whole.cases][-2:] == ["42", "../../etc/passwd"]
    assert Evaluation.read(reported.path / "now.yaml") == Evaluation.read(reported.path / "now.toml") == whole
    lines = (reported.path / "now.md").read_text(encoding="utf-8").split("\n")
    assert [line.count("|") for line in lines if line.startswith("|")] == [7, 7, 7]
    # One block of code: its ids are each on one line of it.
    opening, closing = (at for at, line in enumerate(lines) if line.startswith("```"))
    assert closing == len(lines) - 2
    assert sum("hit_rate@1 0.000, needs 1.000" in line for line in lines[opening:closing]) == 10
