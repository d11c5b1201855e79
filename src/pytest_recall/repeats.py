"""A query that was asked several times: one result for its case, and what its repeats disagree on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_recall._text import count, listing
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_recall.evaluation import CaseResult

__all__ = ["over_repeats", "unsteady"]

_MOST_LISTED = 3


def over_repeats(results: Sequence[CaseResult]) -> CaseResult:
    """One result of all repeats of a case: scores and latency are means, undefined stays undefined.

    The ranking is that of the first. Where a repeat raised, so did the case.
    """
    first = results[0]
    if len(results) == 1:
        return first
    raised = [result for result in results if result.error is not None]
    if raised:
        return raised[0]
    return replace(
        first,
        scores=_scores(results),
        latency_ms=_mean([result.latency_ms for result in results]),
        rankings=len({result.ranking for result in results}),
        repeats=tuple(result.scores for result in results),
        labels=tuple(result.ranking for result in results) if first.classified else (),
    )


def _scores(results: Sequence[CaseResult]) -> dict[str, float | None]:
    """The means over the repeats that a metric is about, which are all but for the precision of a label."""
    metrics = dict.fromkeys(metric for result in results for metric in result.scores)
    return {
        metric: _mean([result.scores[metric] for result in results if metric in result.scores]) for metric in metrics
    }


def unsteady(cases: Sequence[CaseResult]) -> Iterator[str]:
    """The sentence that counts and lists the cases whose repeats gave different rankings, when there are any."""
    word = "label" if any(case.classified for case in cases) else "ranking"
    changed = [f"{case.id} ({case.rankings} {word}s)" for case in cases if not case.steady]
    if changed:
        yield (
            f"the {word} of {len(changed)} of {count(len(cases), 'case')} changed from repeat to repeat: "
            f"{listing(changed, most=_MOST_LISTED)}"
        )


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    if len(defined) < len(values):
        return None
    # Of equal values the mean is that value, to the last bit.
    return defined[0] if len(set(defined)) == 1 else mean(defined)
