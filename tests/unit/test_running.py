from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.asking import Plan, calls
from pytest_recall.errors import MetricError, RecallError, RetrievalError
from pytest_recall.evaluation import Evaluation
from pytest_recall.metrics import JudgedRanking, Metric, parse_metric
from pytest_recall.running import evaluate, evaluate_async, run_suite
from tests.builders import case, suite

if TYPE_CHECKING:
    from collections.abc import Iterator

RANKINGS: dict[str, Any] = {"first": ["a", "b"], "second": ["x", "b"], "nothing": []}


def search(query: str, k: int) -> Any:
    return RANKINGS[query][:k]


def test_evaluation_tells_suite_system_settings_and_scores() -> None:
    small = suite(
        [case("first", "a"), case("second", "b"), case("nothing")],
        ["mrr", "recall@1", "negative_accuracy"],
        k=2,
        memories="abx",
        duplicates="first",
    )
    evaluation = evaluate(small, search, system="search[bm25]")
    assert (evaluation.suite, evaluation.system) == ("notes.eval.yaml", "search[bm25]")
    assert evaluation.settings == small.settings
    assert evaluation.settings.memories is not None
    assert evaluation.settings.memories.count == 3
    assert [case.ranking for case in evaluation.cases] == [("a", "b"), ("x", "b"), ()]
    assert [dict(case.scores) for case in evaluation.cases] == [
        {"mrr": 1.0, "recall@1": 1.0},
        {"mrr": 0.5, "recall@1": 0.0},
        {"mrr": None, "recall@1": None, "negative_accuracy": 1.0},
    ]
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == {
        "mrr": 0.75,
        "recall@1": 0.5,
        "negative_accuracy": 1.0,
    }
    assert evaluation.problem is None
    assert evaluation.notes == ()


def test_system_is_called_retriever_unless_told() -> None:
    assert evaluate(suite([case("first", "a")], ["mrr"]), search).system == "retriever"


@pytest.mark.parametrize("system", [5, b"x", "", " "])
def test_a_system_without_a_name_is_refused(system: Any) -> None:
    asked = suite([case("first", "a")], ["mrr"])
    with pytest.raises(MetricError) as refused:
        evaluate(asked, search, system=system)
    with pytest.raises(MetricError) as refused_too:
        asyncio.run(evaluate_async(asked, search, system=system))
    assert str(refused.value) == str(refused_too.value) == f"system must be text that is not blank, got {system!r}"


def test_asynchronous_retriever_makes_the_same_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "perf_counter", lambda: 0.0)
    asked = suite(
        [case("first", "a"), case("second", "b"), case("nothing"), case("broken", "a")], ["mrr", "recall@1"], k=2
    ).planned(Plan(repeat=2, concurrency=3))

    async def search_async(query: str, k: int) -> Any:
        return search(query, k)

    assert asyncio.run(evaluate_async(asked, search_async)) == evaluate(asked, search)
    assert asyncio.run(evaluate_async(asked, search)) == evaluate(asked, search)


def test_what_an_asynchronous_retriever_forgot_to_await_is_told() -> None:
    async def search_async(_query: str) -> list[str]:
        return ["a"]

    async def forgetful(query: str) -> Any:
        return search_async(query)

    (result,) = asyncio.run(evaluate_async(suite([case("q", "a")], ["mrr"]), forgetful)).cases
    assert result.error == (
        "the retriever is asynchronous (it returned an object of type coroutine): "
        "declare `async: true` in the suite, or await it where it is called"
    )


def test_asynchronous_retriever_is_told_what_asks_it() -> None:
    async def search_async(_query: str) -> list[str]:
        return ["a"]

    with pytest.raises(RetrievalError) as raised:
        evaluate(suite([case("first", "a"), case("second", "a")], ["mrr"]), search_async)
    assert str(raised.value) == "the retriever is asynchronous, so call `await evaluate_async(suite, …)`"


def test_case_result_carries_what_the_suite_says() -> None:
    asked = case(
        "first",
        {"a": 2, "b": 1},
        query="first",
        stale=("o",),
        tags=("legal",),
        kind="fact",
        family="leases",
        args={"user": "alice"},
        line=7,
    )
    (result,) = evaluate(suite([asked], ["mrr"]), lambda _, user: [user, "a"]).cases
    assert result.ranking == ("alice", "a")
    assert result.fingerprint == asked.fingerprint
    for name in ("id", "query", "relevant", "stale", "tags", "kind", "family", "args", "line"):
        assert getattr(result, name) == getattr(asked, name)


def test_k_is_the_suites() -> None:
    asked: list[tuple[str, int]] = []

    def longer_than_asked(query: str, k: int) -> list[str]:
        asked.append((query, k))
        return ["x", "y", "a"]

    evaluation = evaluate(suite([case("first", "a")], ["mrr"], k=2), longer_than_asked)
    assert asked == [("first", 2)]
    assert evaluation.cases[0].ranking == ("x", "y")
    assert evaluation["mrr"] == 0.0


def test_case_that_raises_stands_beside_the_others() -> None:
    error = LookupError("index closed\nand more")

    def search(query: str) -> list[str]:
        if query == "broken":
            raise error
        return ["a"]

    run = run_suite(
        suite([case("broken", "a"), case("fine", "a"), case("negative")], ["mrr", "negative_accuracy", "judged@10"]),
        search,
        system="retriever",
    )
    broken, fine, _ = run.evaluation.cases
    assert broken.error == "LookupError: index closed"
    assert broken.ranking == ()
    assert broken.latency_ms is None
    assert broken.scores == {"mrr": None, "judged@10": None}
    assert fine.scores == {"mrr": 1.0, "judged@10": 1.0}
    assert run.exceptions == {"broken": error}
    assert error.__traceback__ is not None
    assert run.evaluation["mrr"] is None
    assert run.evaluation.metrics["mrr"].errors == 1
    assert run.evaluation["negative_accuracy"] == 0.0
    assert run.evaluation.errors == (broken,)


class Mute(Exception):  # noqa: N818 - its name is part of the test
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("no such index"), "ValueError: no such index"),
        (ValueError(), "ValueError"),
        (ValueError("\n  first line\nsecond"), "ValueError: first line"),
        (KeyError("lease"), "KeyError: 'lease'"),
        (ValueError("\x1b[31mred\x1b[0m"), "ValueError: \\x1b[31mred\\x1b[0m"),
        (ValueError("\ud800"), "ValueError: \\ud800"),
        (ValueError("x" * 1000), f"ValueError: {'x' * 499}…"),
        (Mute(), "Mute"),
    ],
)
def test_error_is_one_printable_line(error: Exception, sentence: str) -> None:
    def search(_query: str) -> None:
        raise error

    evaluation = evaluate(suite([case("q", "a")], ["mrr"]), search)
    assert evaluation.cases[0].error == sentence


def test_what_is_no_ranking_is_told_without_its_type() -> None:
    evaluation = evaluate(suite([case("q", "a")], ["mrr"]), lambda _: ["a", "a"])
    assert evaluation.cases[0].error == (
        "'a' came back twice, at ranks 1 and 2; "
        "where several results are parts of one document, duplicates 'first' counts each once"
    )


def test_argument_that_cannot_be_given_is_an_error_of_its_case() -> None:
    evaluation = evaluate(
        suite([case("first", "a", args={"usr": "alice"}), case("second", "b")], ["mrr"]),
        search,
    )
    assert [result.error for result in evaluation.cases] == ["the retriever takes no argument 'usr'", None]


def test_what_is_no_retriever_is_an_error_of_the_whole() -> None:
    with pytest.raises(
        RetrievalError, match=r"^a retriever is a callable or an object with search, invoke or retrieve"
    ):
        evaluate(suite([case("q", "a")], ["mrr"]), 42)


def test_stopping_the_run_is_no_error_of_a_case() -> None:
    def search(_query: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(suite([case("q", "a")], ["mrr"]), search)


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_latency_is_that_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(calls, "perf_counter", clock)

    class Results(list[str]):
        """Takes three seconds to be read."""

        def __iter__(self) -> Iterator[str]:
            clock.now += 3
            return super().__iter__()

    def at_once(query: str) -> list[str]:
        clock.now += len(query)
        return Results("a")

    def lazily(query: str) -> Iterator[str]:
        clock.now += len(query)
        yield "a"
        clock.now += 5
        yield "b"

    metrics = ["latency_mean_ms", "latency_p50_ms", "latency_p95_ms", "latency_max_ms"]
    asked = suite([case("q" * length, "a") for length in (4, 1, 2)], metrics)
    evaluation = evaluate(asked, at_once)
    assert [case.latency_ms for case in evaluation.cases] == [4000.0, 1000.0, 2000.0]
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == {
        "latency_mean_ms": pytest.approx(7000 / 3),
        "latency_p50_ms": 2000.0,
        "latency_p95_ms": 4000.0,
        "latency_max_ms": 4000.0,
    }
    # A generator works while it is read.
    assert [case.latency_ms for case in evaluate(asked, lazily).cases] == [9000.0, 6000.0, 7000.0]


def test_generator_is_read_once_and_no_further_than_k() -> None:
    read: list[str] = []

    def search(_query: str) -> Iterator[str]:
        for id in "xabc":
            read.append(id)
            yield id

    evaluation = evaluate(suite([case("q", "a")], ["mrr", "recall@2", "map"], k=2), search)
    assert read == ["x", "a"]
    assert evaluation["mrr"] == 0.5


def test_place_of_ids_holds_for_the_whole_suite() -> None:
    returned = {"first": [{"metadata": {"source": "a"}}], "second": [{"metadata": {"key": "b"}}]}
    evaluation = evaluate(suite([case("first", "a"), case("second", "b")], ["mrr"]), returned.__getitem__)
    assert [result.error for result in evaluation.cases] == [
        None,
        'a result of type dict has no metadata["source"], where the results before it had their id',
    ]
    assert evaluation.notes == ('ids taken from metadata["source"]',)


def test_each_run_starts_anew() -> None:
    asked = suite([case("first", "a")], ["mrr"])
    assert evaluate(asked, lambda _: [{"key": "a"}])["mrr"] == 1.0
    assert evaluate(asked, lambda _: [{"id": "a"}])["mrr"] == 1.0


def test_ids_that_never_match_spoil_the_whole() -> None:
    asked = suite([case("first", "a"), case("second", "b")], ["mrr"], memories=["a", "b"])
    evaluation = evaluate(asked, lambda _: ["a#3"])
    assert evaluation.problem == ("no returned id is a memory of this suite: returned 'a#3', memories look like 'a'")
    assert evaluation["mrr"] == 0.0


def test_near_misses_are_noted() -> None:
    evaluation = evaluate(suite([case("first", ["Lease-1", "a"])], ["mrr"]), lambda _: ["lease-1", "a"])
    assert evaluation.problem is None
    assert evaluation.notes == ("returned 'lease-1', which is 'Lease-1' but for letter case",)


def test_r_precision_that_looks_further_than_k_is_noted() -> None:
    cases = [case("first", "abc"), case("second", "ab")]
    note = "r_precision of 'first' looks further than k = 2, for it has more relevant memories"
    assert evaluate(suite(cases, ["r_precision"], k=2), search).notes == (note,)
    assert evaluate(suite(cases, ["r_precision"], k=3), search).notes == ()
    assert evaluate(suite(cases, ["mrr"], k=2), search).notes == ()
    graded = [case("first", {"a": 2, "b": 1, "c": 1})]
    assert evaluate(suite(graded, ["r_precision"], k=2, relevance_threshold=2), search).notes == ()


def test_arguments_that_the_retriever_changes_do_not_change_the_case() -> None:
    def greedy(_query: str, tags: list[str]) -> list[str]:
        tags.append("more")
        return ["a"]

    asked = case("q", "a", args={"tags": ["x"]})
    before = asked.fingerprint
    (result,) = evaluate(suite([asked], ["mrr"]), greedy).cases
    assert result.args == {"tags": ["x"]}
    assert result.fingerprint == before


def test_ranking_is_no_longer_the_retrievers() -> None:
    shared: list[str] = []

    def reusing(query: str) -> list[str]:
        shared[:] = [query]
        return shared

    evaluation = evaluate(suite([case("a", "a"), case("b", "b")], ["mrr"]), reusing)
    assert [result.ranking for result in evaluation.cases] == [("a",), ("b",)]


def degraded(query: str) -> Any:
    return {"results": ["a"], "status": query, "answer": f"answer to {query}"}


def test_degraded_response_is_an_error_of_its_case() -> None:
    asked = suite([case("success", "a"), case("partial", "a")], ["mrr"])
    fine, bad = evaluate(asked, degraded).cases
    assert (fine.status, fine.answer, fine.error) == ("success", "answer to success", None)
    assert (bad.status, bad.answer, bad.ranking, bad.scores) == ("partial", None, (), {"mrr": None})
    assert bad.error is not None
    assert bad.error.startswith("the response is degraded: its status is 'partial', not 'success'")


def test_degraded_response_is_scored_under_warn() -> None:
    asked = replace(suite([case("success", "a"), case("partial", "a")], ["mrr"]), on_degraded="warn")
    evaluation = evaluate(asked, degraded)
    assert evaluation["mrr"] == 1.0
    assert [result.status for result in evaluation.cases] == ["success", "partial"]
    assert evaluation.notes == ("1 degraded response scored all the same, by status: 'partial' 1",)


def test_what_a_user_knows_to_read_is_read() -> None:
    asked = suite([case("q", "a")], ["mrr"])
    evaluation = evaluate(asked, lambda _: b"x a", adapt=lambda returned, _: str(returned, "utf-8").split())  # type: ignore[call-overload]
    assert evaluation["mrr"] == 0.5


def test_metric_of_the_users_own_that_raises_is_an_error_of_its_case() -> None:
    def picky(judged: JudgedRanking, _cutoff: object) -> float:
        return {"a": 1.0}[judged.ranking[0]]

    metric = Metric(name="picky", per_case=picky, takes_cutoff="none")
    asked = replace(suite([case("a", "a"), case("b", "a")], ["mrr"]), scored=(parse_metric("mrr"), metric))
    run = run_suite(asked, lambda query: [query], system="retriever")
    fine, bad = run.evaluation.cases
    assert fine.scores == {"mrr": 1.0, "picky": 1.0}
    assert (bad.error, bad.ranking, bad.scores) == ("KeyError: 'b'", (), {"mrr": None, "picky": None})
    assert list(run.exceptions) == ["b"]


def test_repeats_of_a_query_follow_one_another() -> None:
    asked: list[str] = []

    def search(query: str) -> list[str]:
        asked.append(query)
        return ["a"] if len(asked) % 2 else ["b", "a"]

    evaluation = evaluate(suite([case("first", "a"), case("second", "a")], ["mrr"], repeat=2), search)
    assert asked == ["first", "first", "second", "second"]
    assert [result.scores for result in evaluation.cases] == [{"mrr": 0.75}, {"mrr": 0.75}]
    assert evaluation.notes == (
        "the ranking of 2 of 2 cases changed from repeat to repeat: first (2 rankings), second (2 rankings)",
    )
    assert evaluation.settings.policy.repeat == 2
    assert Evaluation.from_record(evaluation.to_record()) == evaluation


def test_place_of_ids_is_that_of_the_first_case_whatever_finished_first() -> None:
    second_is_done = threading.Event()

    def search(query: str) -> list[dict[str, Any]]:
        if query == "first":
            second_is_done.wait(60)
            return [{"key": "a"}]
        second_is_done.set()
        return [{"id": "x", "key": "b"}]

    asked = suite([case("first", "a"), case("second", "b")], ["mrr"]).planned(Plan(concurrency=2))
    assert [result.ranking for result in evaluate(asked, search).cases] == [("a",), ("b",)]


def test_query_that_timed_out_is_an_error_and_told_with_its_least_latency() -> None:
    hanging = threading.Event()

    def search(query: str) -> list[str]:
        if query == "hangs":
            hanging.wait(60)
        return ["a"]

    asked = suite([case("hangs", "a"), case("quick", "a")], ["mrr", "latency_max_ms"]).planned(Plan(timeout=0.05))
    run = run_suite(asked, search, system="retriever")
    hanging.set()
    hangs, quick = run.evaluation.cases
    assert (hangs.error, hangs.latency_ms) == ("timed out after 0.05 s", 50.0)
    assert hangs.scores == {"mrr": None, "latency_max_ms": None}
    assert quick.scores["mrr"] == 1.0
    assert run.evaluation["latency_max_ms"] is None
    assert run.evaluation.metrics["latency_max_ms"].errors == 1
    assert run.evaluation.notes == ("1 case timed out, so the latency is ≥ 0.05 s: hangs",)


def test_latency_in_a_batch_is_undefined() -> None:
    class Index:
        def search(self, query: str) -> list[str]:
            raise AssertionError(query)

        def search_batch(self, queries: list[str]) -> list[list[str]]:
            return [["a"] for _ in queries]

    asked = suite([case("first", "a"), case("second", "b")], ["mrr", "latency_max_ms"]).planned(Plan(batch=8))
    evaluation = evaluate(asked, Index())
    assert evaluation["mrr"] == 0.5
    assert evaluation["latency_max_ms"] is None
    assert evaluation.metrics["latency_max_ms"].undefined == 2


def test_progress_is_told_after_each_case() -> None:
    told: list[int] = []
    asked = suite([case("first", "a"), case("second", "b")], ["mrr"], repeat=3)
    run_suite(asked, search, system="retriever", progress=told.append)
    assert told == [3, 6]


def test_case_without_judgments_counts_for_no_ranking_metric() -> None:
    small = suite(
        [case("first", "a"), case("second", None)], ["mrr", "negative_accuracy", "judged@2"], k=2, undefined="zero"
    )
    evaluation = evaluate(small, search)
    assert [case.relevant for case in evaluation.cases] == [{"a": 1.0}, None]
    assert [dict(case.scores) for case in evaluation.cases] == [{"mrr": 1.0, "judged@2": 0.5}, {}]
    assert evaluation.cases[1].ranking == ("x", "b")
    assert evaluation.summary("mrr").scored == 1
    assert Evaluation.from_record(evaluation.to_record()) == evaluation


def test_what_is_no_suite_is_refused() -> None:
    with pytest.raises(RecallError) as raised:
        evaluate("t.eval.yaml", lambda _query: [])  # type: ignore[arg-type]
    assert str(raised.value) == "what is evaluated is a suite, as load_suite reads one, and this is a str"
