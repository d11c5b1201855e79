"""How the queries of a suite are asked."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How queries are asked; None is whatever the next one to be asked says, and in the end once, singly, in order.

    Attributes:
        repeat: how often each query is asked.
        warmup: how often the first query is asked before, with nothing counted.
        timeout: seconds that a call may take.
        concurrency: calls at once.
        batch: queries in one call.
    """

    repeat: int | None = None
    warmup: int | None = None
    timeout: float | None = None
    concurrency: int | None = None
    batch: int | None = None

    def over(self, other: Plan) -> Plan:
        """This plan, and the other one's word where this says nothing."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return Plan(**{name: getattr(other, name) if value is None else value for name, value in said.items()})

    @property
    def threaded(self) -> bool:
        """Calls are made in threads: several at once, or one that can be given up."""
        return self.timeout is not None or (self.concurrency or 1) > 1
