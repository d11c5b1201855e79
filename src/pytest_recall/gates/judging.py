"""One verdict for each threshold of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall._text import count, decimals_to_tell, listing, number, shorten
from pytest_recall.baseline import is_recorded
from pytest_recall.bounds import BOUND_KEYS, Bounds, Gate, check_alpha, check_bound
from pytest_recall.errors import MetricError, RecallError, did_you_mean
from pytest_recall.evaluation import Evaluation
from pytest_recall.gates.missed import Missed
from pytest_recall.gates.reference import Reference
from pytest_recall.gates.regression import Regression
from pytest_recall.gates.straddling import straddling
from pytest_recall.gates.tolerances import Tolerances
from pytest_recall.gates.verdict import Verdict
from pytest_recall.metrics import known_metric

if TYPE_CHECKING:
    from pytest_recall.bounds import Threshold
    from pytest_recall.evaluation import Summary
    from pytest_recall.gates.verdict import Outcome

__all__ = ["judge"]

NAME_WIDTH = 80
"""How much of a tag or of a case's id a sentence holds."""


def judge(
    gate: Gate, evaluation: Evaluation, reference: Reference | None = None, tolerances: Tolerances | None = None
) -> tuple[Verdict, ...]:
    """One verdict for each threshold of a gate.

    Args:
        gate: what to judge; a gate on a case ignores the reference.
        evaluation: holds every metric that the gate names, and its case.
        reference: what to compare with, None when nothing is compared (no baseline, or this run records one).
        tolerances: by default nothing may get worse.

    Raises:
        MetricError: the evaluation lacks what is to be judged, or a bound means nothing for its metric.
        RecallError: something else stands for one of the arguments, or the reference is of another evaluation.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> from pytest_recall import Bounds, Gate, Threshold
    >>> gate = Gate(name="mrr", thresholds=(Threshold(metric="mrr", bounds=Bounds(min=0.4)),))
    >>> [verdict.outcome for verdict in judge(gate, report)]
    ['passed']
    """
    chosen = Tolerances() if tolerances is None else tolerances
    _check_kinds(gate, evaluation, reference, chosen)
    _check(gate, evaluation)
    if gate.case is not None:
        return tuple(_judge_case(threshold, gate.case, evaluation) for threshold in gate.thresholds)
    return tuple(_judge_metric(threshold, evaluation, reference, chosen) for threshold in gate.thresholds)


def _check_kinds(gate: object, evaluation: object, reference: object, tolerances: object) -> None:
    if not isinstance(gate, Gate):
        raise RecallError(f"gate must be a Gate, such as one of a suite's gates, not {type(gate).__name__}")
    if not isinstance(evaluation, Evaluation):
        raise RecallError(f"evaluation must be an Evaluation, not {type(evaluation).__name__}")
    if not isinstance(tolerances, Tolerances):
        raise RecallError(f"tolerances must be Tolerances, not {type(tolerances).__name__}")
    if reference is None:
        return
    if not isinstance(reference, Reference):
        hint = "Reference(name=…, pairing=Pairing(now, before)) makes one"
        raise RecallError(f"reference must be a Reference, not {type(reference).__name__}; {hint}")
    paired = reference.pairing and reference.pairing.evaluation
    if paired is not None and paired is not evaluation and paired != evaluation:
        raise RecallError("the reference pairs another evaluation; each needs a Pairing(now, before) of its own")


def _check(gate: Gate, evaluation: Evaluation) -> None:
    if gate.case is not None:
        try:
            evaluation.case(gate.case)
        except KeyError:
            raise MetricError(f"gate {gate.name!r:.80}: the evaluation has no case {gate.case!r:.80}") from None
    for threshold in gate.thresholds:
        if threshold.metric not in evaluation.metrics:
            hint = did_you_mean(threshold.metric, evaluation.metrics)
            raise MetricError(f"gate {gate.name!r:.80}: the evaluation has no {threshold.metric!r:.80}{hint}")
        if wrong := _wrong(threshold):
            raise MetricError(f"gate {gate.name!r:.80}: {wrong}")


def _wrong(threshold: Threshold) -> str | None:
    """What is wrong with the bounds of a metric; of one that nobody knows any more, its alpha alone can tell."""
    metric = known_metric(threshold.metric)
    given = {key: value for key in BOUND_KEYS if (value := getattr(threshold.bounds, key)) is not None}
    wrongs = [check_bound(metric, key, value) for key, value in given.items()] if metric is not None else []
    wrongs += [check_alpha(given["alpha"])] if "alpha" in given else []
    return next(filter(None, wrongs), None)


def _judge_case(threshold: Threshold, case_id: str, evaluation: Evaluation) -> Verdict:
    case = evaluation.case(case_id)
    value = case.scores.get(threshold.metric)
    name = f"case {shorten(case_id, NAME_WIDTH)}"
    label = f"{name}: {threshold.metric}"
    if case.error is not None:
        reason = f"{name} raised: {case.error}"
    elif evaluation.problem is not None:
        reason = f"{label}: {evaluation.problem}"
    elif value is None:
        reason = f"{label} is undefined"
    elif missed := Missed(value, threshold.bounds):
        shown = number(value, decimals_to_tell(value, *missed.numbers))
        reason = f"{label} {shown}{missed.text(threshold, evaluation, (case,))}"
    else:
        reason = ""
    return Verdict(
        metric=threshold.metric,
        case=case_id,
        bounds=threshold.bounds,
        line=threshold.line,
        value=value,
        outcome="failed" if reason else "passed",
        reason=reason,
        note=straddling(label, threshold, (case,), "mean"),
    )


def _judge_metric(
    threshold: Threshold, evaluation: Evaluation, reference: Reference | None, tolerances: Tolerances
) -> Verdict:
    summary = evaluation.summary(threshold.metric, threshold.tag)
    regression = None
    bounds = threshold.bounds
    outcome: Outcome = "passed" if bounds.absolute else "no gate"
    if reference is not None and is_recorded(threshold.metric):
        bounds = _effective(threshold, summary, tolerances)
        regression = Regression(threshold, bounds, reference)
        outcome = outcome if regression.skipped else "passed"
    reason = _no_value(threshold, evaluation, summary) or _shortfall(threshold, evaluation, summary, regression)
    return Verdict(
        metric=threshold.metric,
        tag=threshold.tag,
        bounds=bounds,
        line=threshold.line,
        value=summary.value,
        baseline=regression.baseline if regression else None,
        # Without a value nothing changed, however the cases did that have scores.
        change=regression.delta if regression and summary.value is not None else None,
        p=regression.p if regression and summary.value is not None else None,
        outcome="failed" if reason else outcome,
        reason=reason,
        note=straddling(_label(threshold), threshold, evaluation.of_group(threshold.tag), summary.aggregate),
    )


def _effective(threshold: Threshold, summary: Summary, tolerances: Tolerances) -> Bounds:
    """The threshold's bounds with the tolerance and alpha that apply."""
    tolerance = tolerances.of(threshold.metric, threshold.bounds)
    higher = summary.better == "higher"
    return Bounds(
        min=threshold.bounds.min,
        max=threshold.bounds.max,
        max_drop=tolerance if higher else None,
        max_rise=None if higher else tolerance,
        alpha=tolerances.alpha_of(threshold.bounds),
    )


def _no_value(threshold: Threshold, evaluation: Evaluation, summary: Summary) -> str:
    """Why there is nothing to judge; empty when there is."""
    label = _label(threshold)
    cases = [case for case in evaluation.of_group(threshold.tag) if threshold.metric in case.scores]
    raised = [case for case in cases if case.error is not None]
    if raised:
        return (
            f"{label} has no value: {len(raised)} of {count(len(cases), 'case')} raised, "
            f"first {shorten(str(raised[0].id), NAME_WIDTH)}: {raised[0].error}"
        )
    if evaluation.problem is not None:
        return f"{label}: {evaluation.problem}"
    undefined = [str(case.id) for case in cases if case.scores[threshold.metric] is None]
    if undefined and evaluation.settings.policy.undefined == "error":
        return f"{label} is undefined for {count(len(undefined), 'case')}: {listing(undefined)}"
    if summary.value is None:
        total = len(evaluation.of_group(threshold.tag))
        if threshold.tag is not None and not total:
            groups = {group for case in evaluation.cases for group in case.groups}
            return f"{threshold}: no case has the tag {threshold.tag!r:.80}{did_you_mean(threshold.tag, groups)}"
        verb = "got the label" if summary.aggregate == "label_precision" else "defines it"
        return f"{label} is undefined: none of {count(total, 'case')} {verb}"
    return ""


def _shortfall(threshold: Threshold, evaluation: Evaluation, summary: Summary, regression: Regression | None) -> str:
    """What the value misses, in one sentence with every number; empty when it is good enough."""
    value = summary.value
    assert value is not None, "asked only of a defined value"
    missed = Missed(value, threshold.bounds)
    if not missed and (regression is None or not regression.failed):
        return ""
    others = [*missed.numbers, *([] if regression is None or regression.baseline is None else [regression.baseline])]
    shown = number(value, decimals_to_tell(value, *others))
    bounds = missed.text(threshold, evaluation, evaluation.of_group(threshold.tag)) if missed else ""
    return f"{_label(threshold)} {shown}{bounds}{regression.text(value) if regression else ''}"


def _label(threshold: Threshold) -> str:
    return shorten(str(threshold), NAME_WIDTH)
