"""How alike two rankings are, whatever is relevant in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["rank_biased_overlap"]

PERSISTENCE = 0.9
"""The chance that a reader goes on to the next rank; the first ten ranks then weigh 86 %."""


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float = PERSISTENCE) -> float:
    """Extrapolated rank-biased overlap, from 0 (nothing in common) to 1 (equal as far as both go).

    With s and l the lengths of the shorter and the longer ranking and X_d how many ids their first d share::

        (1 - p) · (Σ_{d=1..l} p^(d-1) · X_d / d + Σ_{d=s+1..l} p^(d-1) · X_s · (d - s) / (s · d))
        + p^l · ((X_l - X_s) / l + X_s / s)

    It is RBO_EXT, equation 32 of Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28
    (4), 2010. Two empty rankings are equal; an empty one has nothing in common with any other.

    ``a b`` against ``b a``: 0.1 · (0/1 + 0.9 · 2/2) + 0.81 · (0/2 + 2/2) = 0.9.

    Args:
        one: ids, best first, none twice.
        other: likewise.
        p: above 0 and below 1; the smaller, the more the first ranks weigh.
    """
    if not one or not other:
        return 1.0 if len(one) == len(other) else 0.0
    s, l = sorted((len(one), len(other)))  # noqa: E741  # the letters of the paper
    shared = _shared(one, other, l)
    x_s, x_l = shared[s - 1], shared[l - 1]
    terms = [p ** (d - 1) * shared[d - 1] / d for d in range(1, l + 1)]
    terms += [p ** (d - 1) * x_s * (d - s) / (s * d) for d in range(s + 1, l + 1)]
    return (1 - p) * math.fsum(terms) + p**l * ((x_l - x_s) / l + x_s / s)


def _shared(one: Sequence[str], other: Sequence[str], depth: int) -> list[int]:
    """How many ids the first 1, 2, … of two rankings share."""
    seen: tuple[set[str], set[str]] = (set(), set())
    shared, counts = 0, []
    for rank in range(depth):
        for mine, ranking, theirs in ((seen[0], one, seen[1]), (seen[1], other, seen[0])):
            if rank < len(ranking):
                mine.add(ranking[rank])
                shared += ranking[rank] in theirs
        counts.append(shared)
    return counts
