"""Runs as people make them: cases that raise, baselines that are broken or old, parts of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall.baseline import read_baseline
from pytest_recall.pairing import Pairing
from pytest_recall.running import evaluate
from pytest_recall.suites import load_suite
from tests.cases.conftest import CONFTEST
from tests.plugin.test_async import ALONE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.cases.conftest import Reported
    from tests.conftest import Require

COMPARE = "--eval-baseline=baseline.json"
RECORD = (COMPARE, "--eval-update")
EVERY_CASE = (("k: 1\n", "k: 1\neach: {hit_rate@1: 1}\n"),)


def test_what_is_no_ranking_is_an_error_of_its_case_alone(reported: Reported) -> None:
    result = reported.bring("30", changes=(("k: 2\n", "k: 2\nmetrics: [mrr]\neach: {recall@2: 1}\n"),)).run()
    result.assert_outcomes(passed=1, failed=5)
    accepted = "accepted are ids, (id, score) pairs, a mapping id -> score, or objects with an id"
    assert failure(result, "case:none") == [
        f"case none raised: the retriever returned None (missing return?); {accepted}"
    ]
    # A legal answer, and a wrong one.
    assert failure(result, "case:empty")[0] == "case empty: recall@2 0.000, needs 1.000 (none.eval.yaml:3)"
    assert failure(result, "case:text") == [
        f"case text raised: the retriever returned a bare str, not a list of ids; {accepted}"
    ]
    assert failure(result, "case:number") == [
        f"case number raised: the retriever returned an object of type int; {accepted}"
    ]
    assert failure(result, "mrr") == [
        f"mrr has no value: 3 of 5 cases raised, first none: the retriever returned None (missing return?); {accepted}"
    ]


def test_one_case_that_raises_fails_the_gate_and_is_not_recorded(reported: Reported) -> None:
    result = reported.bring("39").run(*RECORD, "-k", "recall-at-1")
    result.assert_outcomes(failed=1)
    assert failure(result, "recall-at-1") == [
        "recall@1 has no value: 1 of 4 cases raised, first c4: ConnectionError: backend went away",
        "",
        "retriever.py:3: in retrieve",
        "    raise ConnectionError('backend went away')",
        "E   ConnectionError: backend went away",
    ]
    result.stdout.fnmatch_lines(["not recorded: err.eval.yaml (retriever): 1 case raised"])
    assert not (reported.path / "baseline.json").exists()


def test_nothing_passes_where_every_case_raises(reported: Reported) -> None:
    result = reported.bring("40").run()
    # Five defaults at k = 1, and negative_accuracy.
    result.assert_outcomes(failed=6)
    assert failure(result, "recall-at-1")[0] == (
        "recall@1 has no value: 1 of 1 case raised, first c1: RuntimeError: no index"
    )
    assert failure(result, "negative_accuracy")[0] == (
        "negative_accuracy has no value: 1 of 1 case raised, first c2: RuntimeError: no index"
    )


ASYNC = ("k: 2\n", "async: true\nk: 2\nmetrics: []\nthresholds: {mrr: {min: 0.5, max: 0.5}}\n")
KINDS = ("coroutine", "callable_object", "returns_awaitable", "async_generator")


@pytest.mark.parametrize("plugin", ALONE)
@pytest.mark.parametrize("kind", KINDS)
def test_asynchronous_retrievers_are_asked_on_the_loop(
    reported: Reported, require: Require, kind: str, plugin: str
) -> None:
    require.library("pytest_asyncio")
    require.library("anyio")
    reported.bring("41", changes=(ASYNC,), retriever=f"retriever_{kind}")
    backend = '@pytest.fixture(scope="module")\ndef anyio_backend(): return "asyncio"\n'
    reported.write("conftest.py", CONFTEST.format(module=f"retriever_{kind}") + backend)
    reported.run(*ALONE[plugin], own_process=True).assert_outcomes(passed=1)


def test_an_asynchronous_suite_without_a_plugin_is_not_collected(reported: Reported) -> None:
    reported.bring("41", changes=(ASYNC,), retriever="retriever_coroutine")
    result = reported.run("-p", "no:anyio", "-p", "no:asyncio", own_process=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        "async.eval.yaml: async: its tests need an event loop, and neither pytest-asyncio nor anyio is loaded: "
        "pip install pytest-asyncio"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_asynchronous_retriever_that_is_not_declared_is_never_recall_0(reported: Reported, kind: str) -> None:
    reported.bring("41", changes=(("k: 2\n", "k: 2\nmetrics: [mrr]\n"),), retriever=f"retriever_{kind}")
    result = reported.run("-W", "error")
    result.assert_outcomes(failed=1)
    (told,) = failure(result, "mrr")
    assert told.startswith("mrr has no value: 1 of 1 case raised, first c: the retriever is asynchronous (it returned")
    assert told.endswith("declare `async: true` in the suite, or await it where it is called")
    result.stdout.no_fnmatch_line("*never awaited*")


def test_without_a_retriever_one_failure_of_the_suite_tells_how(reported: Reported) -> None:
    reported.bring("40")
    (reported.path / "conftest.py").unlink()
    result = reported.run()
    result.assert_outcomes(failed=6)
    told = [name for name in ("recall-at-1", "hit_rate-at-1", "mrr") if len(failure(result, name)) > 1]
    assert told == ["recall-at-1"]
    assert failure(result, "mrr") == ["no retriever for allerr.eval.yaml: see the first failure of this suite"]


def test_a_baseline_of_another_k_is_not_comparable_whatever_the_metrics_are_called(reported: Reported) -> None:
    reported.bring("47", changes=(("k: 5\n", "k: 10\nmetrics: [recall@10, mrr]\n"),)).run(*RECORD)
    assert json.loads(reported.baseline())["suites"]["k.eval.yaml"]["systems"]["retriever"]["metrics"]["recall@10"] == {
        "aggregate": "mean",
        "scored": 1,
        "undefined": 0,
        "value": 1,
    }
    result = reported.bring("47", changes=(("k: 5\n", "k: 5\nmetrics: [recall@5, mrr]\n"),)).run(COMPARE)
    result.assert_outcomes(failed=2)
    again = "record it again: pytest k.eval.yaml --eval-baseline=baseline.json --eval-update"
    for name, value in {"recall-at-5": "recall@5 0.500", "mrr": "mrr 1.000"}.items():
        reason = f"{value}, not comparable with baseline.json: k is 5, recorded with 10; {again}"
        assert failure(result, name)[0] == reason
    result.stdout.fnmatch_lines(["  note: in the baseline, but not computed any more: recall@10"])


def test_a_query_that_never_returns_fails_its_case_and_the_run_ends(reported: Reported) -> None:
    result = reported.bring("42", changes=(("k: 1\n", "k: 1\ntimeout: 1\neach: {hit_rate@1: 1}\n"),)).run(
        *RECORD, own_process=True
    )
    # `quick` and `quick too` pass; `hangs` fails, and so do the five defaults at k = 1, which it is part of.
    result.assert_outcomes(passed=2, failed=6)
    told = "  1 case timed out, so the latency is ≥ 1 s: hangs"
    assert failure(result, "case:hangs") == ["case hangs raised: timed out after 1 s", told]
    assert failure(result, "mrr") == [
        "mrr has no value: 1 of 3 cases raised, first hangs: timed out after 1 s",
        told,
    ]
    result.stdout.fnmatch_lines(["not recorded: hang.eval.yaml (retriever): 1 case raised"])


def test_answers_that_change_are_judged_by_their_mean_and_recorded_without_ranks(reported: Reported) -> None:
    result = reported.bring("43", changes=(("k: 10\n", "k: 10\nrepeat: 3\n"),)).run(*RECORD)
    result.assert_outcomes(passed=4, failed=1)
    # Rankings begin at d0, d1 and d2 in turn: c0 finds d0 at rank 1, not, not; c5 finds d5 at ranks 6, 5 and 4.
    assert failure(result, "ndcg-at-10")[:3] == [
        "ndcg@10 0.490, needs 0.600 (ann.eval.yaml:3)",
        "  6 cases",
        "  missed  c0  3 rankings in 3 repeats  first got d0, d1, d2, …",
    ]
    result.stdout.fnmatch_lines(
        ["  note: the ranking of 6 of 6 cases changed from repeat to repeat: c0 (3 rankings), *"]
    )
    (entry,) = json.loads(reported.baseline())["suites"]["ann.eval.yaml"]["systems"].values()
    assert entry["policy"]["repeat"] == 3
    assert entry["metrics"]["ndcg@10"]["value"] == pytest.approx(0.4897, abs=5e-5)
    assert entry["cases"]["c0"]["ranks"] is None
    assert entry["cases"]["c0"]["scores"]["ndcg@10"] == pytest.approx(1 / 3)


COLD = "thresholds: {latency_p50_ms: 5, latency_p95_ms: 5, latency_mean_ms: 49.75, latency_max_ms: 900}\n"
WARM = "warmup: 1\nthresholds: {latency_p50_ms: 5, latency_p95_ms: 5, latency_mean_ms: 5, latency_max_ms: 5}\n"


@pytest.mark.parametrize("thresholds", [COLD, WARM], ids=["cold", "warm"])
def test_a_cold_start_moves_the_mean_and_not_the_percentiles(
    reported: Reported, monkeypatch: pytest.MonkeyPatch, thresholds: str
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.sleep", lambda seconds: now.append(now[-1] + seconds))
    monkeypatch.setattr("pytest_recall.asking.calls.perf_counter", lambda: now[-1])
    changes = (("thresholds: {latency_p95_ms: 50}\n", f"metrics: [mrr]\n{thresholds}"),)
    reported.bring("46", changes=changes).run().assert_outcomes(passed=5)
    # Each bound is exact: a little less, and it is missed.
    for old, new in (("900", "899"), ("49.75", "49.74"), (": 5,", ": 4.9,"), (": 5}", ": 4.9}")):
        if old in thresholds:
            tighter = ((changes[0][0], changes[0][1].replace(old, new)),)
            assert reported.bring("46", changes=tighter).run().parseoutcomes()["failed"] > 0
    assert reported.recorded()["metrics"].keys() == {"mrr"}


@pytest.mark.parametrize("metric", ["recall@2", "mrr", "hit_rate@2", "precision@2"])
def test_a_baseline_value_that_is_no_number_stops_the_run(reported: Reported, metric: str) -> None:
    reported.bring("48", changes=(("k: 2\n", "k: 2\nmetrics: [recall@2, mrr, ndcg@2, hit_rate@2, precision@2]\n"),))
    reported.run(*RECORD)
    given = json.loads((reported.folder / "values.json").read_text(encoding="utf-8"))
    value = given[metric.replace("hit_rate", "hit")]
    baseline = json.loads(reported.baseline())
    baseline["suites"]["nan.eval.yaml"]["systems"]["retriever"]["metrics"][metric]["value"] = value
    reported.write("baseline.json", json.dumps(baseline))
    result = reported.run(COMPARE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    where = f"suites['nan.eval.yaml'].systems['retriever'].metrics['{metric}'].value"
    sentence = f"ERROR: *baseline.json: {where}: must be a number, not {json.dumps(value)}"
    result.stderr.fnmatch_lines([sentence.replace("[", "[[]")])


def test_a_recorded_null_is_no_entry(reported: Reported) -> None:
    reported.bring("48", changes=(("k: 2\n", "k: 2\nmetrics: [ndcg@2]\n"),)).run(*RECORD)
    reported.write("baseline.json", reported.baseline().replace('"value": 0\n', '"value": null\n'))
    result = reported.run(COMPARE)
    result.assert_outcomes(failed=1)
    assert failure(result, "ndcg-at-2")[0] == (
        "ndcg@2 0.000, no value in baseline.json; "
        "record it: pytest nan.eval.yaml --eval-baseline=baseline.json --eval-update"
    )


BROKEN = [
    ("missing.json", ": no such baseline; record it: pytest --eval-baseline=missing.json --eval-update"),
    ("folder", ": a baseline is a file, and this is a directory"),
    ("empty.json", ": the file is empty; restore it, or delete it and record again"),
    ("truncated.json", ":1: the file is cut off; restore it, or delete it and record again"),
    ("conflict.json", ":1: merge conflict markers at line 1; resolve them, or delete it and record again"),
    ("array.json", ": must be an object, not a list"),
    (
        "future.json",
        ": format: 999 is of a later pytest-recall, this one reads 1; upgrade it, or delete it and record again",
    ),
]


@pytest.mark.parametrize(("name", "reason"), BROKEN, ids=[name for name, _ in BROKEN])
def test_an_unreadable_baseline_stops_the_run_with_the_reason(reported: Reported, name: str, reason: str) -> None:
    reported.bring("49")
    if name == "folder":
        (reported.path / name).mkdir()
    elif name != "missing.json":
        (reported.path / name).write_bytes((reported.folder / name).read_bytes())
    result = reported.run(f"--eval-baseline={name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{name}{reason}"])
    result.stdout.no_fnmatch_line("*ok.eval.yaml*")


def test_a_baseline_that_may_not_be_read_stops_the_run(reported: Reported, monkeypatch: pytest.MonkeyPatch) -> None:
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "baseline.json":
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    # A mode of 000 would not stop an administrator.
    reported.bring("49").write("baseline.json", "{}")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    result = reported.run(COMPARE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *baseline.json: the file can't be read: permission denied"])


def test_a_recorded_baseline_with_a_byte_order_mark_is_read(reported: Reported) -> None:
    foreign = reported.bring("12").folder / "baseline_bom.json"
    (reported.path / "baseline.json").write_bytes(foreign.read_bytes())
    result = reported.run(COMPARE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *baseline.json: no baseline of pytest-recall: 'format' is missing"])
    (reported.path / "baseline.json").unlink()
    assert reported.run(*RECORD).ret == pytest.ExitCode.OK
    written = (reported.path / "baseline.json").read_bytes()
    assert not written.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in written
    (reported.path / "baseline.json").write_bytes(b"\xef\xbb\xbf" + written.replace(b"\n", b"\r\n"))
    assert reported.run(COMPARE).ret == pytest.ExitCode.OK


def test_only_the_cases_of_both_sides_are_compared(reported: Reported) -> None:
    only = (("k: 1\n", "k: 1\nmetrics: [recall@1]\n"),)
    reported.bring("50", "before.eval.yaml", changes=only)
    before, after = reported.path / "before.eval.yaml", reported.path / "after.eval.yaml"
    # One file in reality.
    before.rename(reported.path / "suite.eval.yaml")
    reported.run(*RECORD)
    reported.bring("50", "after.eval.yaml", changes=only)
    after.rename(reported.path / "suite.eval.yaml")
    result = reported.run(COMPARE)
    result.assert_outcomes(passed=1)
    # The mean rose from 3/4 to 1 because the failing case was deleted; over `one` and `three` nothing changed.
    result.stdout.fnmatch_lines(
        [
            "  recall@1                         1.000    1.000        =             passed",
            "  note: 2 cases added since the baseline: two renamed, five",
            "  note: 2 cases removed since the baseline: four, two",
            "  note: 'two' is now called 'two renamed' (same question)",
        ]
    )
    result.stdout.no_fnmatch_line("*better than the baseline*")


def test_a_tag_that_collapses_is_red_while_the_mean_rises(reported: Reported) -> None:
    gated = (("k: 4\n", "k: 4\nmetrics: [recall@4]\nthresholds: {recall@4:legal: {max_drop: 0}}\n"),)
    reported.bring("52", changes=gated, retriever="before").run(*RECORD)
    reported.retriever("after")
    result = reported.run(COMPARE, "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "  recall@4                         0.700    0.600   +0.100             passed",
            "  recall@4:legal                   0.500    1.000   -0.500             failed",
            "  recall@4:easy                    0.750    0.500   +0.250",
        ]
    )


HITS = """\
from pathlib import Path

def retrieve(query, k):
    hits = int(Path(__file__).with_name("hits").read_text())
    return ["a" if int(query[1:]) < hits else "b"]
"""


def test_a_slow_decline_meets_the_baseline_that_was_recorded(reported: Reported) -> None:
    cases = "".join(f"  - {{query: q{n}, relevant: [a]}}\n" for n in range(250))
    only = (("thresholds: {}\n", "metrics: [recall@100]\n"), ("  - {id: c, query: q, relevant: [a]}\n", cases))
    # The folder has no retriever of its own: 225 of 250 hits are the first night's 0.900.
    nights = json.loads(next(reported.directory.glob("56-*/nightly_means.json")).read_text(encoding="utf-8"))
    assert [round(mean * 250) for mean in nights] == [225, 223, 221, 219, 217, 215]
    reported.bring(
        "56", changes=(*only, ("memories: [{id: a, text: text of a}]", "memories: [{id: a}, {id: b}]")), retriever=None
    )
    reported.write("retriever.py", HITS)
    reported.write("hits", "225")
    reported.run(*RECORD)
    recorded = reported.baseline()
    results = []
    for hits in (225, 223, 221, 219, 217, 215):
        reported.write("hits", str(hits))
        results.append(reported.run(COMPARE, "--eval-max-drop=0.01"))
        assert reported.baseline() == recorded
    # 0.008 a night: -0.016 on the third.
    assert [result.ret for result in results] == [0, 0, 1, 1, 1, 1]
    assert failure(results[-1], "recall-at-100")[0] == (
        "recall@100 0.860, baseline 0.900, dropped 0.040, may drop 0.010 (p = 0.002, 10 of 250 cases differ)"
    )
    reported.run(*RECORD)
    reported.write("hits", "225")
    result = reported.run(COMPARE)
    result.stdout.fnmatch_lines(
        [
            "  recall@100                       0.900    0.860   +0.040             passed",
            "  note: better than the baseline: recall@100; record it with --eval-update",
        ]
    )


def test_three_differing_cases_of_ten_have_a_p_of_a_quarter(reported: Reported) -> None:
    reported.bring("57", changes=(("k: 1\n", "k: 1\nmetrics: [recall@1]\n"),), retriever="before").run(*RECORD)
    (entry,) = read_baseline(reported.path / "baseline.json").entries.values()
    suite = load_suite(reported.path / "sig.eval.yaml", root=reported.path)
    change = Pairing(evaluate(suite, lambda query, k: ["a"]), entry).change("recall@1")  # noqa: ARG005 - as a user's
    assert change is not None
    # All three one way: of 2³ sign patterns two are as extreme.
    assert (change.baseline, change.value, len(change.differing), change.p) == (0.7, 1.0, 3, 0.25)


@pytest.mark.parametrize("alpha", [[], ["--eval-alpha=0.05"]], ids=["plain", "alpha"])
def test_three_differing_cases_decide_nothing_and_excuse_nothing(reported: Reported, alpha: list[str]) -> None:
    reported.bring("57", changes=(("k: 1\n", "k: 1\nmetrics: [recall@1]\n"),), retriever="before")
    reported.run(*RECORD)
    reported.retriever("after")
    better = reported.run(COMPARE, *alpha)
    better.assert_outcomes(passed=1)
    reported.run(*RECORD)
    reported.retriever("before")
    assert failure(reported.run(COMPARE, *alpha), "recall-at-1")[0] == (
        "recall@1 0.700, baseline 1.000, dropped 0.300 (3 of 10 cases differ, too few to decide)"
    )


BACKWARDS = "\ndef pytest_collection_modifyitems(items): items.reverse()\n"


@pytest.mark.parametrize("arguments", [["-n0"], ["-n2"], ["-n4"], ["-v"]], ids=["n0", "n2", "n4", "backwards"])
def test_workers_and_order_change_no_byte(reported: Reported, arguments: list[str]) -> None:
    reported.bring("58", changes=EVERY_CASE).run(*RECORD)
    serial = reported.baseline()
    (reported.path / "baseline.json").unlink()
    if arguments == ["-v"]:
        reported.write("conftest.py", (reported.path / "conftest.py").read_text(encoding="utf-8") + BACKWARDS)
    # 20 cases and five defaults each; all of b's cases miss.
    result = reported.run(*RECORD, *arguments, own_process=True)
    result.assert_outcomes(passed=30, failed=20)
    assert reported.baseline() == serial


def test_a_part_of_a_run_evaluates_and_records_its_suite_whole(reported: Reported) -> None:
    reported.bring("58", changes=EVERY_CASE).run(*RECORD)
    whole = json.loads(reported.baseline())["suites"]
    (reported.path / "baseline.json").unlink()
    reported.run(*RECORD, "-k", "a0").assert_outcomes(passed=10)
    assert json.loads(reported.baseline())["suites"] == {"a.eval.yaml": whole["a.eval.yaml"]}
    # The first case of b fails and stops the run, after a.
    reported.run(*RECORD, "-x").assert_outcomes(passed=25, failed=1)
    assert json.loads(reported.baseline())["suites"] == whole


def test_an_interrupted_run_keeps_what_it_finished(reported: Reported) -> None:
    reported.bring("58", changes=(("query: q, relevant: [b]", "query: stop, relevant: [b]"),))
    reported.write(
        "retriever.py",
        "def retrieve(query, k):\n    if query == 'stop': raise KeyboardInterrupt\n    return ['a']\n",
    )
    result = reported.run(*RECORD, own_process=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert list(json.loads(reported.baseline())["suites"]) == ["a.eval.yaml"]
