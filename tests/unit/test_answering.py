"""Where answers come from, and what becomes of a case that has none."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_recall.asking import Plan
from pytest_recall.errors import AnswererError, RetrievalError
from pytest_recall.evaluation import Evaluation
from pytest_recall.running import evaluate, evaluate_async, run_suite
from tests.builders import case, suite

METRICS = ["exact_match", "token_f1", "latency_max_ms"]
PARIS = case("paris", None, answers=("City of Paris", "Paris"))
OSLO = case("oslo", "n", answers=("Oslo",))
FOUND = case("found", "n")
ANSWERS = {"paris": "paris!", "oslo": "Oslo, Norway"}


def search(query: str, k: int) -> list[str]:
    return ["n", query][:k]


def answer(query: str) -> str:
    return ANSWERS[query]


def refuse(query: str) -> Any:
    raise AssertionError(f"asked for {query}")


def scores(evaluation: Evaluation) -> list[dict[str, float | None]]:
    return [{name: case.scores.get(name) for name in METRICS[:2]} for case in evaluation.cases]


def test_answerer_is_asked_about_the_cases_with_answers_and_scored_by_the_best_reference() -> None:
    asked = []

    def answering(query: str) -> str:
        asked.append(query)
        return ANSWERS[query]

    evaluation = evaluate(suite([PARIS, OSLO, FOUND], [*METRICS, "mrr"]), search, answerer=answering)
    assert asked == ["paris", "oslo"]
    assert [case.answer for case in evaluation.cases] == ["paris!", "Oslo, Norway", None]
    assert [case.answers for case in evaluation.cases] == [PARIS.answers, OSLO.answers, ()]
    # Oslo, Norway: 1 common word, 1 + 2 words: 2 · 1 / 3
    assert scores(evaluation) == [
        {"exact_match": 1.0, "token_f1": 1.0},
        {"exact_match": 0.0, "token_f1": pytest.approx(2 / 3)},
        {"exact_match": None, "token_f1": None},
    ]
    assert (evaluation["exact_match"], evaluation["mrr"]) == (0.5, 1.0)
    assert (evaluation.summary("exact_match").scored, evaluation.summary("mrr").scored) == (2, 2)
    assert Evaluation.from_record(evaluation.to_record()) == evaluation


@pytest.mark.parametrize("wrap", [dict, SimpleNamespace])
def test_answer_may_come_with_the_results(wrap: Any) -> None:
    system = lambda query: wrap(results=["n"], answer=ANSWERS.get(query))  # noqa: E731
    evaluation = evaluate(suite([PARIS, OSLO, FOUND], METRICS), system)
    assert [case.answer for case in evaluation.cases] == ["paris!", "Oslo, Norway", None]
    assert evaluation["exact_match"] == 0.5


def test_answerer_is_believed_before_the_retriever() -> None:
    system = lambda query: {"results": ["n"], "answer": f"not {query}"}  # noqa: E731
    evaluation = evaluate(suite([OSLO, FOUND], METRICS), system, answerer=answer)
    assert [case.answer for case in evaluation.cases] == ["Oslo, Norway", "not found"]


def test_no_retriever_is_asked_where_only_answers_are_judged() -> None:
    evaluation = evaluate(suite([PARIS], METRICS), refuse, answerer=answer)
    assert evaluation["exact_match"] == 1.0
    assert evaluation.cases[0].latency_ms is not None
    assert evaluate(suite([PARIS], METRICS), answerer=answer)["exact_match"] == 1.0


def test_retriever_alone_is_timed_where_both_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 1.0, 10.0, 19.0])
    monkeypatch.setattr("pytest_recall.asking.calls.perf_counter", lambda: next(now))
    evaluation = evaluate(suite([OSLO], METRICS), search, answerer=answer)
    assert evaluation["latency_max_ms"] == 1000.0


def test_answerer_is_called_as_a_retriever_is() -> None:
    class Chain:
        def invoke(self, query: str, *, top_k: int, user: str) -> str:
            return f"{query} {top_k} {user}"

    evaluation = evaluate(suite([replace(PARIS, args={"user": "alice"})], METRICS, k=3), answerer=Chain())
    assert evaluation.cases[0].answer == "paris 3 alice"


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        (None, "the answerer returned None (missing return?); an answer is text"),
        (["Paris"], "the answerer returned an object of type list; an answer is text"),
        (b"Paris", "the answerer returned an object of type bytes; an answer is text"),
    ],
)
def test_what_is_no_answer_is_an_error_of_the_case(returned: object, error: str) -> None:
    evaluation = evaluate(suite([PARIS], METRICS), answerer=lambda _query: returned)
    (only,) = evaluation.cases
    assert only.error == error
    assert (only.scores, only.latency_ms) == (dict.fromkeys(METRICS), None)
    assert evaluation["exact_match"] is None


def test_asynchronous_answerer_is_told_what_asks_it() -> None:
    async def answering(query: str) -> str:
        return query

    with pytest.raises(RetrievalError) as raised:
        evaluate(suite([PARIS], METRICS), answerer=answering)
    assert str(raised.value) == "the answerer is asynchronous, so call `await evaluate_async(suite, …)`"


def test_an_answer_beside_the_results_that_is_no_text_is_named() -> None:
    evaluation = evaluate(suite([OSLO], METRICS), lambda _query: {"results": ["n"], "answer": 3})
    assert evaluation.cases[0].error == "the answer beside the results is of type int; an answer is text"


@pytest.mark.parametrize("returned", [["n"], {"results": ["n"]}])
def test_a_case_without_an_answer_is_an_error_and_no_zero(returned: object) -> None:
    evaluation = evaluate(suite([OSLO, FOUND], [*METRICS, "mrr"]), lambda _query: returned)
    assert [case.error for case in evaluation.cases] == [
        "no answer came back: return it beside the results (results, answer), or write a fixture 'answerer'",
        None,
    ]
    assert (evaluation["exact_match"], evaluation["mrr"]) == (None, None)


def test_answerer_that_raises_fails_its_case_alone() -> None:
    run = run_suite(suite([PARIS, case("unknown", None, answers=("x",))], METRICS), None, system="a", answerer=answer)
    assert [case.error for case in run.evaluation.cases] == [None, "KeyError: 'unknown'"]
    assert [*run.exceptions] == ["unknown"]


def test_case_that_failed_already_is_not_asked_for_an_answer() -> None:
    def fails(query: str) -> list[str]:
        raise RuntimeError(query)

    evaluation = evaluate(suite([OSLO], METRICS), fails, answerer=refuse)
    assert evaluation.cases[0].error == "RuntimeError: oslo"


def test_answerer_that_is_none_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(AnswererError) as raised:
        evaluate(suite([OSLO], METRICS), refuse, answerer=3)
    assert str(raised.value) == "an answerer is a callable or an object with answer or invoke, not int"


@pytest.mark.parametrize("retriever", [None, search])
def test_answerer_that_takes_too_long_is_given_up(retriever: Any) -> None:
    done = threading.Event()
    slow = replace(suite([OSLO if retriever else PARIS], METRICS), plan=Plan(timeout=0.02))
    evaluation = evaluate(slow, retriever, answerer=lambda _query: done.wait(10))
    done.set()
    assert evaluation.cases[0].error == "the answerer timed out after 0.02 s"
    assert evaluation.cases[0].latency_ms == (None if retriever else 20.0)


@pytest.mark.parametrize("plan", [Plan(concurrency=4), Plan(timeout=60.0), Plan(warmup=2), Plan(repeat=3)])
def test_plan_holds_for_the_answerer_too(plan: Plan) -> None:
    planned = suite([PARIS, OSLO, FOUND], METRICS).planned(plan)
    calls: list[str] = []

    def answering(query: str) -> str:
        calls.append(query)
        return ANSWERS[query]

    told: list[int] = []
    run = run_suite(planned, search, system="a", answerer=answering, progress=told.append)
    assert [case.answer for case in run.evaluation.cases] == ["paris!", "Oslo, Norway", None]
    assert len(calls) == 2 * (plan.repeat or 1) + (plan.warmup or 0)
    assert told[-1] == 5 * (plan.repeat or 1)
    assert told == sorted(told)


def test_executor_asks_the_answerer_too() -> None:
    with ThreadPoolExecutor(2) as executor:
        evaluation = evaluate(suite([PARIS, OSLO], METRICS), search, answerer=answer, executor=executor)
    assert evaluation["exact_match"] == 0.5


def test_answers_in_a_batch_are_asked_one_by_one() -> None:
    class Index:
        def search_batch(self, queries: list[str], k: int) -> list[list[str]]:
            return [search(query, k) for query in queries]

    planned = suite([PARIS, OSLO], METRICS).planned(Plan(batch=2))
    assert evaluate(planned, Index(), answerer=answer)["exact_match"] == 0.5


async def _answered(query: str) -> str:
    return ANSWERS[query]


@pytest.mark.parametrize("answerer", [answer, _answered])
@pytest.mark.parametrize("plan", [Plan(), Plan(concurrency=2, repeat=2, warmup=1, timeout=60.0)])
def test_answerer_may_be_asynchronous(answerer: Any, plan: Plan) -> None:
    planned = suite([PARIS, OSLO, FOUND], METRICS).planned(plan)
    assert asyncio.run(evaluate_async(planned, search, answerer=answerer))["exact_match"] == 0.5
    alone = suite([PARIS], METRICS).planned(plan)
    assert asyncio.run(evaluate_async(alone, answerer=answerer))["exact_match"] == 1.0


def test_repeats_of_an_answer_have_a_mean() -> None:
    answers = iter(["Oslo", "Bergen"])
    planned = suite([OSLO], METRICS).planned(Plan(repeat=2))
    evaluation = evaluate(planned, search, answerer=lambda _query: next(answers))
    (only,) = evaluation.cases
    assert (only.answer, only.scores["exact_match"]) == ("Oslo", 0.5)
    assert [repeat["exact_match"] for repeat in only.repeats] == [1.0, 0.0]
