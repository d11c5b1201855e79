from __future__ import annotations

import pytest

from tests.unit.metrics.builders import score


@pytest.mark.parametrize(
    ("metric", "ranking", "expected"),
    [
        ("stale_hit_rate@1", "asto", 0),
        ("stale_hit_rate@2", "asto", 1),
        ("stale_hit_rate@10", "asto", 1),
        ("stale_hit_rate@10", "a", 0),
        ("stale_hit_rate@10", "", 0),
    ],
)
def test_stale_hit_rate_is_about_any_stale_id_in_top(metric: str, ranking: str, expected: float) -> None:
    assert score(metric, ranking, "a", stale=("s", "o")) == expected


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ("axs", 1),
        ("sxa", 0),
        ("sa", 0),
        ("bsa", 1),  # the best relevant counts
        ("osa", 0),  # the best stale counts
        ("ax", 1),  # stale absent is below everything
        ("sx", 0),  # relevant absent
        ("", 0),
    ],
)
def test_resolution_accuracy_wants_the_best_relevant_above_the_best_stale(ranking: str, expected: float) -> None:
    assert score("resolution_accuracy", ranking, "ab", stale=("s", "o")) == expected


@pytest.mark.parametrize(
    ("ranking", "accuracy", "injection", "noise"), [("", 1, 0, 0), ("x", 0, 1, 1), ("xyz", 0, 1, 3)]
)
def test_negatives_want_nothing(ranking: str, accuracy: float, injection: float, noise: float) -> None:
    assert score("negative_accuracy", ranking, "") == accuracy
    assert score("false_injection_rate", ranking, "") == injection
    assert score("mean_noise", ranking, "") == noise


@pytest.mark.parametrize(
    ("metric", "grades", "stale"),
    [
        ("stale_hit_rate@3", "a", ()),
        ("stale_hit_rate@3", "", ()),
        ("resolution_accuracy", "a", ()),
        ("resolution_accuracy", "", ("s",)),
        ("resolution_accuracy", {"a": 0.5}, ("s",)),
        ("negative_accuracy", "a", ()),
        ("false_injection_rate", "a", ()),
        ("mean_noise", "a", ()),
        # Judged and found wanting is not the same as expecting nothing.
        ("negative_accuracy", {"a": 0}, ()),
        ("mean_noise", {"a": 0.5}, ()),
    ],
)
def test_undefined_for_cases_it_is_not_about(metric: str, grades: str, stale: tuple[str, ...]) -> None:
    assert score(metric, "ax", grades, stale=stale) is None


def test_negative_with_stale_ids_is_both() -> None:
    assert score("stale_hit_rate@1", "s", "", stale=("s",)) == 1
    assert score("negative_accuracy", "s", "", stale=("s",)) == 0
