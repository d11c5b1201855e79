"""Means, percentiles, and how far a mean change can be trusted: sign-flip test and bootstrap, in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bootstrap_interval", "mean", "percentile", "sign_flip_p"]

MOST_ENUMERATED = 16
DRAWS = 10_000
RESAMPLES = 1_000

_TIE = 1e-12
# Differences are weighed in whole parts of their total: sums are then exact, in any order and on every Python.
_PARTS = 2.0**52
_BYTE = 8
# From here on drawing how many of them beats a byte for every eight.
_MANY = 40
# Tables at a time: what a cache holds.
_AT_ONCE = 32


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean of an exact sum.

    Raises:
        ValueError: there is nothing to average.
    """
    if not values:
        raise ValueError("the mean of nothing is undefined")
    return math.fsum(values) / len(values)


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the ceil(percent / 100 · n)-th smallest value, for a percent from 0 to 100.

    Raises:
        ValueError: there are no values, or the percent is none.
    """
    if not values:
        raise ValueError("a percentile of nothing is undefined")
    if not 0 <= percent <= 100:
        raise ValueError(f"a percent is a number from 0 to 100, got {percent!r}")
    # Multiplied first: 7 / 100 * 100 is more than 7.
    rank = math.ceil(percent * len(values) / 100)
    return sorted(values)[max(rank, 1) - 1]


def sign_flip_p(differences: Sequence[float]) -> float:
    """The two-sided p-value of a paired sign-flip test on the mean difference.

    How often would the mean be at least as far from zero if each difference had an arbitrary sign? Zeros do not count.
    All signs are enumerated up to 16 differences; above that 10,000 seeded draws give (hits + 1) / (draws + 1). Neither
    the order of the cases nor which side is the baseline changes it. Differences 1, 1: of ++, +-, -+, -- two are as
    extreme, p = 2/4.

    Fisher, The Design of Experiments (1935), § 21; the + 1 of Phipson and Smyth, Permutation P-values Should Never Be
    Zero (2010). For retrieval: Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests (2007).

    Raises:
        ValueError: a difference is not finite.
    """
    _check_finite(differences)
    differing = [difference for difference in differences if abs(difference) > _TIE]
    if not differing:
        return 1.0
    scale = _PARTS / math.fsum(map(abs, differing))
    weights = sorted(float(round(abs(difference) * scale)) for difference in differing)
    lost = sum(float(round(-difference * scale)) for difference in differing if difference < 0)
    # A mean is as far from zero as the observed one when as little, or as much, of the weight is negative.
    low, high = sorted((lost, sum(weights) - lost))
    low, high = low + _TIE * _PARTS, high - _TIE * _PARTS
    if len(weights) <= MOST_ENUMERATED:
        sums = _subset_sums(weights)
        return sum(part <= low or part >= high for part in sums) / len(sums)
    hits = sum(part <= low or part >= high for part in _drawn_sums(weights))
    return (hits + 1) / (DRAWS + 1)


def _check_finite(differences: Sequence[float]) -> None:
    if not all(map(math.isfinite, differences)):
        first = next(difference for difference in differences if not math.isfinite(difference))
        raise ValueError(f"a difference must be a finite number, got {first!r}")


def _subset_sums(weights: Sequence[float]) -> list[float]:
    """The sum of every subset; the bits of its index say which weights are in it."""
    sums = [0.0]
    for weight in weights:
        sums += [part + weight for part in sums]
    return sums


def _drawn_sums(weights: Sequence[float]) -> list[float]:
    """The sums of `DRAWS` random subsets: of many equal weights a count is drawn, of others eight at once by a byte."""
    random = Random(0)  # noqa: S311 - the same draws every time are the point
    sums = [0.0] * DRAWS
    few: list[float] = []
    for weight, count in Counter(weights).items():
        if count < _MANY:
            few += [weight] * count
        else:
            sums = [part + weight * random.getrandbits(count).bit_count() for part in sums]
    few += [0.0] * (-len(few) % _BYTE)
    octets = [few[start : start + _BYTE] for start in range(0, len(few), _BYTE)]
    for start in range(0, len(octets), _AT_ONCE):
        tables = map(_subset_sums, octets[start : start + _AT_ONCE])
        parts = [map(table.__getitem__, random.randbytes(DRAWS)) for table in tables]
        sums = list(map(sum, zip(sums, *parts, strict=True)))
    return sums


def bootstrap_interval(differences: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean difference, from 1,000 seeded resamples of whole cases.

    Half of the resamples mirror the other half: the one takes the third largest difference where the other takes the
    third smallest. So the order of the cases changes nothing, and swapping the two sides only the signs.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), § 13.3; the mirror of Hall, Antithetic Resampling for
    the Bootstrap (1989).

    Raises:
        ValueError: there are no differences, or one is not finite.
    """
    if not differences:
        raise ValueError("an interval of nothing is undefined")
    _check_finite(differences)
    size, largest = len(differences), max(map(abs, differences))
    if largest <= _TIE:
        return 0.0, 0.0
    scale = _PARTS / size / largest
    parts = sorted(float(round(difference * scale)) for difference in differences)
    # One sum of complex numbers is two sums: of a resample, and of its mirror image.
    pairs = list(map(complex, parts, reversed(parts)))
    random = Random(0)  # noqa: S311 - the same resamples every time are the point
    resamples = [sum(random.choices(pairs, k=size)) for _ in range(RESAMPLES // 2)]
    sums = sorted(part for resample in resamples for part in (resample.real, resample.imag))
    outside = max(round((1 - confidence) / 2 * RESAMPLES), 1)
    ends = sums[outside - 1] / scale / size, sums[-outside] / scale / size
    # Where resamples have the mean itself, it is not excluded by the last digit of a sum of parts.
    observed = mean(differences)
    low, high = (observed if abs(end - observed) <= _TIE * largest else end for end in ends)
    return low, high
