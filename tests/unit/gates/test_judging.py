"""Right verdicts where hand-written gates are known to be wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.bounds import Bounds, Gate, Threshold, Tolerance
from pytest_recall.errors import MetricError, RecallError
from pytest_recall.evaluation import CaseResult, Evaluation, Policy, Settings
from pytest_recall.gates import EPSILON, Reference, Tolerances, Verdict, judge
from pytest_recall.metrics import Metric, parse_metric
from pytest_recall.pairing import Pairing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MRR = parse_metric("mrr")


def evaluation(
    scores: Mapping[str, float | None],
    *,
    k: int = 10,
    policy: Policy | None = None,
    tags: Mapping[str, Sequence[str]] | None = None,
    errors: Sequence[str] = (),
    questions: Mapping[str, str] | None = None,
    metric: Metric = MRR,
) -> Evaluation:
    """An evaluation of one metric; a case's question is its id, unless told."""
    cases = [
        CaseResult(
            id=id,
            fingerprint=(questions or {}).get(id, id),
            relevant={"r": 1},
            tags=tuple((tags or {}).get(id, ())),
            scores={str(metric): None if id in errors else score},
            error="RuntimeError: gone" if id in errors else None,
        )
        for id, score in scores.items()
    ]
    return Evaluation.of("s.eval.yaml", "retriever", Settings(k=k, policy=policy or Policy()), [metric], cases)


def verdict(
    now: Evaluation,
    before: Evaluation | None = None,
    *,
    bounds: Bounds | None = None,
    tag: str | None = None,
    tolerances: Tolerances | None = None,
) -> Verdict:
    reference = None
    if before is not None:
        reference = Reference(name="b.json", pairing=Pairing(now, entry_of(before)), record="UPDATE", add="ADD")
    (metric,) = now.metrics
    gate = Gate(name="g", thresholds=(Threshold(metric=metric, tag=tag, bounds=bounds or Bounds(), line=3),))
    return judge(gate, now, reference, tolerances)[0]


def flat(score: float, size: int, start: int = 0) -> dict[str, float | None]:
    return {f"c{n}": score for n in range(start, start + size)}


@pytest.mark.parametrize(
    ("now", "before", "bounds", "reason"),
    [
        pytest.param(
            evaluation({"b": 0.0, "a": 1.0}),
            evaluation({"a": 1.0, "b": 0.0}),
            Bounds(),
            "",
            id="pairs out of order: paired by id, nothing changed",
        ),
        pytest.param(
            evaluation(flat(1.0, 2)),
            evaluation(flat(1.0, 4)),
            Bounds(),
            "",
            id="half of the cases is enough",
        ),
        pytest.param(
            evaluation(flat(1.0, 2)),
            evaluation(flat(1.0, 5)),
            Bounds(),
            "mrr 1.000, not comparable with b.json: only 2 of its 5 cases still ask the same; record it again: UPDATE",
            id="less than half is not",
        ),
        pytest.param(
            evaluation(flat(0.0, 4)),
            evaluation(flat(1.0, 4)),
            Bounds(alpha=0.05),
            "mrr 0.000, baseline 1.000, dropped 1.000 (4 of 4 cases differ, too few to decide)",
            id="all of four queries collapse under alpha: no p can excuse it",
        ),
        pytest.param(
            # p = 2 / 2**6 = 0.031
            evaluation(flat(0.0, 6)),
            evaluation(flat(1.0, 6)),
            Bounds(alpha=0.05),
            "mrr 0.000, baseline 1.000, dropped 1.000 (p = 0.031, 6 of 6 cases differ)",
            id="six collapse: significant",
        ),
        pytest.param(
            # Of six differing cases two gained: 50 of 64 sign patterns are as extreme, p = 0.688.
            evaluation({**flat(0.0, 4), **flat(1.0, 2, 4)}),
            evaluation({**flat(1.0, 4), **flat(0.0, 2, 4)}),
            Bounds(alpha=0.05),
            "",
            id="a drop that may be luck is excused by alpha",
        ),
        pytest.param(
            evaluation({"a": 0.7, "b": 0.8, "c": 0.9}),
            None,
            Bounds(min=0.8),
            "",
            id="0.8 computed as 0.7999999999999999 meets 0.8",
        ),
        pytest.param(
            # 0.8 each, and their mean is 0.7999999999999999 where it is added up one by one.
            evaluation({f"c{n}": 4 / 5 for n in range(10)}),
            None,
            Bounds(min=0.8),
            "",
            id="every query at 4/5 with threshold 0.8",
        ),
        pytest.param(
            evaluation({"a": 0.8 - 0.9 * EPSILON}),
            None,
            Bounds(min=0.8),
            "",
            id="a bound is met within 1e-9",
        ),
        pytest.param(
            evaluation({"a": 0.8 - 1.1 * EPSILON}),
            None,
            Bounds(min=0.8),
            "mrr 0.799999999, needs 0.800000000 (s.eval.yaml:3)",
            id="and missed by more",
        ),
        pytest.param(
            evaluation({"a": 0.7999, "b": 0.8}),
            None,
            Bounds(min=0.8),
            "mrr 0.79995, needs 0.80000 (s.eval.yaml:3)",
            id="just below does not",
        ),
        pytest.param(
            evaluation(flat(0.8, 3)),
            evaluation(flat(0.9, 3)),
            Bounds(max_drop=Tolerance(0.1)),
            "",
            id="a drop of exactly the tolerance",
        ),
        pytest.param(
            evaluation(flat(0.8, 3)),
            evaluation(flat(0.9, 3)),
            Bounds(max_drop=Tolerance(0.05, relative=True)),
            # 5 % of 0.9 are 0.045
            "mrr 0.800, baseline 0.900, dropped 0.100, may drop 0.045 (3 of 3 cases differ, too few to decide)",
            id="a share is of the baseline",
        ),
        pytest.param(
            evaluation(flat(0.85 - 0.05, 3)),
            evaluation(flat(0.85, 3)),
            Bounds(max_drop=Tolerance(0.05)),
            "",
            id="0.85 - 0.05 is 0.7999999999999999, and a drop of 0.05",
        ),
        pytest.param(
            evaluation(flat(0.5 - 1e-10, 3)),
            evaluation(flat(0.5, 3)),
            Bounds(),
            "",
            id="a drop of 1e-10 is none",
        ),
        pytest.param(
            evaluation(flat(-0.0, 3)),
            evaluation(flat(0.0, 3)),
            Bounds(min=0.0),
            "",
            id="-0.0 is 0",
        ),
        pytest.param(
            evaluation(flat(0.0, 3)),
            evaluation(flat(0.0, 3)),
            Bounds(max_drop=Tolerance(0.05, relative=True)),
            "",
            id="5 % of 0",
        ),
        pytest.param(
            # Each of the 8 loses 1/9 - 1/10 = 0.0111; the mean 8 / 200 of that, 0.000444.
            evaluation({**flat(1 / 10, 8), **flat(1.0, 192, 8)}),
            evaluation({**flat(1 / 9, 8), **flat(1.0, 192, 8)}),
            Bounds(max_drop=Tolerance(0.001)),
            "",
            id="8 of 200 cases move from rank 9 to 10, within the tolerance",
        ),
        pytest.param(
            evaluation(flat(1.0, 3)),
            evaluation(flat(0.5, 3)),
            Bounds(),
            "",
            id="an improvement",
        ),
        pytest.param(
            # One of 20 lost, 5 of 20 gained.
            evaluation({**flat(0.0, 1), **flat(1.0, 19, 1)}),
            evaluation({**flat(1.0, 15), **flat(0.0, 5, 15)}),
            Bounds(),
            "",
            id="an improvement that loses a case",
        ),
        pytest.param(
            evaluation(flat(1.0, 3), k=5),
            evaluation(flat(1.0, 3)),
            Bounds(),
            "mrr 1.000, not comparable with b.json: k is 5, recorded with 10; record it again: UPDATE",
            id="another k",
        ),
        pytest.param(
            evaluation(flat(1.0, 3), policy=Policy(undefined="zero", min_score=0.5)),
            evaluation(flat(1.0, 3)),
            Bounds(),
            "mrr 1.000, not comparable with b.json: undefined is zero, recorded with exclude, "
            "min_score is 0.5, recorded with not set; record it again: UPDATE",
            id="another policy",
        ),
        pytest.param(
            evaluation({"a": 1.0, "b": 1.0, "new": 0.0}, questions={"new": "c"}),
            evaluation({"a": 1.0, "b": 1.0, "c": 1.0}),
            Bounds(),
            "",
            id="a renamed case is listed, not compared",
        ),
        pytest.param(
            evaluation({"a": 1.0, "b": 1.0, "c": 0.0}, questions={"c": "another question"}),
            evaluation({"a": 1.0, "b": 1.0, "c": 1.0}),
            Bounds(),
            "",
            id="a changed case is listed, not regressed",
        ),
        pytest.param(
            # Over the common a and b: 0.75 against 1.
            evaluation({"a": 1.0, "b": 0.5, "new": 1.0}),
            evaluation({"a": 1.0, "b": 1.0}),
            Bounds(),
            "mrr 0.833 (0.750 over the 2 common), baseline 1.000, dropped 0.250 "
            "(1 of 2 cases differs, too few to decide)",
            id="a new case does not hide a loss",
        ),
        pytest.param(
            evaluation({"a": 1.0, "b": 1.0}, errors=["b"]),
            evaluation({"a": 0.0, "b": 0.0}),
            Bounds(min=0.0),
            "mrr has no value: 1 of 2 cases raised, first b: RuntimeError: gone",
            id="an errored case",
        ),
        pytest.param(
            evaluation({"a": None}),
            None,
            Bounds(min=0.0),
            "mrr is undefined: none of 1 case defines it",
            id="the mean of nothing",
        ),
        pytest.param(
            evaluation({"a": 0.4, "b": 0.6}),
            None,
            Bounds(min=0.1, max=0.45),
            "mrr 0.500, may be at most 0.450 (s.eval.yaml:3)",
            id="a maximum",
        ),
        pytest.param(
            evaluation({"a": 0.4, "b": 0.6}),
            evaluation({"a": 0.1, "b": 0.1}),
            Bounds(min=0.6),
            "mrr 0.500, needs 0.600 (s.eval.yaml:3), baseline 0.100",
            id="a minimum above a baseline that is too low",
        ),
    ],
)
def test_verdict(now: Evaluation, before: Evaluation | None, bounds: Bounds, reason: str) -> None:
    judged = verdict(now, before, bounds=bounds)
    assert judged.reason == reason
    assert judged.failed is bool(reason)


LOWER = parse_metric("false_injection_rate")


@pytest.mark.parametrize(
    ("now", "before", "share", "reason"),
    [
        # 1 of 20 rose from 0: 5 % of a baseline of 0 is 0.
        (1, 0, 0.05, "0.050, baseline 0.000, rose 0.050"),
        (4, 3, 0.5, ""),
        (2, 1, 0.5, "0.100, baseline 0.050, rose 0.050, may rise 0.025"),
        (0, 2, 0.0, ""),
    ],
)
def test_where_lower_is_better_a_rise_is_worse(now: int, before: int, share: float, reason: str) -> None:
    def injected(cases: int) -> Evaluation:
        return evaluation({**flat(1.0, cases), **flat(0.0, 20 - cases, cases)}, metric=LOWER)

    judged = verdict(injected(now), injected(before), bounds=Bounds(max_rise=Tolerance(share, relative=True)))
    told = f"false_injection_rate {reason} (1 of 20 cases differs, too few to decide)"
    assert judged.reason == (told if reason else "")


def test_p_is_in_the_verdict_however_few_cases_differ() -> None:
    # Three of ten gained: of 2³ sign patterns two are as extreme.
    assert verdict(evaluation(flat(1.0, 10)), evaluation({**flat(1.0, 7), **flat(0.0, 3, 7)})).p == 2 / 8
    assert verdict(evaluation(flat(1.0, 3)), evaluation(flat(1.0, 3))).p == 1.0
    assert verdict(evaluation(flat(1.0, 3))).p is None


WORST = Metric(name="worst", aggregate="max", better="lower")


def test_an_aggregate_that_is_no_mean_is_compared_while_no_case_changes() -> None:
    before = evaluation({"a": 0.25, "b": 0.5}, metric=WORST)
    judged = verdict(evaluation({"a": 0.25, "b": 0.75}, metric=WORST), before, bounds=Bounds(alpha=0.5))
    assert judged.reason == "worst 0.750, baseline 0.500, rose 0.250 (1 of 2 cases differs)"
    assert (judged.baseline, judged.change, judged.p) == (0.5, 0.25, None)
    better = verdict(evaluation({"a": 0.5, "b": 0.25}, metric=WORST), before)
    assert (better.outcome, better.change) == ("passed", 0.0)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(evaluation({"a": 0.25, "b": 0.5, "new": 1.0}, metric=WORST), id="added"),
        pytest.param(evaluation({"b": 1.0}, metric=WORST), id="removed"),
        pytest.param(evaluation({"a": 1.0, "b": 1.0}, questions={"a": "other"}, metric=WORST), id="changed"),
    ],
)
def test_otherwise_it_is_held_to_its_own_bounds_alone(now: Evaluation) -> None:
    before = evaluation({"a": 0.25, "b": 0.5}, metric=WORST)
    judged = verdict(now, before)
    assert (judged.outcome, judged.baseline, judged.change, judged.reason) == ("no gate", None, None, "")
    assert verdict(now, before, bounds=Bounds(max=1.0)).outcome == "passed"
    assert verdict(now, before, bounds=Bounds(max=0.5)).reason == "worst 1.000, may be at most 0.500 (s.eval.yaml:3)"


def test_a_metric_that_is_summed_up_another_way_now_is_not_comparable() -> None:
    mean = Metric(name="worst", better="lower")
    assert verdict(evaluation({"a": 0.5}, metric=WORST), evaluation({"a": 0.5}, metric=mean)).reason == (
        "worst 0.500, not comparable with b.json: it is a max, recorded as a mean; record it again: UPDATE"
    )


def test_a_recorded_value_that_its_cases_do_not_make_is_not_comparable() -> None:
    now = evaluation({"a": 0.5, "b": 1.0})
    entry = entry_of(now)
    for value, cases, reason in (
        (0.25, entry.cases, "its value there is 0.250, the mean of its cases 0.750"),
        (0.7501, entry.cases, "its value there is 0.7501, the mean of its cases 0.7500"),
        (
            0.75,
            {id: replace(case, scores={}) for id, case in entry.cases.items()},
            "its value there is 0.750, and no case has one",
        ),
    ):
        edited = replace(entry, metrics={"mrr": replace(entry.metrics["mrr"], value=value)}, cases=cases)
        gate = Gate(name="mrr", thresholds=(Threshold(metric="mrr"),))
        reference = Reference(name="b.json", pairing=Pairing(now, edited), record="UPDATE")
        told = judge(gate, now, reference)[0].reason
        assert told == f"mrr 0.750, not comparable with b.json: {reason}; record it again: UPDATE"


def test_a_renamed_case_is_in_one_pair_at_most() -> None:
    questions = dict.fromkeys(["old", "older", "new", "newer", "newest"], "the same")
    now = evaluation({"new": 1.0, "newer": 1.0, "newest": 1.0}, questions=questions)
    before = evaluation({"old": 1.0, "older": 1.0}, questions=questions)
    assert Pairing(now, entry_of(before)).renamed == (("old", "new"), ("older", "newer"))


def test_a_tag_that_no_case_has_fails() -> None:
    judged = verdict(evaluation({"a": 1.0}, tags={"a": ["legal"]}), bounds=Bounds(min=0.0), tag="legel")
    assert judged.reason == "mrr:legel: no case has the tag 'legel' (did you mean 'legal'?)"


def test_nothing_is_held_to_anything_without_bound_and_baseline() -> None:
    assert verdict(evaluation({"a": 0.5})).outcome == "no gate"
    # A tolerance alone holds to nothing while there is nothing to compare with.
    assert verdict(evaluation({"a": 0.5}), bounds=Bounds(max_drop=Tolerance(0.1))).outcome == "no gate"
    assert verdict(evaluation({"a": 0.5}), bounds=Bounds(min=0.1)).outcome == "passed"


def test_a_missing_entry_a_missing_metric_and_an_unusable_file_fail() -> None:
    now = evaluation({"a": 0.5})
    gate = Gate(name="mrr", thresholds=(Threshold(metric="mrr"),))
    missing = Reference(name="b.json", pairing=None, add="ADD")
    assert judge(gate, now, missing)[0].reason == "mrr 0.500, no entry in b.json; add it: ADD"
    entry = replace(entry_of(now), metrics={})
    no_metric = Reference(name="b.json", pairing=Pairing(now, entry), record="UPDATE")
    assert judge(gate, now, no_metric)[0].reason == "mrr 0.500, no value in b.json; record it: UPDATE"
    unusable = Reference(name="b.json", pairing=None, problem="b.json: no such baseline")
    assert judge(gate, now, unusable)[0].reason == "mrr 0.500, b.json: no such baseline"


def test_a_reference_without_commands_hints_at_none() -> None:
    now, other = evaluation({"a": 0.5}), evaluation({"a": 0.5}, k=5)
    gate = Gate(name="mrr", thresholds=(Threshold(metric="mrr"),))
    pairings = {
        "no entry in b.json": None,
        "not comparable with b.json: k is 10, recorded with 5": Pairing(now, entry_of(other)),
        "no value in b.json": Pairing(now, replace(entry_of(now), metrics={})),
    }
    for reason, pairing in pairings.items():
        assert judge(gate, now, Reference(name="b.json", pairing=pairing))[0].reason == f"mrr 0.500, {reason}"


def test_a_tag_is_judged_over_its_own_cases() -> None:
    tags = {"a": ["legal"], "b": ["legal"], "c": []}
    now = evaluation({"a": 0.0, "b": 1.0, "c": 1.0}, tags=tags)
    before = evaluation({"a": 1.0, "b": 1.0, "c": 0.0})
    assert not verdict(now, before).failed
    assert verdict(now, before, tag="legal").reason == (
        "mrr:legal 0.500, baseline 1.000, dropped 0.500 (1 of 2 cases differs, too few to decide)"
    )
    assert verdict(now, evaluation({"c": 0.0}), tag="legal").reason == (
        "mrr:legal 0.500, none of its cases is in b.json; record it again: UPDATE"
    )


@pytest.mark.parametrize(
    ("option", "own", "suite", "ini", "expected"),
    [
        ({"": 0.1, "mrr": 0.2}, 0.3, 0.4, {"": 0.5}, 0.2),
        ({"": 0.1}, 0.3, 0.4, {"": 0.5}, 0.1),
        ({"ndcg": 0.1}, 0.3, 0.4, {"": 0.5}, 0.3),
        ({}, None, 0.4, {"mrr": 0.5}, 0.4),
        ({}, None, None, {"mrr": 0.5, "": 0.6}, 0.5),
        ({}, None, None, {}, 0.0),
        ({}, 0.0, 0.4, {}, 0.0),
    ],
)
def test_the_strongest_voice_on_tolerance_wins(
    option: dict[str, float], own: float | None, suite: float | None, ini: dict[str, float], expected: float
) -> None:
    tolerances = Tolerances(
        option={metric: Tolerance(value) for metric, value in option.items()},
        suite=None if suite is None else Tolerance(suite),
        ini={metric: Tolerance(value) for metric, value in ini.items()},
    )
    bounds = Bounds(max_drop=None if own is None else Tolerance(own))
    judged = verdict(evaluation({"a": 0.5}), evaluation({"a": 0.5}), bounds=bounds, tolerances=tolerances)
    assert judged.bounds.max_drop == Tolerance(expected)


ANY_LOSS = "tolerates any loss of a metric from 0 to 1 (did you mean '5%'?)"
NO_ALPHA = "is no alpha: write a number above 0 and below 1, such as 0.05"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"option": {"": Tolerance(5)}}, f"option: '5' {ANY_LOSS}"),
        ({"suite": Tolerance(5)}, f"suite: '5' {ANY_LOSS}"),
        ({"suite": 0.02}, "suite: a Tolerance is needed, got 0.02"),
        ({"ini": {"mrr": Tolerance(100)}}, "ini: max_drop 100 tolerates any loss of mrr, which is from 0 to 1"),
        ({"option": {"judged@5": Tolerance(0)}}, "option: judged is never compared with a baseline, *"),
        ({"option_alpha": 0.0}, f"option_alpha: 0.0 {NO_ALPHA}"),
        ({"suite_alpha": -1}, f"suite_alpha: -1 {NO_ALPHA}"),
        ({"ini_alpha": 2}, f"ini_alpha: 2 {NO_ALPHA}"),
        ({"ini_alpha": math.nan}, f"ini_alpha: nan {NO_ALPHA}"),
        ({"ini_alpha": "0.05"}, f"ini_alpha: '0.05' {NO_ALPHA}"),
    ],
)
def test_tolerances_that_would_let_everything_pass_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError) as raised:
        Tolerances(**given)
    assert fnmatchcase(str(raised.value), message)


def test_tolerances_of_metrics_without_a_largest_value_may_be_any() -> None:
    given = {"mean_noise": Tolerance(2), "a-metric-of-ones-own": Tolerance(2)}
    assert Tolerances(option=given).of("mean_noise", Bounds()) == Tolerance(2)


def test_an_alpha_is_checked_where_nobody_knows_the_metric() -> None:
    now = evaluation({"a": 1.0}, metric=WORST)
    with pytest.raises(MetricError) as raised:
        verdict(now, bounds=Bounds(alpha=2))
    assert str(raised.value).endswith(f": 2 {NO_ALPHA}")


def test_a_case_is_judged_alone_and_ignores_the_baseline() -> None:
    now = evaluation({"a": 0.5, "b": 1.0})
    reference = Reference(name="b.json", pairing=None, add="ADD")
    threshold = Threshold(metric="mrr", bounds=Bounds(min=1), line=7)
    for case, reason in {"a": "case a: mrr 0.500, needs 1.000 (s.eval.yaml:7)", "b": ""}.items():
        assert judge(Gate(name="case", thresholds=(threshold,), case=case), now, reference)[0].reason == reason
    raised = evaluation({"a": 0.5}, errors=["a"])
    assert judge(Gate(name="case", thresholds=(threshold,), case="a"), raised)[0].reason == (
        "case a raised: RuntimeError: gone"
    )
    undefined = evaluation({"a": None})
    assert judge(Gate(name="case", thresholds=(threshold,), case="a"), undefined)[0].reason == (
        "case a: mrr is undefined"
    )
    mismatched = replace(now, problem="no expected id ever came back")
    assert judge(Gate(name="case", thresholds=(threshold,), case="b"), mismatched)[0].reason == (
        "case b: mrr: no expected id ever came back"
    )


def test_a_verdict_survives_its_record() -> None:
    bounds = Bounds(max_drop=Tolerance(0.05, relative=True))
    judged = verdict(evaluation(flat(0.8, 3)), evaluation(flat(0.9, 3)), bounds=bounds)
    assert Verdict.from_record(judged.to_record()) == judged


def repeated(*repeats: Sequence[float]) -> Evaluation:
    """Each case with its scores, repeat for repeat."""
    cases = [
        CaseResult(
            id=f"c{number}",
            tags=(f"t{number}",),
            scores={"mrr": sum(scores) / len(scores)},
            repeats=tuple({"mrr": score} for score in scores),
        )
        for number, scores in enumerate(repeats)
    ]
    return Evaluation.of("s.eval.yaml", "retriever", Settings(k=10, policy=Policy(repeat=3)), [MRR], cases)


STRADDLING = [
    # Means of the repeats: 0.75, 0.375, 0.625.
    (Bounds(min=0.5), "mrr: the repeats lie on both sides of 0.500: 0.750, 0.375, 0.625"),
    (Bounds(max=0.7), "mrr: the repeats lie on both sides of 0.700: 0.750, 0.375, 0.625"),
    (Bounds(min=0.3751), "mrr: the repeats lie on both sides of 0.3751: 0.7500, 0.3750, 0.6250"),
    (Bounds(min=0.3), ""),
    (Bounds(min=0.8), ""),
    (Bounds(min=0.375), ""),
    (Bounds(), ""),
]


@pytest.mark.parametrize(("bounds", "note"), STRADDLING)
def test_repeats_on_both_sides_of_a_bound_are_noted(bounds: Bounds, note: str) -> None:
    assert verdict(repeated([1.0, 0.5, 0.75], [0.5, 0.25, 0.5]), bounds=bounds).note == note


def test_repeats_of_a_tag_and_of_a_case_are_noted() -> None:
    now = repeated([1.0, 0.5, 0.75], [0.5, 0.5, 0.5])
    told = "the repeats lie on both sides of 0.600: 1.000, 0.500, 0.750"
    assert verdict(now, bounds=Bounds(min=0.6), tag="t0").note == f"mrr:t0: {told}"
    assert verdict(now, bounds=Bounds(min=0.6), tag="t1").note == ""
    threshold = Threshold(metric="mrr", bounds=Bounds(min=0.6), line=3)
    (of_case,) = judge(Gate(name="case:c0", thresholds=(threshold,), case="c0"), now)
    assert of_case.note == f"case c0: mrr: {told}"


@pytest.mark.parametrize(
    ("threshold", "case", "message"),
    [
        (
            Threshold(metric="mrr", bounds=Bounds(min=2)),
            None,
            "gate 'g': min 2 is outside the range of mrr (0 to 1)",
        ),
        (
            Threshold(metric="mrr", bounds=Bounds(max_rise=Tolerance(0.1))),
            None,
            "gate 'g': mrr is better higher: use max_drop, not max_rise",
        ),
        (
            Threshold(metric="mrr", bounds=Bounds(max_drop=Tolerance(1))),
            None,
            "gate 'g': max_drop 1 tolerates any loss of mrr, which is from 0 to 1 (did you mean '1%'?)",
        ),
        (
            Threshold(metric="mrr", bounds=Bounds(alpha=0)),
            None,
            "gate 'g': 0 is no alpha: write a number above 0 and below 1, such as 0.05",
        ),
        (Threshold(metric="mr"), None, "gate 'g': the evaluation has no 'mr' (did you mean 'mrr'?)"),
        (Threshold(metric="mrr"), "b", "gate 'g': the evaluation has no case 'b'"),
    ],
)
def test_what_can_not_be_judged_is_refused(threshold: Threshold, case: str | None, message: str) -> None:
    with pytest.raises(MetricError) as raised:
        judge(Gate(name="g", thresholds=(threshold,), case=case), evaluation({"a": 1.0}))
    assert str(raised.value) == message


def test_an_earlier_evaluation_stands_in_for_its_entry() -> None:
    now, before = evaluation({"a": 0.5, "b": 1.0}), evaluation({"a": 1.0, "b": 1.0})
    pairing = Pairing(now, before)
    assert pairing == Pairing(now, entry_of(before))
    (judged,) = judge(
        Gate(name="mrr", thresholds=(Threshold(metric="mrr"),)), now, Reference(name="x", pairing=pairing)
    )
    assert judged.reason == "mrr 0.750, baseline 1.000, dropped 0.250 (1 of 2 cases differs, too few to decide)"


NOW: Any = evaluation({"a": 0.5, "b": 0.5})
BEFORE: Any = evaluation({"a": 1.0, "b": 1.0})
TEXT: Any = "report.json"
GATE: Any = Gate(name="mrr", thresholds=(Threshold(metric="mrr"),))


def test_a_reference_of_another_evaluation_is_refused() -> None:
    fitting = Reference(name="before", pairing=Pairing(replace(NOW), BEFORE))
    assert [verdict.failed for verdict in judge(GATE, NOW, fitting)] == [True]
    with pytest.raises(RecallError) as refused:
        judge(GATE, NOW, Reference(name="before", pairing=Pairing(BEFORE, BEFORE)))
    assert str(refused.value) == "the reference pairs another evaluation; each needs a Pairing(now, before) of its own"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: judge(BEFORE, NOW), "gate must be a Gate, such as one of a suite's gates, not Evaluation"),
        (lambda: judge(GATE, TEXT), "evaluation must be an Evaluation, not str"),
        (
            lambda: judge(GATE, NOW, BEFORE),
            "reference must be a Reference, not Evaluation; Reference(name=…, pairing=Pairing(now, before)) makes one",
        ),
        (lambda: judge(GATE, NOW, None, TEXT), "tolerances must be Tolerances, not str"),
        (lambda: Pairing(TEXT, BEFORE), "a pairing needs an Evaluation, not str"),
        (lambda: Pairing(NOW, TEXT), "a pairing needs an Evaluation or an Entry, not str"),
        (
            lambda: Reference(name="before", pairing=BEFORE),
            "pairing must be a Pairing or None, not Evaluation; Pairing(now, before) makes one",
        ),
    ],
)
def test_what_stands_at_the_wrong_place_is_told(call: Any, message: str) -> None:
    with pytest.raises(RecallError) as refused:
        call()
    assert str(refused.value) == message


FOUR = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}


def without(scores: Mapping[str, float], *ids: str) -> dict[str, float | None]:
    return {id: None if id in ids else score for id, score in scores.items()}


@pytest.mark.parametrize("swapped", [False, True])
def test_a_metric_is_compared_where_half_of_its_values_are(swapped: bool) -> None:  # noqa: FBT001 - a column
    def judged(*ids: str) -> Verdict:
        sides = evaluation(without(FOUR, *ids)), evaluation(FOUR)
        return verdict(*(reversed(sides) if swapped else sides))

    assert judged("a", "b").outcome == "passed"
    refused = judged("a", "b", "c")
    assert (refused.outcome, refused.baseline) == ("failed", None)
    assert refused.reason == (
        "mrr 1.000, not comparable with b.json: only 1 of 4 cases with a value can be compared; record it again: UPDATE"
    )


def test_a_tag_is_compared_where_half_of_its_values_are() -> None:
    scores = {**FOUR, **{f"other-{number}": 1.0 for number in range(6)}}
    tags = {id: ["legal"] for id in FOUR}
    now = evaluation(scores, tags=tags, questions={"a": "edited", "b": "edited", "c": "edited"})
    assert verdict(now, evaluation(scores)).outcome == "passed"
    assert "only 1 of 4 cases with a value" in verdict(now, evaluation(scores), tag="legal").reason


def test_a_recorded_count_that_is_not_that_of_the_cases_is_told() -> None:
    before = entry_of(evaluation(FOUR))
    edited = replace(before, cases={**before.cases, "a": replace(before.cases["a"], scores={"mrr": None})})
    now = evaluation({**FOUR, "a": 0.0})
    reference = Reference(name="b.json", pairing=Pairing(now, edited), record="UPDATE")
    (judged,) = judge(GATE, now, reference)
    assert judged.reason == (
        "mrr 0.750, not comparable with b.json: its value there is of 4 cases, and 3 have one; record it again: UPDATE"
    )
