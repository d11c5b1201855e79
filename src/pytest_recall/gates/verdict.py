"""How one threshold came out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pytest_recall.bounds import Bounds, Tolerance

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    @property
    def failed(self) -> bool:
        return self.outcome == "failed"

    @property
    def name(self) -> str:
        return self.metric if self.tag is None else f"{self.metric}:{self.tag}"

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Verdict:
        """The verdict whose fields `dataclasses.asdict` gave."""
        bounds: dict[str, Any] = {
            key: Tolerance(**bound) if isinstance(bound, dict) else bound for key, bound in record["bounds"].items()
        }
        return cls(**{**record, "bounds": Bounds(**bounds)})
