from __future__ import annotations

import pytest

from pytest_recall.metrics import JudgedRanking, Judgments, parse_metric

METRICS = ("exact_match", "token_f1", "anls", "edit_similarity")


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("answer", "value"), [("Paris", 1.0), ("", 0.0), (None, None)])
def test_only_what_was_answered_is_judged(metric: str, answer: str | None, value: float | None) -> None:
    judgments = Judgments(grades={}, answers=("Paris", "City of Paris"))
    assert parse_metric(metric).score(JudgedRanking(judgments, (), answer)) == value
