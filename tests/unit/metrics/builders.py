from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.metrics import JudgedRanking, Judgments, parse_metric

if TYPE_CHECKING:
    from collections.abc import Mapping


def score(metric: str, ranking: str, grades: str | Mapping[str, float], **judgments: Any) -> float | None:
    """What a ranking scores, None where its labels don't define the metric. Each letter of a text is an id."""
    parsed = parse_metric(metric)
    graded = dict.fromkeys(grades, 1.0) if isinstance(grades, str) else grades
    known = Judgments(grades=graded, **judgments)
    return parsed.score(JudgedRanking(known, tuple(ranking))) if parsed.defined(known) else None
