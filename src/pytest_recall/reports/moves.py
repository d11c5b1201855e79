"""The cases behind a number: which were lost, gained or missed, and what came back instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_recall._text import listing, shorten
from pytest_recall.metrics import CATALOGUE
from pytest_recall.steps import first_divergence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import CaseResult, Evaluation
    from pytest_recall.gates import Verdict
    from pytest_recall.pairing import Pairing

__all__ = ["Move", "is_of_answers", "move_lines", "moves_of", "rank_changes"]

ID_WIDTH = 24
ANSWER_WIDTH = 40
MOST_IDS = 2
OUTPUT_WIDTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One case that explains a verdict.

    Attributes:
        kind: got worse, better or neither beside what was before, raised, or simply is not good enough.
        detail: the ids that moved, with their ranks; of an answer what was expected.
        got: what came back, where an expected id did not; of an answer what was answered.
        weight: how much of the metric hangs on it.
    """

    kind: Literal["raised", "lost", "moved", "gained", "missed"]
    case: str
    detail: str
    got: str
    weight: float


def moves_of(verdict: Verdict, evaluation: Evaluation, pairing: Pairing | None) -> list[Move]:
    """The cases behind a verdict, what was lost first, the largest first."""
    change = pairing.change(verdict.metric, verdict.tag) if pairing and verdict.baseline is not None else None
    lower_is_better = evaluation.metrics[verdict.metric].better == "lower"
    of_answers = is_of_answers(verdict.metric)
    if change is None or not change.differing:
        return _missed(verdict, evaluation, lower_is_better=lower_is_better)
    moves = []
    for now, before in change.differing:
        gain = _worth(now.scores.get(verdict.metric)) - _worth(before.scores.get(verdict.metric))
        gain = -gain if lower_is_better else gain
        moves.append(
            Move(
                kind="gained" if gain > 0 else "lost",
                case=str(now.id),
                detail=_expected(now) if of_answers else _moved(now, before.ranks, evaluation.settings.k),
                got=_answered(now) if of_answers else _got(now),
                weight=abs(gain),
            )
        )
    return sorted(moves, key=lambda move: (move.kind != "lost", -move.weight))


def _worth(score: float | None) -> float:
    """What a score does to the metric: to have none is better than a fault, and not as good as being right."""
    return 0.5 if score is None else score


def _missed(verdict: Verdict, evaluation: Evaluation, *, lower_is_better: bool) -> list[Move]:
    best = 0.0 if lower_is_better else 1.0
    of_answers = is_of_answers(verdict.metric)
    scored = [
        (case, score) for case in verdict.cases(evaluation) if (score := case.scores.get(verdict.metric)) is not None
    ]
    moves = [
        Move(
            kind="missed",
            case=str(case.id),
            detail=_expected(case) if of_answers else _standing(case, evaluation.settings.k),
            got=_answered(case) if of_answers else _got(case),
            weight=abs(best - score),
        )
        for case, score in scored
        if score != best
    ]
    return sorted(moves, key=lambda move: -move.weight)


def move_lines(moves: Sequence[Move]) -> list[str]:
    """Aligned: ``lost    lease-end  lease-2: rank 1 -> not in 10  got rent-9, rent-1, …``."""
    case_width = max((len(shorten(move.case, ID_WIDTH)) for move in moves), default=0)
    detail_width = max((len(move.detail) for move in moves if move.got), default=0)
    lines = []
    for move in moves:
        case = shorten(move.case, ID_WIDTH)
        lines.append(f"{move.kind:<7} {case:<{case_width}}  {move.detail:<{detail_width}}  {move.got}".rstrip())
    return lines


def is_of_answers(metric: str) -> bool:
    """Whether a metric judges what was answered; one that is not known here does not."""
    known = CATALOGUE.get(metric.partition("@")[0])
    return known is not None and known.family == "answer"


def _expected(case: CaseResult) -> str:
    """The texts that would do as an answer, the first few; of a replayed run where it diverged."""
    if case.steps:
        return str(first_divergence(case.steps))
    some = " or ".join(f"'{shorten(text, ID_WIDTH)}'" for text in case.answers[:MOST_IDS])
    return f"expected {some}{' or …' if len(case.answers) > MOST_IDS else ''}" if some else ""


def _answered(case: CaseResult) -> str:
    if case.steps:
        return ""
    return f"{'first got' if case.repeats else 'got'} '{shorten(case.answer or '', ANSWER_WIDTH)}'"


def _moved(case: CaseResult, before: Mapping[str, int | None] | None, k: int) -> str:
    now = case.ranks
    if before is None or case.classified or not case.steady or not now:
        return _standing(case, k)
    return rank_changes({id: (before[id], now[id]) for id in now if id in before and now[id] != before[id]}, case, k)


def rank_changes(ranks: Mapping[str, tuple[int | None, int | None]], case: CaseResult, k: int) -> str:
    """``lease-2: rank 1 -> not in 10``, of the first few ids that moved; of a classifier ``refund: right -> wrong``."""
    texts = []
    for id, (before, now) in ranks.items():
        if case.classified:
            words = ["wrong" if rank is None else "right" for rank in (before, now)]
            texts.append(f"{shorten(id, ID_WIDTH)}: {' -> '.join(words)}")
            continue
        stale = " (stale)" if id in case.stale else ""
        after = _rank(now, k, bare=before is not None)
        texts.append(f"{shorten(id, ID_WIDTH)}{stale}: {_rank(before, k)} -> {after}")
    return _some(texts)


def _standing(case: CaseResult, k: int) -> str:
    """Where the ids of a case are: stale ones that came back, what is missing, then the best ranks."""
    divergence = first_divergence(case.steps)
    if divergence is not None:
        return str(divergence)
    wanted = _wanted(case)
    if case.classified:
        return f"expected {_some([shorten(label, ID_WIDTH) for label in wanted])}"
    if not wanted and not case.stale:
        return "nothing should come back"
    if not case.steady:
        return f"{case.rankings} rankings in {len(case.repeats)} repeats"
    ranks = case.ranks
    stale = [f"{shorten(id, ID_WIDTH)} (stale): {_rank(ranks[id], k)}" for id in case.stale if id in case.ranking]
    late = sorted((id for id in wanted if ranks[id] != 1), key=lambda id: ranks[id] or 0)
    shown = late or ([] if stale else wanted)
    return _some([*stale, *(f"{shorten(id, ID_WIDTH)}: {_rank(ranks[id], k)}" for id in shown)])


def _wanted(case: CaseResult) -> list[str]:
    return [id for id, grade in (case.relevant or {}).items() if grade > 0]


def _rank(rank: int | None, k: int, *, bare: bool = False) -> str:
    if rank is None:
        return f"not in {k}"
    return str(rank) if bare else f"rank {rank}"


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MOST_IDS]) + (", …" if len(texts) > MOST_IDS else "")


def _got(case: CaseResult) -> str:
    if case.classified:
        return _labels_got(case)
    if case.steps:
        return ""
    if not case.steady:
        return f"first got {listing(case.ranking, width=ID_WIDTH)}" if case.ranking else "first got nothing"
    wanted = _wanted(case)
    if wanted and all(id in case.ranking for id in wanted):
        return ""
    return f"got {listing(case.ranking, width=ID_WIDTH)}" if case.ranking else "got nothing"


def _labels_got(case: CaseResult) -> str:
    """The labels of a classifier, one where its repeats agree; and what it said where that names none, or several."""
    pairs = dict.fromkeys(case.expected_and_got)
    if all(expected == got for expected, got in pairs):
        return ""
    # Of repeats only the first output is kept.
    none = "no single label" if case.labels or case.answer is not None else "no label"
    labels = [none if got is None else got for _, got in pairs]
    output = "" if case.ranking or case.answer is None else f" in {shorten(case.answer, OUTPUT_WIDTH)!r}"
    return f"got {listing(labels, width=ID_WIDTH)}{output}"
