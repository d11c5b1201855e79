"""A replay as an evaluation."""

from __future__ import annotations

from dataclasses import replace

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds
from pytest_recall.evaluation import Evaluation
from pytest_recall.replay import eval_capture_determinism
from pytest_recall.replay.evaluating import evaluation_of, gates_of
from tests.unit.replay.agents import agent, record
from tests.unit.replay.test_driving import extra_tool, other_text


def test_a_run_is_one_case_with_the_three_metrics() -> None:
    capture = record()
    evaluation = evaluation_of(
        capture, eval_capture_determinism(capture, other_text), suite="a.eval.capture.json", system="agent"
    )
    (case,) = evaluation.cases
    assert (case.id, case.query, case.answer) == ("run", capture.input, "APPLE 3, PEAR 0")
    assert {name: summary.value for name, summary in evaluation.metrics.items()} == case.scores
    assert (case.scores["reproduced"], case.scores["exact_match"]) == (0, 0)
    assert len(case.steps) == len(capture.steps) + 1
    assert set(entry_of(evaluation).metrics) == {"reproduced", "exact_match", "mean_similarity"}
    assert Evaluation.from_record(evaluation.to_record()) == evaluation


def test_one_that_raised_has_no_values() -> None:
    evaluation = evaluation_of(record(), "KeyError: 'x'", suite="a", system="agent")
    assert [summary.value for summary in evaluation.metrics.values()] == [None, None, None]
    assert evaluation.cases[0].error == "KeyError: 'x'"
    assert evaluation.notes == ()


def test_why_there_is_no_final_text_is_a_note() -> None:
    capture = record()
    outcome = eval_capture_determinism(capture, extra_tool)
    assert evaluation_of(capture, outcome, suite="a", system="agent").notes == (
        "the agent asked for more than was recorded, and was stopped there",
    )
    raised = replace(outcome, error="KeyError: 'x'")
    assert evaluation_of(capture, raised, suite="a", system="agent").notes == (
        "after it had diverged the agent raised KeyError: 'x'",
    )
    assert evaluation_of(capture, eval_capture_determinism(capture, agent), suite="a", system="agent").notes == ()


def test_the_fingerprint_is_of_what_was_asked_and_answered() -> None:
    capture = record()
    first, *rest = capture.steps
    assert replace(capture, steps=(replace(first, latency_ms=9e9), *rest)).fingerprint == capture.fingerprint
    others = [
        replace(capture, input="?"),
        replace(capture, final_text="?"),
        replace(capture, steps=tuple(rest)),
        replace(capture, steps=(replace(first, error="OSError: off"), *rest)),
    ]
    assert len({capture.fingerprint, *(other.fingerprint for other in others)}) == 5


def test_only_what_was_never_recorded_has_to_be_reproduced() -> None:
    assert [gate.name for gate in gates_of(recorded=True)] == ["reproduced", "exact-match", "mean-similarity"]
    bounds = {gate.name: gate.thresholds[0].bounds for gate in gates_of(recorded=False)}
    assert bounds.pop("reproduced") == Bounds(min=1.0)
    assert {*bounds.values()} == {Bounds()} == {gate.thresholds[0].bounds for gate in gates_of(recorded=True)}
