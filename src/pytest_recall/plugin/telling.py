"""What an item found of its suite: told as it is in one process, and as text from one process to another."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_recall import _json
from pytest_recall.evaluation import Evaluation
from pytest_recall.gates import Verdict

__all__ = ["Told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Of one item.

    Attributes:
        evaluation: what it was judged by; told once a process.
        unjudged: why the item failed before it was judged.
        worker: of pytest-xdist; empty where there is none.
    """

    suite: str
    system: str
    verdicts: tuple[Verdict, ...]
    evaluation: Evaluation | None = None
    unjudged: str | None = None
    worker: str = ""

    def to_text(self) -> str:
        """JSON of ASCII only, which crosses to the controller of pytest-xdist as it is."""
        return _json.dumps(
            {
                "suite": self.suite,
                "system": self.system,
                "verdicts": [verdict.to_record() for verdict in self.verdicts],
                "evaluation": self.evaluation and self.evaluation.to_record(),
                "unjudged": self.unjudged,
                "worker": self.worker,
            }
        )

    @classmethod
    def from_text(cls, text: str) -> Told:
        """What `to_text` wrote."""
        record = _json.loads(text)
        return cls(
            suite=record["suite"],
            system=record["system"],
            verdicts=tuple(map(Verdict.from_record, record["verdicts"])),
            evaluation=record["evaluation"] and Evaluation.from_record(record["evaluation"]),
            unjudged=record["unjudged"],
            worker=record["worker"],
        )
