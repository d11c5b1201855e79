"""A report as plain data, the same for every kind of file, and back."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pytest_recall import _json
from pytest_recall._files.values import (
    Invalid,
    Reader,
    array,
    check_format,
    choice,
    count,
    field,
    items,
    number,
    object_of,
    optional,
    shown,
    text,
    whole,
)
from pytest_recall.baseline.checking import POLICY, in_range, memories
from pytest_recall.bounds import Bounds, Tolerance
from pytest_recall.errors import MetricError
from pytest_recall.evaluation import CaseId, CaseResult, Evaluation, Policy, Settings, Summary
from pytest_recall.gates import Outcome, Verdict
from pytest_recall.metrics import Aggregate, Better, Metric, parse_metric
from pytest_recall.metrics.catalogue import MAX_CUTOFF
from pytest_recall.reports.summary import SuiteReport
from pytest_recall.steps import Kind, StepPair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["from_record", "to_record"]

T = TypeVar("T")

FORMAT = 1


def to_record(reports: Iterable[SuiteReport]) -> dict[str, Any]:
    """The reports as JSON values, undefined being None and integral numbers integers."""
    return _json.plain({"format": FORMAT, "evaluations": [_evaluation_record(report) for report in reports]})  # type: ignore[no-any-return]


def _evaluation_record(report: SuiteReport) -> dict[str, Any]:
    return {**report.evaluation.to_record(), "gates": [_gate_record(verdict) for verdict in report.verdicts]}


def _gate_record(verdict: Verdict) -> dict[str, Any]:
    return {
        "metric": verdict.metric,
        "tag": verdict.tag,
        "case": verdict.case,
        "bounds": {**asdict(verdict.bounds), "line": verdict.line},
        "value": verdict.value,
        "baseline": verdict.baseline,
        "change": verdict.change,
        "p": verdict.p,
        "verdict": verdict.outcome,
        "reason": verdict.reason,
        "note": verdict.note,
    }


def from_record(value: Any) -> tuple[SuiteReport, ...]:
    """The reports that `to_record` wrote; what is undefined may be missing.

    Raises:
        Invalid: the first value that is wrong.
    """
    record = object_of(value)
    check_format(record, FORMAT, noun="report", again="write the report again")
    if "suites" in record:
        raise Invalid("this is a baseline, and no report")
    object_of(record, "format", "evaluations")
    reports = field(record, "evaluations", lambda evaluations: array(evaluations, _report))
    keys = [(report.evaluation.suite, report.evaluation.system) for report in reports]
    _check_once(keys, ".evaluations", lambda key: f"{key[0]!r:.80} ({key[1]:.80})")
    return reports


def _check_once(names: Iterable[T], where: str, show: Callable[[T], str]) -> None:
    seen: set[T] = set()
    for place, name in enumerate(names):
        if name in seen:
            raise Invalid(f"{show(name)} is there twice", where=f"{where}[{place}]")
        seen.add(name)


def _values(value: Any, readers: dict[str, Reader[Any]], undefined: tuple[str, ...] = ()) -> dict[str, Any]:
    """The values of an object that has exactly these names, of which those that may be undefined may be missing."""
    needed = (name for name in readers if name not in undefined)
    record = object_of(value, *needed, optional=undefined)
    return {name: field(record, name, read) for name, read in readers.items()}


def _report(value: Any) -> SuiteReport:
    values = _values(value, _EVALUATION, ("problem",))
    gates = values.pop("gates")
    _check_once((case.id for case in values["cases"]), ".cases", lambda id: f"the case {id!r:.80}")
    evaluation = Evaluation(**values)
    known: dict[str, set[CaseId | None]] = {
        "metric": set(evaluation.metrics),
        "case": {None, *(case.id for case in evaluation.cases)},
    }
    for place, verdict in enumerate(gates):
        for name, names in known.items():
            if getattr(verdict, name) not in names:
                message = f"{getattr(verdict, name)!r:.80} is no {name} of this evaluation"
                raise Invalid(message, where=f".gates[{place}].{name}")
    return SuiteReport(evaluation=evaluation, verdicts=gates)


def _settings(value: Any) -> Settings:
    return Settings(
        **_values(value, {"k": whole(1, MAX_CUTOFF), "policy": _policy, "memories": optional(memories)}, ("memories",))
    )


def _policy(value: Any) -> Policy:
    return Policy(**_values(value, POLICY, ("id_from", "min_score")))


def _summary(metric: str, value: Any) -> Summary:
    return Summary(**_values(value, {**_SUMMARY, "value": lambda value: _score_of(metric, value)}, ("value",)))


def _score_of(metric: str, value: Any) -> float | None:
    return None if value is None else in_range(_known(metric), value)


@lru_cache(maxsize=1024)
def _known(text: str) -> Metric | None:
    """The metric, None for a user's own, which may have any value."""
    try:
        return parse_metric(text)
    except MetricError:
        return None


def _case(value: Any) -> CaseResult:
    return CaseResult(
        **_values(value, _CASE, ("kind", "family", "relevant", "status", "answer", "latency_ms", "error", "line"))
    )


def _step(value: Any) -> StepPair:
    return StepPair(**_values(value, _STEP, ("recorded", "now", "answer")))


def _id(value: Any) -> Any:
    """A text; queries may be numbered instead."""
    return value if type(value) is int else text(value)


def _verdict(value: Any) -> Verdict:
    values = _values(value, _GATE, ("tag", "case", "value", "baseline", "change", "p"))
    bounds = values.pop("bounds")
    line = bounds.pop("line")
    return Verdict(**values | {"outcome": values.pop("verdict"), "bounds": Bounds(**bounds), "line": line})


def _bounds(value: Any) -> dict[str, Any]:
    return _values(value, _BOUNDS, tuple(_BOUNDS))


def _tolerance(value: Any) -> Tolerance:
    try:
        return Tolerance(**_values(value, {"value": number, "relative": _flag}))
    except MetricError as error:
        raise Invalid(str(error)) from None


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"must be true or false, not {shown(value)}")
    return value


def _plain(value: Any) -> Any:
    """Arguments may be any JSON."""
    if isinstance(value, list):
        return list(array(value, _plain))
    if isinstance(value, dict):
        return items(value, lambda _, item: _plain(item))
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    return number(value)


_texts: Reader[tuple[str, ...]] = lambda value: array(value, text)  # noqa: E731  # one of a table of readers
_score = optional(number)
_line = optional(whole(1))
_scores: Reader[dict[str, float | None]] = lambda scores: items(scores, _score_of)  # noqa: E731  # as above

_SUMMARY: dict[str, Reader[Any]] = {
    "scored": count,
    "undefined": count,
    "errors": count,
    "better": choice(*get_args(Better)),
    "aggregate": choice(*get_args(Aggregate)),
}
_CASE: dict[str, Reader[Any]] = {
    "id": _id,
    "query": text,
    "args": lambda args: items(args, lambda _, value: _plain(value)),
    "fingerprint": text,
    "tags": _texts,
    "kind": optional(text),
    "family": optional(text),
    "relevant": optional(lambda grades: items(grades, lambda _, grade: number(grade))),
    "stale": _texts,
    "answers": _texts,
    "ranking": _texts,
    "status": optional(text),
    "answer": optional(text),
    "scores": _scores,
    "latency_ms": _score,
    "error": optional(text),
    "line": _line,
    "rankings": whole(1),
    "repeats": lambda repeats: array(repeats, _scores),
    "labels": lambda labels: array(labels, _texts),
    "steps": lambda steps: array(steps, _step),
}
_STEP: dict[str, Reader[Any]] = {
    "kind": choice(*get_args(Kind)),
    "recorded": optional(text),
    "now": optional(text),
    "answer": optional(text),
    "same": _flag,
}
_BOUNDS: dict[str, Reader[Any]] = {
    "min": _score,
    "max": _score,
    "max_drop": optional(_tolerance),
    "max_rise": optional(_tolerance),
    "alpha": _score,
    "line": _line,
}
_GATE: dict[str, Reader[Any]] = {
    "metric": text,
    "tag": optional(text),
    "case": optional(text),
    "bounds": _bounds,
    "value": _score,
    "baseline": _score,
    "change": _score,
    "p": _score,
    "verdict": choice(*get_args(Outcome)),
    "reason": text,
    "note": text,
}
_EVALUATION: dict[str, Reader[Any]] = {
    "suite": text,
    "system": text,
    "settings": _settings,
    "metrics": lambda metrics: items(metrics, _summary),
    "cases": lambda cases: array(cases, _case),
    "problem": optional(text),
    "notes": _texts,
    "gates": lambda gates: array(gates, _verdict),
}
