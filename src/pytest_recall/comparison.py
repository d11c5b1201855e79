"""Two evaluations beside each other: what changed on average, how far that can be trusted, and in which cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Literal

from pytest_recall.baseline import Entry, entry_of, evaluation_of
from pytest_recall.errors import RecallError
from pytest_recall.evaluation import Evaluation
from pytest_recall.gates import EPSILON
from pytest_recall.gates.reference import differences
from pytest_recall.metrics import parse_metric
from pytest_recall.overlap import rank_biased_overlap
from pytest_recall.pairing import NO_DIFFERENCE, Pairing
from pytest_recall.stats import bootstrap_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.baseline import RecordedCase
    from pytest_recall.evaluation import CaseId, CaseResult
    from pytest_recall.metrics import Better

__all__ = ["CaseChange", "Comparison", "MetricChange", "case_change", "paired"]

Kind = Literal["lost", "gained", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """How one metric changed over the cases that both sides ask and score.

    Attributes:
        metric: canonical text, such as ``recall@5``.
        better: which way a case wins.
        baseline, candidate: the two means over these cases, None where no case is scored on both sides; where a side
            has no value, because a case raised, the other's is its own over all of its cases.
        delta: candidate minus baseline; None where nothing can be compared.
        interval: 95 % bootstrap interval of the mean change; None too for an aggregate that is no mean.
        wins, ties, losses: cases that scored better, the same and worse than before, whichever way is better; a case
            that raised on one side only loses, or wins.
        p_value: two-sided p of the paired sign-flip test; None where the interval is.

    >>> from pytest_recall import evaluate_retrieval
    >>> queries, qrels = ["when does the lease end?"], [["lease-2"]]
    >>> before = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], queries, qrels, metrics=["mrr"])
    >>> now = evaluate_retrieval(lambda query: ["lease-2", "rent-1"], queries, qrels, metrics=["mrr"])
    >>> change = now.compare(before)["mrr"]
    >>> change.baseline, change.candidate, change.wins, change.p_value, change.regressed
    (0.5, 1.0, 1, 1.0, False)
    """

    metric: str
    better: Better
    baseline: float | None
    candidate: float | None
    delta: float | None
    interval: tuple[float, float] | None
    wins: int
    ties: int
    losses: int
    p_value: float | None

    @property
    def regressed(self) -> bool:
        """It got worse, by however little, or has no value any more."""
        if self.delta is None:
            return self.baseline is not None and self.candidate is None
        return (self.delta if self.better == "lower" else -self.delta) > EPSILON


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """One case that came out differently.

    Attributes:
        kind: some metric got worse and none better, or the other way round, or neither.
        scores: metric → (before, now), where they differ.
        ranks: relevant or stale id → (rank before, rank now), where they differ; None did not come back.

    >>> from pytest_recall import evaluate_retrieval
    >>> queries, qrels = ["when does the lease end?"], [["lease-2"]]
    >>> before = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], queries, qrels, metrics=["mrr"])
    >>> now = evaluate_retrieval(lambda query: ["lease-2", "rent-1"], queries, qrels, metrics=["mrr"])
    >>> moved = now.compare(before).moved[0]
    >>> moved.kind, moved.scores, moved.ranks
    ('gained', {'mrr': (0.5, 1.0)}, {'lease-2': (2, 1)})
    """

    id: CaseId
    kind: Kind
    scores: Mapping[str, tuple[float | None, float | None]]
    ranks: Mapping[str, tuple[int | None, int | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """An evaluation beside an earlier one; an entry of a baseline can stand in for either.

    Cases are paired as gates pair them: by id, where the question is the same.

    Attributes:
        pairing: which cases are common, changed, added, removed and renamed.
        metrics: those that both sides have, but for latency and `judged@n`, in the order of the evaluation.
        moved: the common cases that came out differently, in file order.
        raised: ids of the common cases that raise now and did not before.
        reproduced: share of the common cases with the same ranking; None with a baseline, which holds no rankings.
        overlap: mean rank-biased overlap of their rankings, None as well. A case that raised counts 0 in both.

    >>> from pytest_recall import evaluate_retrieval
    >>> queries, qrels = ["when does the lease end?"], [["lease-2"]]
    >>> before = evaluate_retrieval(lambda query: ["rent-1", "lease-2"], queries, qrels, metrics=["mrr"])
    >>> now = evaluate_retrieval(lambda query: ["lease-2", "rent-1"], queries, qrels, metrics=["mrr"])
    >>> comparison = now.compare(before)
    >>> comparison["mrr"].delta, comparison.reproduced
    (0.5, 0.0)
    """

    pairing: Pairing
    metrics: tuple[MetricChange, ...]
    moved: tuple[CaseChange, ...]
    raised: tuple[CaseId, ...]
    reproduced: float | None
    overlap: float | None

    @classmethod
    def of(cls, now: Evaluation | Entry, before: Evaluation | Entry) -> Comparison:
        """Compare two evaluations of a suite, or what a baseline holds of them.

        Of two entries a metric that a user added is left out, for neither says which way is better.

        Raises:
            RecallError: they were scored by other rules, so that their numbers mean different things, or one is
                neither evaluation nor entry.
        """
        for side in (now, before):
            if not isinstance(side, (Evaluation, Entry)):
                hint = "; Evaluation.read reads a report" if isinstance(side, (str, PathLike)) else ""
                kind = type(side).__name__
                raise RecallError(f"compared are evaluations and entries of a baseline, and this is a {kind}{hint}")
        pairing = paired(now, before)
        if different := differences(pairing):
            raise RecallError(f"not comparable: {different}")
        metrics = [metric for metric in pairing.evaluation.metrics if metric in pairing.entry.metrics]
        better = {metric: pairing.evaluation.metrics[metric].better for metric in metrics}
        recorded = _entry(now).cases
        changes = [case_change(case.id, recorded[case.id], then, better) for case, then in pairing.common]
        results = _results(before)
        reproduced, overlap = _likeness(pairing, results) if isinstance(now, Evaluation) else (None, None)
        raised = [case.id for case, _ in pairing.common if case.error is not None]
        return cls(
            pairing=pairing,
            metrics=tuple(_metric_change(pairing, metric) for metric in metrics),
            moved=tuple(change for change in changes if change.scores or change.ranks),
            raised=tuple(id for id in raised if id not in results or results[id].error is None),
            reproduced=reproduced,
            overlap=overlap,
        )

    def __getitem__(self, metric: str) -> MetricChange:
        """The change of a metric, such as ``comparison["mrr"]``; aliases work.

        Raises:
            KeyError: one side does not have it.
            MetricError: it is no metric.
        """
        changes = {change.metric: change for change in self.metrics}
        return changes[metric if metric in changes else str(parse_metric(metric))]


def paired(now: Evaluation | Entry, before: Evaluation | Entry) -> Pairing:
    """Two sides beside each other, whether they can be compared or not."""
    if isinstance(now, Entry):
        summaries = before.metrics.items() if isinstance(before, Evaluation) else ()
        now = evaluation_of(now, better={name: summary.better for name, summary in summaries})
        results = _results(before)
        now = replace(now, cases=tuple(_with_stale(case, results.get(case.id)) for case in now.cases))
    return Pairing(now, _entry(before))


def _with_stale(case: CaseResult, other: CaseResult | None) -> CaseResult:
    """An entry's case with what the other side knows of the same question: which of its ids are stale."""
    if other is None or other.fingerprint != case.fingerprint:
        return case
    return replace(case, stale=other.stale)


def _entry(side: Evaluation | Entry) -> Entry:
    return side if isinstance(side, Entry) else entry_of(side)


def _results(side: Evaluation | Entry) -> dict[CaseId, CaseResult]:
    """Its cases by id, of which an entry has none."""
    return {case.id: case for case in side.cases} if isinstance(side, Evaluation) else {}


def _metric_change(pairing: Pairing, metric: str) -> MetricChange:
    summary, recorded = pairing.evaluation.metrics[metric], pairing.entry.metrics[metric]
    signs = [
        _sign(summary.better, before.scores[metric], now.scores[metric])
        for now, before in pairing.common
        if metric in now.scores and metric in before.scores
    ]
    # A mean over the cases that did not raise is not the metric's value.
    change = None if summary.value is None or recorded.value is None else pairing.change(metric)
    # Two values over different cases are no change.
    apart = change is None and summary.value is not None and recorded.value is not None
    interval = None
    if change is not None and change.is_mean:
        interval = bootstrap_interval([_score(now, metric) - _score(before, metric) for now, before in change.pairs])
    return MetricChange(
        metric=metric,
        better=summary.better,
        baseline=change.baseline if change else None if apart else recorded.value,
        candidate=change.value if change else None if apart else summary.value,
        delta=change.value - change.baseline if change else None,
        interval=interval,
        wins=signs.count(1),
        ties=signs.count(0),
        losses=signs.count(-1),
        p_value=change.p if change else None,
    )


def _score(case: CaseResult | RecordedCase, metric: str) -> float:
    score = case.scores[metric]
    assert score is not None, "only scored pairs get here"
    return score


def _sign(better: Better, before: float | None, now: float | None) -> int:
    """1 for a win of `now`, -1 for a loss, 0 for a tie; no value loses against any."""
    if before is None or now is None:
        return (now is not None) - (before is not None)
    gain = before - now if better == "lower" else now - before
    return 0 if abs(gain) <= NO_DIFFERENCE else 1 if gain > 0 else -1


def case_change(
    id: CaseId,
    now: RecordedCase,
    before: RecordedCase,
    better: Mapping[str, Better],
) -> CaseChange:
    """How one case came out on two sides.

    Args:
        id: its id.
        now: what is recorded of it, or would be.
        before: likewise.
        better: which way each metric that is compared wins.
    """
    both = [metric for metric in better if metric in now.scores and metric in before.scores]
    signs = {metric: _sign(better[metric], before.scores[metric], now.scores[metric]) for metric in both}
    ranks, then = now.ranks or {}, before.ranks or {}
    return CaseChange(
        id=id,
        kind=_kind(set(signs.values())),
        scores={metric: (before.scores[metric], now.scores[metric]) for metric, sign in signs.items() if sign},
        ranks={id: (then[id], rank) for id, rank in ranks.items() if id in then and then[id] != rank},
    )


def _kind(signs: set[int]) -> Kind:
    if (-1 in signs) == (1 in signs):
        return "moved"
    return "lost" if -1 in signs else "gained"


def _likeness(pairing: Pairing, before: Mapping[CaseId, CaseResult]) -> tuple[float | None, float | None]:
    """The share of equal rankings, and their mean overlap."""
    pairs = [(now, before[now.id]) for now, _ in pairing.common if now.id in before]
    if not pairs:
        return None, None
    answered = [(now.ranking, then.ranking) for now, then in pairs if now.error is None and then.error is None]
    equal = sum(now == then for now, then in answered)
    overlaps = [rank_biased_overlap(now, then) for now, then in answered]
    return equal / len(pairs), math.fsum(overlaps) / len(pairs)
