"""What an evaluation was made with."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

from pytest_recall.metrics.judged import fast_judgments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.case_scores import Undefined
    from pytest_recall.metrics import Gain, Judgments

__all__ = ["POLICY_FIELDS", "Duplicates", "MemoriesDigest", "Policy", "Settings"]

Duplicates = Literal["error", "first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How rankings are read and scored; two evaluations are comparable only under equal policies.

    Attributes:
        definitions: edition of the metric definitions.
        undefined: what a case counts that does not define a ranking metric.
        duplicates: whether a repeated id is an error, or only its first rank counts.
        gain: what a grade is worth to nDCG.
        relevance_threshold: the smallest grade that counts as relevant.
        id_from: pattern whose first group is the id, None for ids as returned.
        min_score: results scored below it are dropped.
        repeat: how often each query is asked.
    """

    definitions: int = 1
    undefined: Undefined = "exclude"
    duplicates: Duplicates = "error"
    gain: Gain = "linear"
    relevance_threshold: float = 1
    id_from: str | None = None
    min_score: float | None = None
    repeat: int = 1

    def judgments(
        self,
        grades: Mapping[str, float] | None,
        stale: tuple[str, ...] = (),
        *,
        answers: tuple[str, ...] = (),
        expected: str | None = None,
    ) -> Judgments:
        """A case's labels as this policy reads them."""
        return fast_judgments(
            grades={} if grades is None else grades,
            stale=stale,
            answers=answers,
            relevance_threshold=self.relevance_threshold,
            gain=self.gain,
            ranked=grades is not None,
            expected=expected,
        )


POLICY_FIELDS = tuple(policy.name for policy in fields(Policy))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesDigest:
    """Which corpus the retriever searched."""

    count: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an evaluation was made with: results asked for per query, policy, corpus (None: the retriever's own)."""

    k: int
    policy: Policy = field(default_factory=Policy)
    memories: MemoriesDigest | None = None
