"""p-values beside scipy's `permutation_test`, which enumerates every sign."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

from pytest_recall.stats import DRAWS, MOST_ENUMERATED, sign_flip_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.conftest import Require


def samples(sizes: Iterable[int]) -> Iterator[list[float]]:
    """Differences of every kind that metrics give: of hits (with zeros and ties), of ranks, and free ones."""
    chance = random.Random(5)  # noqa: S311 - the same samples every time
    for number, size in enumerate(sizes):
        yield [_difference(chance, number % 3) for _ in range(size)]


def _difference(chance: random.Random, kind: int) -> float:
    if kind == 0:
        return float(chance.choice((-1, 0, 1)))
    return 1 / chance.randint(1, 5) - 1 / chance.randint(1, 5) if kind == 1 else chance.gauss(0.2, 1)


def exact_p(stats: Any, differences: list[float]) -> float:
    if not any(differences):
        return 1.0

    def mean(values: Any, axis: int) -> Any:
        return values.mean(axis=axis)

    result = stats.permutation_test(
        (differences,), mean, permutation_type="samples", n_resamples=math.inf, vectorized=True
    )
    return float(result.pvalue)


def enumerated_p(numpy: Any, differences: list[float]) -> float:
    """The exact p from the sums under all signs, for sizes that take scipy seconds."""
    sums = numpy.zeros(1)
    for difference in differences:
        sums = numpy.concatenate([sums - difference, sums + difference])
    return float(numpy.mean(abs(sums) >= abs(sum(differences)) - 1e-9))


def test_enumerated_p_is_that_of_scipy(require: Require) -> None:
    stats, numpy = require.library("scipy.stats"), require.library("numpy")
    for differences in samples([*(2 + number % 12 for number in range(180)), 14, 15, 16, 16]):
        exact = exact_p(stats, differences)
        assert math.isclose(sign_flip_p(differences), exact, rel_tol=0, abs_tol=1e-12)
        assert math.isclose(enumerated_p(numpy, differences), exact, rel_tol=0, abs_tol=1e-12)


def test_sampled_p_is_near_the_exact_one(require: Require) -> None:
    numpy = require.library("numpy")
    for differences in samples(MOST_ENUMERATED + 1 + number % 4 for number in range(16)):
        exact = enumerated_p(numpy, differences)
        error = math.sqrt(exact * (1 - exact) / DRAWS)
        assert abs(sign_flip_p(differences) - exact) <= 4 * error + 1 / DRAWS
