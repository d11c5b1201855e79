"""The table of cases as columns of JSON, from which the page's script makes the rows that are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_recall import _json
from pytest_recall._text import printable, shorten
from pytest_recall.baseline import recorded_case
from pytest_recall.comparison import case_change
from pytest_recall.reports.moves import is_of_answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_recall.baseline import RecordedCase
    from pytest_recall.evaluation import CaseResult, Evaluation
    from pytest_recall.pairing import Pairing

__all__ = ["MOST_RESULTS", "CaseTable", "table_of"]

MOST_RESULTS = 100
"""Of a ranking; the whole is in the other reports."""

TEXT_WIDTH = 2000
DECIMALS = 6

Outcome = Literal[
    "raised",
    "missed",
    "no label",
    "other label",
    "wrong answer",
    "stale came back",
    "false injection",
    "partly found",
    "answered",
    "found",
    "right label",
    "right answer",
    "silent",
    "nothing to find",
]
"""How a case came out, the worst first.

Of its relevant ids none came back, some or all; a stale id did; of a negative something did, or nothing; no judged id
is relevant. A classifier named no label, another one, or the expected one. Of a case whose answer alone is judged, by
whether its metrics are all 0, all 1, or anything else.
"""

Change = Literal["lost", "moved", "gained", "same", "not compared"]
"""Against the baseline, the worst first."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTable:
    """What a reader can choose from, with the number of cases, and the columns.

    Attributes:
        metrics: whose scores the table can show.
        changes: empty where nothing is compared.
        json: an object of lists with an entry for each case, and of objects from a case's place to what few cases have.
    """

    metrics: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    outcomes: tuple[tuple[str, int], ...]
    changes: tuple[tuple[str, int], ...]
    json: str


class _Numbered(dict[str, int]):
    """Texts that occur often, each by its place."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]

    @property
    def texts(self) -> list[str]:
        return [shorten(text, TEXT_WIDTH) for text in self]


def table_of(evaluation: Evaluation, pairing: Pairing | None) -> CaseTable:
    """Every case of an evaluation, beside the baseline where there is one."""
    cases = evaluation.cases
    before = {} if pairing is None else {case.id: recorded for case, recorded in pairing.common}
    better = {name: summary.better for name, summary in evaluation.metrics.items()}
    recorded = {} if pairing is None else {name: better[name] for name in better if name in pairing.entry.metrics}
    outcomes = [_outcome(case, evaluation.settings.policy.relevance_threshold) for case in cases]
    changes = [_change(case, before.get(case.id), recorded) for case in cases]
    groups, ids = _Numbered(), _Numbered()
    columns: dict[str, Any] = {
        "id": [shorten(str(case.id), TEXT_WIDTH) for case in cases],
        "query": [shorten(case.query, TEXT_WIDTH) for case in cases],
        "groups": [[groups[group] for group in case.groups] for case in cases],
        "outcome": [OUTCOMES.index(outcome) for outcome in outcomes],
        "change": [CHANGES.index(change) for change in changes],
        "expected": [_ranks(case, case.relevant or {}, ids, before.get(case.id)) for case in cases],
        "stale": [_ranks(case, dict.fromkeys(case.stale, 0), ids, before.get(case.id)) for case in cases],
        "ranking": [[ids[id] for id in case.ranking[:MOST_RESULTS]] for case in cases],
        "scores": [_scores(case.scores, better) for case in cases],
        "before": [_scores(before[case.id].scores, better) if case.id in before else [] for case in cases],
        "latency": [None if case.latency_ms is None else round(case.latency_ms, 3) for case in cases],
        "line": [case.line for case in cases],
        "unseen": _some(max(0, len(case.ranking) - MOST_RESULTS) for case in cases),
        "args": _some(printable(_json.line(case.args))[:TEXT_WIDTH] if case.args else None for case in cases),
        "error": _texts(case.error for case in cases),
        "status": _texts(case.status for case in cases),
        "answer": _texts(case.answer for case in cases),
        "answers": _some([shorten(text, TEXT_WIDTH) for text in case.answers] for case in cases),
        "rankings": _some(case.rankings if not case.steady else None for case in cases),
    }
    heads = {
        "k": evaluation.settings.k,
        "compared": pairing is not None,
        "classified": any(case.classified for case in cases),
        "outcomes": OUTCOMES,
        "changes": CHANGES,
        "metrics": [printable(name) for name in evaluation.metrics],
        "lower": [summary.better == "lower" for summary in evaluation.metrics.values()],
        "tags": groups.texts,
        "ids": ids.texts,
    }
    sizes = [sum(place in own for own in columns["groups"]) for place in range(len(groups))]
    return CaseTable(
        metrics=tuple(evaluation.metrics),
        groups=tuple(zip(groups.texts, sizes, strict=True)),
        outcomes=_counted(OUTCOMES, outcomes),
        changes=() if pairing is None else _counted(CHANGES, changes),
        json=_json.dumps(_json.plain(heads | columns)),
    )


def _outcome(case: CaseResult, threshold: float) -> Outcome:
    if case.error is not None:
        return "raised"
    if case.relevant is None:
        return _outcome_of_answer(case)
    if case.classified:
        wrong = [got for expected, got in case.expected_and_got if got != expected]
        return "right label" if not wrong else "other label" if any(wrong) else "no label"
    return _outcome_of_ranking(case, case.relevant, threshold)


def _outcome_of_ranking(case: CaseResult, grades: Mapping[str, float], threshold: float) -> Outcome:
    returned = set(case.ranking)
    relevant = [id for id, grade in grades.items() if grade >= threshold]
    found = sum(id in returned for id in relevant)
    if relevant and not found:
        return "missed"
    if any(id in returned for id in case.stale):
        return "stale came back"
    if not relevant:
        return "nothing to find" if grades else "false injection" if returned else "silent"
    return "found" if found == len(relevant) else "partly found"


def _outcome_of_answer(case: CaseResult) -> Outcome:
    scores = {score for metric, score in case.scores.items() if is_of_answers(metric)}
    return "wrong answer" if scores == {0} else "right answer" if scores == {1} else "answered"


def _change(case: CaseResult, before: RecordedCase | None, better: Mapping[str, Any]) -> Change:
    if before is None:
        return "not compared"
    change = case_change(case.id, recorded_case(case), before, better)
    return change.kind if change.scores or change.ranks else "same"


def _ranks(
    case: CaseResult, grades: Mapping[str, float], ids: _Numbered, before: RecordedCase | None
) -> list[list[Any]]:
    """Of each id its number, grade and rank, and its rank before where that is known; 0 did not come back."""
    recorded = (before.ranks if before and case.steady else None) or {}
    now = case.ranks
    return [
        [ids[id], grade, now[id] or 0, *([recorded[id] or 0] if id in recorded else [])] for id, grade in grades.items()
    ]


def _scores(scores: Mapping[str, float | None], metrics: Iterable[str]) -> list[Any]:
    """A value a metric, None where it is undefined; False where the metric is not about the case."""
    values = (scores.get(metric, False) for metric in metrics)
    return [round(value, DECIMALS) if type(value) is float else value for value in values]


def _some(values: Iterable[Any]) -> dict[str, Any]:
    """What few cases have, by place."""
    return {str(place): value for place, value in enumerate(values) if value}


def _texts(texts: Iterable[str | None]) -> dict[str, Any]:
    return _some(shorten(text, TEXT_WIDTH) if text else None for text in texts)


def _counted(words: Sequence[str], found: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The words that occur, with how often."""
    return tuple((word, found.count(word)) for word in words if word in found)
