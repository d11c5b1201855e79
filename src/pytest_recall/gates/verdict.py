"""How one threshold came out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pytest_recall.bounds import Bounds, Tolerance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.bounds import Threshold
    from pytest_recall.evaluation import CaseResult, Evaluation

__all__ = ["Outcome", "Verdict"]

Outcome = Literal["passed", "failed", "no gate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one threshold came out.

    Attributes:
        metric, tag, case: what was judged.
        bounds: with the tolerance that applied.
        line: where the threshold is written.
        value: over all cases; None when undefined.
        baseline: recorded value over the common cases, None when nothing was compared.
        change: value minus baseline, over the common cases.
        p: of the change, however few cases differ; None when no two means were compared.
        outcome: "no gate" is a value that nothing holds to anything.
        reason: one sentence, empty when it passed.
        note: what a reader should know of the repeats, empty when nothing.

    >>> from pytest_recall import evaluate_retrieval
    >>> report = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], ["lease end"], [["lease-2"]], metrics=["mrr"])
    >>> from pytest_recall import Bounds, Gate, Threshold, judge
    >>> (verdict,) = judge(Gate(name="mrr", thresholds=(Threshold(metric="mrr", bounds=Bounds(min=0.8)),)), report)
    >>> verdict.failed, verdict.reason
    (True, 'mrr 0.500, needs 0.800')
    """

    metric: str
    tag: str | None = None
    case: str | None = None
    bounds: Bounds = field(default_factory=Bounds)
    line: int | None = None
    value: float | None = None
    baseline: float | None = None
    change: float | None = None
    p: float | None = None
    outcome: Outcome = "passed"
    reason: str = ""
    note: str = ""

    @classmethod
    def failed_at(cls, threshold: Threshold, case: str | None, reason: str) -> Verdict:
        """Of a gate that could not be judged."""
        return cls(
            metric=threshold.metric,
            tag=threshold.tag,
            case=case,
            bounds=threshold.bounds,
            line=threshold.line,
            outcome="failed",
            reason=reason,
        )

    @property
    def failed(self) -> bool:
        return self.outcome == "failed"

    @property
    def name(self) -> str:
        return self.metric if self.tag is None else f"{self.metric}:{self.tag}"

    def cases(self, evaluation: Evaluation) -> tuple[CaseResult, ...]:
        """The cases of its evaluation that it judged."""
        return evaluation.of_group(self.tag) if self.case is None else (evaluation.case(self.case),)

    def to_record(self) -> dict[str, Any]:
        """The verdict as plain JSON values, without those that are None; `from_record` reads it back."""
        return {**_given(self), "bounds": {key: _plain(bound) for key, bound in _given(self.bounds).items()}}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Verdict:
        """The verdict that `to_record` wrote."""
        bounds: dict[str, Any] = {
            key: Tolerance(**bound) if isinstance(bound, dict) else bound for key, bound in record["bounds"].items()
        }
        return cls(**{**record, "bounds": Bounds(**bounds)})


def _given(holder: Verdict | Bounds) -> dict[str, Any]:
    return {name: value for name in holder.__slots__ if (value := getattr(holder, name)) is not None}


def _plain(bound: float | Tolerance) -> float | dict[str, Any]:
    return asdict(bound) if isinstance(bound, Tolerance) else bound
