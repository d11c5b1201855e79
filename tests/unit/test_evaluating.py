"""Retrievers over queries and judgments that no suite file holds."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import asdict
from typing import Any

import pytest

from pytest_recall import (
    Evaluation,
    MetricError,
    RecallError,
    RetrievalError,
    evaluate_retrieval,
    evaluate_retrieval_async,
)
from pytest_recall.asking import calls

RANKINGS: dict[str, Any] = {"lease": ["d1"], "rent": ["d3", "d1", "d2"]}
QUERIES = {"q1": "lease", "q2": "rent"}
QRELS: dict[str, Any] = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def search(query: str, k: int) -> Any:
    return RANKINGS[query][:k]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that take 1, 2, 3, … ms."""
    # Each call asks twice: when it begins and when it has ended.
    moments = (moment / 1000 for number in range(1, 100) for moment in (0, number))
    monkeypatch.setattr(calls, "perf_counter", lambda: next(moments))


def test_metrics_and_scores_of_each_query() -> None:
    report = evaluate_retrieval(search, QUERIES, QRELS, metrics=["recall@1", "mrr", "ndcg@3"])
    # Of q2 the relevant d2 is third: 1/3, and 1/log2(4).
    assert {name: summary.value for name, summary in report.metrics.items()} == {
        "recall@1": 0.5,
        "mrr": pytest.approx(2 / 3),
        "ndcg@3": 0.75,
        "judged@10": pytest.approx((1 + 1 / 3) / 2),
    }
    assert report.per_query["q1"] == {"recall@1": 1.0, "mrr": 1.0, "ndcg@3": 1.0, "judged@10": 1.0}
    assert report.per_query["q2"]["mrr"] == pytest.approx(1 / 3)
    assert list(report.per_query) == ["q1", "q2"]
    assert (report.suite, report.system, report.settings.k) == ("queries", "retriever", 10)


def test_without_metrics_those_that_some_query_defines() -> None:
    report = evaluate_retrieval(search, ["lease", "rent"], [["d1"], []], k=2, system="words")
    assert [*report.metrics] == [
        *("hit_rate@2", "precision@2", "recall@2", "mrr", "ndcg@2", "negative_accuracy", "judged@2"),
    ]
    assert report["negative_accuracy"] == 0
    assert report.system == "words"
    assert report.cases[1].ranking == ("d3", "d1")


@pytest.mark.parametrize("queries", [{7: "lease", 3: "rent"}, {3: "rent", 7: "lease"}])
def test_numbered_queries_stay_numbers(queries: dict[int, str], tmp_path: Any) -> None:
    report = evaluate_retrieval(search, queries, {7: ["d1"], 3: ["d2"]}, metrics=["mrr"])
    assert list(report.per_query) == list(queries)
    assert report.case(7).query == "lease"
    assert Evaluation.from_record(report.to_record()) == report
    for suffix in ("json", "yaml"):
        path = tmp_path / f"now.{suffix}"
        report.write(path)
        assert Evaluation.read(path) == report
        assert list(Evaluation.read(path).per_query) == list(queries)
    comparison = report.compare(evaluate_retrieval(lambda _: [], queries, {7: ["d1"], 3: ["d2"]}, metrics=["mrr"]))
    assert sorted(moved.id for moved in comparison.moved if isinstance(moved.id, int)) == [3, 7]


def test_numbered_queries_are_no_texts() -> None:
    of_numbers, of_texts = (evaluate_retrieval(search, {id: "lease"}, {id: ["d1"]}, metrics=["mrr"]) for id in (7, "7"))
    assert of_numbers != of_texts
    assert of_numbers.compare(of_texts).pairing.common == ()


@pytest.mark.parametrize("suffix", ["html", "md", "jsonl"])
def test_numbered_queries_in_reports_to_look_at(suffix: str, tmp_path: Any) -> None:
    report = evaluate_retrieval(search, ["lease", "rent"], [["d1"], ["d2"]], metrics=["mrr"])
    report.write(tmp_path / f"now.{suffix}")
    assert (tmp_path / f"now.{suffix}").stat().st_size


def test_by_position_the_position_is_the_id() -> None:
    report = evaluate_retrieval(search, ("lease", "rent"), [{"d1": 2, "d9": 0}, {"d2"}], metrics=["mrr"])
    assert {id: scores["mrr"] for id, scores in report.per_query.items()} == {0: 1.0, 1: pytest.approx(1 / 3)}
    assert report.cases[0].relevant == {"d1": 2, "d9": 0}


def test_numpy_numbers_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    first, second = numpy.arange(2)
    report = evaluate_retrieval(search, {first: "lease", second: "rent"}, {first: ["d1"], second: ["d2"]})
    assert [type(id) for id in report.per_query] == [int, int]


def test_columns_of_a_table_are_queries() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"query": ["lease", "rent"], "relevant": [["d1"], ["d2"]]}, index=[5, 6])
    report = evaluate_retrieval(search, table["query"], table["relevant"], metrics=["hit_rate@3"])
    assert (report["hit_rate@3"], list(report.per_query)) == (1.0, [0, 1])


def test_columns_of_polars_are_queries() -> None:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"query": ["lease", "rent"], "relevant": [["d1"], ["d2"]]})
    assert evaluate_retrieval(search, table["query"], table["relevant"].to_list(), metrics=["hit_rate@3"])["hit_rate@3"]


@pytest.mark.parametrize("returned", [[7, 8], ["7", "8"]])
def test_numbered_memories_are_found_as_number_and_as_text(returned: list[Any]) -> None:
    report = evaluate_retrieval(lambda _: returned, ["lease"], [{8: 1}], metrics=["mrr"])
    assert report["mrr"] == 0.5
    assert report.cases[0].ranking == ("7", "8")


@pytest.mark.parametrize(
    ("queries", "qrels", "message"),
    [
        (
            {"q1": "lease", "q2": "rent"},
            {"q1": ["d1"]},
            "query 'q2' is in queries but not in qrels; each query needs judgments, [] where nothing should come back",
        ),
        (
            {"q1": "lease"},
            {"q1": ["d1"], "q2": ["d2"]},
            "query 'q2' is in qrels but not in queries; each query needs judgments, [] where nothing should come back",
        ),
        (["lease", "rent"], [["d1"]], "queries hold 2 queries and qrels 1; by position they must match"),
        (
            {"q1": "lease"},
            [["d1"]],
            "queries and qrels must both be mappings by query id or both sequences by position, not dict and list",
        ),
        ("lease", [["d1"]], "queries must be a mapping by query id or a sequence by position, not str"),
        ({}, {}, "there are no queries, so there is nothing to ask"),
        ({"q1": 5}, {"q1": ["d1"]}, "query 'q1' must be text that is not blank, got 5"),
        ([" "], [["d1"]], "query 0 must be text that is not blank, got ' '"),
        (
            {"q1": "lease", 2: "rent"},
            {"q1": ["d1"], 2: ["d2"]},
            "queries: query ids are text or whole numbers, of one kind for all queries",
        ),
        ({True: "lease"}, {True: ["d1"]}, "queries: an id is text or a whole number, not bool True"),
        ({"q1": "lease"}, {"q1": "d1"}, "query 'q1' in qrels: a bare str 'd1' is no list of ids"),
        (
            {"q1": "lease"},
            {"q1": {"d1": -1}},
            "query 'q1' in qrels: the grade of 'd1' must be a finite number from 0, got -1",
        ),
        ({"q1": "lease"}, {"q1": [True]}, "query 'q1' in qrels: an id is text or a whole number, not bool True"),
        (
            ["lease", "rent"],
            [["d1"], [2]],
            "query 1: ids are text or whole numbers, of one kind for all queries",
        ),
    ],
)
def test_what_is_no_query_is_named(queries: Any, qrels: Any, message: str) -> None:
    with pytest.raises(RecallError) as raised:
        evaluate_retrieval(search, queries, qrels)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["nddcg@5"]}, "unknown metric 'nddcg@5' (did you mean 'ndcg@5'?)"),
        ({"metrics": "mrr"}, "metrics must be a list of names, such as ['mrr'], not a bare text"),
        ({"metrics": 5}, "metrics must be a list of names, such as ['mrr'], got 5"),
        ({"metrics": ["ndcg@20"]}, "ndcg@20: the cutoff is above k = 10"),
        ({"metrics": []}, "metrics is empty; name at least one, such as ['mrr']"),
        (
            {"metrics": ["exact_match"]},
            "'exact_match' is no metric of a retriever; it is computed over a suite",
        ),
        ({"k": 10**9}, "k must be at most 1,000,000, got 1000000000"),
        ({"duplicates": "last"}, "duplicates must be 'error' or 'first', got 'last'"),
        ({"system": ""}, "system must be text that is not blank, got ''"),
        ({"system": None}, "system must be text that is not blank, got None"),
        ({"metrics": [5]}, "a metric is named by a text such as 'mrr', got 5"),
        ({"k": 0}, "k must be a whole number from 1, got 0"),
        ({"concurrency": 1.5}, "concurrency must be a whole number from 1, got 1.5"),
        ({"on_degraded": "ignore"}, "on_degraded must be 'error' or 'warn', got 'ignore'"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError) as raised:
        evaluate_retrieval(search, QUERIES, QRELS, **options)
    assert str(raised.value) == message


def test_what_can_not_be_called_is_refused() -> None:
    with pytest.raises(RetrievalError, match="int"):
        evaluate_retrieval(5, QUERIES, QRELS)


def respond(query: str) -> dict[str, Any]:
    responses: dict[str, dict[str, Any]] = {
        "lease": {"results": ["d1"], "status": "success"},
        "rent": {"results": ["d2"], "status": "partial"},
        "deposit": {"results": ["d3"]},
    }
    return responses[query]


def test_degraded_response_is_an_error_of_its_query() -> None:
    queries = {query: query for query in ("lease", "rent", "deposit", "garden")}
    report = evaluate_retrieval(respond, queries, {query: ["d1"] for query in queries}, metrics=["mrr"])
    assert report["mrr"] is None
    assert report.metrics["mrr"].errors == 2
    assert report.per_query["rent"] == {"mrr": None, "judged@10": None}
    assert report.case("rent").error == (
        "the response is degraded: its status is 'partial', not 'success' (on_degraded 'warn' scores it all the same)"
    )
    assert report.case("garden").error == "KeyError: 'garden'"
    # What brought no response at all is an error; what says nothing of itself is a success.
    assert report.status_counts == {"success": 2, "partial": 1, "error": 1}


def test_degraded_response_may_be_scored() -> None:
    queries = ["lease", "rent", "deposit"]
    report = evaluate_retrieval(respond, queries, [["d1"], ["d2"], ["d3"]], metrics=["mrr"], on_degraded="warn")
    assert report["mrr"] == 1
    assert report.status_counts == {"success": 2, "partial": 1}
    assert report.notes == ("1 degraded response scored all the same, by status: 'partial' 1",)


@pytest.mark.usefixtures("clock")
def test_latency_in_milliseconds() -> None:
    queries = ["lease"] * 20
    report = evaluate_retrieval(search, queries, [["d1"]] * 20, metrics=["latency_p95_ms"])
    # 1, 2, …, 20 ms: half of them are up to 10, 19 of 20 up to 19.
    assert report.latency is not None
    assert asdict(report.latency) == pytest.approx({"mean": 10.5, "p50": 10, "p95": 19, "max": 20, "total": 210})
    assert report.latency.p95 == report["latency_p95_ms"]


def test_what_raised_has_no_latency() -> None:
    def fail(query: str) -> Any:
        raise KeyError(query)

    assert evaluate_retrieval(fail, QUERIES, QRELS).latency is None


def test_several_queries_at_once_keep_their_order() -> None:
    together = threading.Barrier(2, timeout=20)

    def slow(query: str) -> list[str]:
        together.wait()  # goes on only when both were asked
        return [query]

    report = evaluate_retrieval(slow, ["lease", "rent"], [["lease"], ["rent"]], metrics=["mrr"], concurrency=2)
    assert [case.ranking for case in report.cases] == [("lease",), ("rent",)]
    assert report["mrr"] == 1


async def search_async(query: str, k: int) -> Any:
    return search(query, k)


def test_asynchronous_retriever_is_asked_on_the_running_loop() -> None:
    expected = evaluate_retrieval(search, {1: "lease", 2: "rent"}, {1: ["d1"], 2: ["d2"]}, metrics=["mrr"], k=3)

    async def notebook() -> Evaluation:
        queries, qrels = {1: "lease", 2: "rent"}, {1: ["d1"], 2: ["d2"]}
        return await evaluate_retrieval_async(search_async, queries, qrels, metrics=["mrr"], k=3, concurrency=2)

    report = asyncio.run(notebook())
    assert report["mrr"] == pytest.approx(2 / 3)
    assert report.per_query == expected.per_query


def test_asynchronous_retriever_is_told_what_asks_it() -> None:
    with pytest.raises(RetrievalError) as raised:
        evaluate_retrieval(search_async, QUERIES, QRELS)
    assert str(raised.value) == "the retriever is asynchronous, so call `await evaluate_retrieval_async(…)`"


def test_a_repeated_result_is_an_error_or_counts_once() -> None:
    def twice(_: str) -> list[str]:
        return ["x", "x", "d1"]

    report = evaluate_retrieval(twice, ["lease"], [["d1"]], metrics=["mrr"])
    assert report.cases[0].error == (
        "'x' came back twice, at ranks 1 and 2; "
        "where several results are parts of one document, duplicates 'first' counts each once"
    )
    assert evaluate_retrieval(twice, ["lease"], [["d1"]], metrics=["mrr"], duplicates="first")["mrr"] == 0.5


def test_metric_that_no_query_defines_is_noted() -> None:
    report = evaluate_retrieval(search, QUERIES, QRELS, metrics=["mrr", "stale_hit_rate@3", "negative_accuracy"])
    assert report["stale_hit_rate@3"] is None
    assert report.notes == (
        "stale_hit_rate@3 is undefined: the judgments of no query define it",
        "negative_accuracy is undefined: the judgments of no query define it",
    )


def test_grades_whose_gains_have_no_sum() -> None:
    grades = dict.fromkeys(["d1", "d2", "d3"], 1.7e308)
    with pytest.raises(RecallError) as refused:
        evaluate_retrieval(search, ["rent"], [grades], metrics=["ndcg"])
    assert str(refused.value) == "the grades are too large: a sum of their gains is no number"
