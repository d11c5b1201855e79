"""How queries are asked: options, suite and ini, threads and executors in a real run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.pairing import Pairing
from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.project import Project

COUNTING = """\
import itertools
import pytest

CALLS = itertools.count(1)

def search(query, k):
    next(CALLS)
    return {"q1": ["a"], "q2": ["b"]}[query]

@pytest.fixture(scope="module")
def retriever():
    yield search
    print("asked", next(CALLS) - 1)
"""


def asked(project: Project, *arguments: str) -> int:
    """How often the retriever was asked in a run over two cases."""
    result = project.run("-s", *arguments)
    result.assert_outcomes(passed=2)
    (line,) = (line for line in result.outlines if "asked" in line)
    return int(line.rpartition(" ")[2])


@pytest.mark.parametrize(
    ("option", "suite", "ini", "times"),
    [
        (None, None, None, 2),
        (None, None, 5, 10),
        (None, 3, 5, 6),
        (2, 3, 5, 4),
        (1, 3, 5, 2),
    ],
)
def test_the_option_wins_then_the_suite_then_ini(
    notes: Project, option: int | None, suite: int | None, ini: int | None, times: int
) -> None:
    notes.write("conftest.py", COUNTING)
    if suite is not None:
        text = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
        notes.write("notes.eval.yaml", f"repeat: {suite}\n{text}")
    arguments = ["-o", f"eval_repeat={ini}"] if ini is not None else []
    arguments += [f"--eval-repeat={option}"] if option is not None else []
    assert asked(notes, *arguments) == times


def test_warm_up_is_one_query_more(notes: Project) -> None:
    notes.write("conftest.py", COUNTING)
    text = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", f"warmup: 1\n{text}")
    assert asked(notes) == 3


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ("--eval-concurrency=0", "--eval-concurrency: must be a whole number from 1, got '0'"),
        ("--eval-concurrency=many", "--eval-concurrency: must be a whole number from 1, got 'many'"),
        ("--eval-repeat=1.5", "--eval-repeat: must be a whole number from 1, got '1.5'"),
        ("--eval-repeat=²", "--eval-repeat: must be a whole number from 1, got '²'"),
        ("--eval-timeout=0", "--eval-timeout: must be a number of seconds above 0, got '0'"),
        ("--eval-timeout=inf", "--eval-timeout: must be a number of seconds above 0, got 'inf'"),
        ("--eval-timeout=nan", "--eval-timeout: must be a number of seconds above 0, got 'nan'"),
        ("--eval-timeout=2s", "--eval-timeout: must be a number of seconds above 0, got '2s'"),
        ("--eval-timeout=", "--eval-timeout is empty: give a value, or leave the option out"),
        ("-oeval_timeout=soon", "ini key eval_timeout: must be a number of seconds above 0, got 'soon'"),
        ("-oeval_concurrency=-1", "ini key eval_concurrency: must be a whole number from 1, got '-1'"),
        ("-oeval_repeat=x", "ini key eval_repeat: must be a whole number from 1, got 'x'"),
    ],
)
def test_a_number_that_makes_no_sense_stops_the_run(notes: Project, argument: str, error: str) -> None:
    result = notes.run(argument)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {error}"])


OVERLAPPING = """\
import threading
import pytest

TOGETHER = threading.Barrier(2)

def search(query, k):
    TOGETHER.wait(60)
    return {"q1": ["a"], "q2": ["b"]}[query]

@pytest.fixture
def retriever():
    return search
"""


def test_queries_overlap_where_asked_for(notes: Project) -> None:
    notes.write("conftest.py", OVERLAPPING)
    notes.run("--eval-concurrency=2").assert_outcomes(passed=2)


HANGING = """\
import threading
import pytest

def search(query, k):
    if query == "q1":
        threading.Event().wait()
    return ["b"]

@pytest.fixture
def retriever():
    return search
"""


@pytest.mark.parametrize("workers", [(), ("-n2", "--dist=loadfile")], ids=["serial", "xdist"])
def test_the_process_ends_with_a_query_that_never_does(notes: Project, workers: tuple[str, ...]) -> None:
    notes.write("conftest.py", HANGING)
    result = notes.run("--eval-timeout=0.1", BASELINE, "--eval-update", *workers, own_process=True)
    result.assert_outcomes(failed=2)
    text = [line for line in failure(result, "mrr") if not line.startswith("[gw")]
    assert text == [
        "mrr has no value: 1 of 2 cases raised, first one: timed out after 0.1 s",
        "  1 case timed out, so the latency is ≥ 0.1 s: one",
    ]
    result.stdout.fnmatch_lines(["  note: 1 case timed out, so the latency is ≥ 0.1 s: one"])
    assert not (notes.path / "baseline.json").exists()


RAISING = """\
import pytest

def search(query, k):
    {body}

@pytest.fixture
def retriever():
    return search
"""

CONCURRENT = "--eval-concurrency=2"


def test_an_error_in_a_thread_has_the_users_traceback(notes: Project) -> None:
    notes.write("conftest.py", RAISING.format(body="raise ValueError('closed')"))
    assert failure(notes.run(CONCURRENT), "recall-at-3") == [
        "recall@3 has no value: 2 of 2 cases raised, first one: ValueError: closed",
        "",
        "conftest.py:4: in search",
        "    raise ValueError('closed')",
        "E   ValueError: closed",
    ]


def test_a_query_in_a_thread_can_end_the_run(notes: Project) -> None:
    notes.write("conftest.py", RAISING.format(body="pytest.exit('no backend')"))
    result = notes.run(CONCURRENT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["!*Exit: no backend !*"])


def test_a_query_in_a_thread_can_interrupt_the_run(notes: Project) -> None:
    notes.write("conftest.py", RAISING.format(body="raise KeyboardInterrupt"))
    assert notes.run(CONCURRENT, own_process=True).ret == pytest.ExitCode.INTERRUPTED


def test_a_query_in_a_thread_can_not_excuse_its_gate(notes: Project) -> None:
    notes.write("conftest.py", RAISING.format(body="pytest.skip('no index')"))
    result = notes.run(CONCURRENT)
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr")[0].startswith("notes.eval.yaml: fixture 'retriever': a query called pytest.skip(")


def test_a_query_in_a_thread_that_fails_its_test_is_an_error_of_its_case(notes: Project) -> None:
    notes.write("conftest.py", RAISING.format(body="pytest.fail('never mind')"))
    told = failure(notes.run(CONCURRENT), "recall-at-3")
    assert told[0] == "recall@3 has no value: 2 of 2 cases raised, first one: Failed: never mind"
    assert "    pytest.fail('never mind')" in told
    assert told[-1] == "E   pytest_recall.errors.RetrievalError: Failed: never mind"


def test_repeats_on_both_sides_of_a_bound_are_told(notes: Project) -> None:
    text = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", text + "repeat: 2\nthresholds: {mrr: 0.6}\neach: {mrr: 0.4}\n")
    body = 'CALLS.append(1); return [["a", "b"], ["b", "a"]][len(CALLS) % 2]\n\nCALLS = []'
    notes.write("conftest.py", RAISING.format(body=body))
    # The first repeat brings b, a and the second a, b: 1/2 and 1 for the one case, 1 and 1/2 for the other.
    result = notes.run(BASELINE, "--eval-update")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "  mrr                              0.750                       >= 0.6  passed",
            "  note: the ranking of 2 of 2 cases changed from repeat to repeat: one (2 *",
        ]
    )
    assert notes.baseline().count('"ranks": null') == 2
    assert notes.run(BASELINE).ret == pytest.ExitCode.OK


def test_a_straddled_bound_is_told_in_summary_and_failure(notes: Project) -> None:
    text = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", text + "repeat: 2\nthresholds: {mrr: 0.8}\n")
    body = (
        'CALLS.append(1); return [[query.replace("q1", "a").replace("q2", "b")], ["d"]][len(CALLS) % 2]\n\nCALLS = [1]'
    )
    notes.write("conftest.py", RAISING.format(body=body))
    result = notes.run()
    note = "mrr: the repeats lie on both sides of 0.800: 1.000, 0.000"
    assert f"  {note}" in failure(result, "mrr")
    result.stdout.fnmatch_lines([f"  note: {note}"])


ON_EXECUTOR = """\
import pytest
from concurrent.futures import {kind}
from search import Index

@pytest.fixture(scope="session")
def eval_executor():
    with {kind}(2) as executor:
        yield executor

@pytest.fixture(scope="session")
def retriever():
    return {retriever}
"""

INDEX = """\
class Index:
    rankings = None

    def search(self, query, k):
        if self.rankings is None:
            self.rankings = {"q1": ["a", "b"], "q2": ["b", "a"]}
        if query not in self.rankings:
            raise LookupError(query)
        return self.rankings[query]
"""


def on_executor(project: Project, kind: str, retriever: str = "Index()") -> None:
    project.write("search.py", INDEX)
    project.write("conftest.py", ON_EXECUTOR.format(kind=kind, retriever=retriever))
    project.write("pytest.ini", "[pytest]\npythonpath = .\n")


@pytest.mark.parametrize("kind", ["ThreadPoolExecutor", "ProcessPoolExecutor"])
def test_an_executor_gives_the_serial_bytes(notes: Project, kind: str) -> None:
    notes.run(BASELINE, "--eval-update").assert_outcomes(passed=2)
    serial = notes.baseline()
    (notes.path / "baseline.json").unlink()
    on_executor(notes, kind)
    notes.run(BASELINE, "--eval-update", own_process=True).assert_outcomes(passed=2)
    assert notes.baseline() == serial


def test_an_error_in_a_worker_has_its_traceback(notes: Project) -> None:
    on_executor(notes, "ProcessPoolExecutor")
    text = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", text.replace("query: q2", "query: q3"))
    told = failure(notes.run(own_process=True), "recall-at-3")
    assert told[:3] == [
        "recall@3 has no value: 1 of 2 cases raised, first two: LookupError: q3",
        "",
        "Traceback (most recent call last):",
    ]
    assert told[3].endswith('search.py", line 8, in search')
    assert told[-1] == "LookupError: q3"


def test_a_retriever_that_can_not_be_pickled_is_told_with_the_fixture(notes: Project) -> None:
    on_executor(notes, "ProcessPoolExecutor", "lambda query: [query]")
    result = notes.run(own_process=True)
    result.assert_outcomes(failed=2)
    (text,) = failure(result, "mrr")
    assert text.startswith("notes.eval.yaml: fixture 'retriever': the executor needs a retriever that can be pickled, ")


NO_EXECUTOR = """\
import pytest

@pytest.fixture(scope="session", params={params})
def eval_executor(request):
    {body}

@pytest.fixture(scope="session")
def retriever():
    return lambda query: ["a", "b"]
"""


@pytest.mark.parametrize("body", ['raise ConnectionError("no scheduler")', 'pytest.fail("no scheduler")'])
def test_an_executor_that_can_not_be_made_fails_every_gate_with_its_own_lines(notes: Project, body: str) -> None:
    notes.write("conftest.py", NO_EXECUTOR.format(params=None, body=body))
    result = notes.run()
    result.assert_outcomes(failed=2)
    raised = "Failed" if "fail" in body else "ConnectionError"
    for gate in ("recall-at-3", "mrr"):
        told = [line for line in failure(result, gate) if line]
        assert told[-3:] == [f">       {body}", f"E       {raised}: no scheduler", f"conftest.py:5: {raised}"]
        assert not any("site-packages" in line or "pytest_recall" in line for line in told)


def test_an_executor_may_skip_a_suite(notes: Project) -> None:
    notes.write("conftest.py", NO_EXECUTOR.format(params=None, body='pytest.skip("no scheduler")'))
    result = notes.run()
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["note: not judged, for it was skipped: notes.eval.yaml (no scheduler)"])


def test_a_missing_retriever_is_no_skip_where_the_executor_skips(notes: Project) -> None:
    fixture = NO_EXECUTOR.partition('@pytest.fixture(scope="session")\ndef retriever')[0]
    notes.write("conftest.py", fixture.format(params=None, body='pytest.skip("no scheduler")'))
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "recall-at-3")[0].startswith("no retriever for notes.eval.yaml: write this fixture")


def test_a_suite_is_paired_with_its_baseline_once(notes: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("notes.eval.yaml", NOTES.replace("k: 3", "k: 3\neach: {mrr: 0}"))
    notes.run(BASELINE, "--eval-update").assert_outcomes(passed=4)
    made: list[Pairing] = []

    def pairing(*sides: Any) -> Pairing:
        made.append(Pairing(*sides))
        return made[-1]

    monkeypatch.setattr("pytest_recall.plugin.session.Pairing", pairing)
    notes.run(BASELINE).assert_outcomes(passed=4)
    assert len(made) == 1


def test_an_executor_with_parameters_is_refused(notes: Project) -> None:
    notes.write("conftest.py", NO_EXECUTOR.format(params=[1, 2], body="return None"))
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        "fixture 'eval_executor' is parametrised, and no score depends on it: parametrise the retriever"
    ]


MARKED = """\
import pytest

@pytest.mark.recall("notes.eval.yaml", min_mrr=1)
def test_marked(recall):
    pass

def test_own(recall, retriever):
    assert recall.evaluate("notes.eval.yaml", retriever)["mrr"] == 1.0
"""


def test_suites_of_written_tests_are_asked_the_same_way(notes: Project) -> None:
    notes.write("conftest.py", OVERLAPPING)
    notes.write("test_x.py", MARKED)
    notes.run("test_x.py", CONCURRENT).assert_outcomes(passed=2)
    notes.write("search.py", "")
    on_executor(notes, "ThreadPoolExecutor", "Index().search")
    notes.write("test_x.py", MARKED + "\ndef test_where(eval_executor): assert eval_executor._threads\n")
    notes.run("test_x.py").assert_outcomes(passed=3)
