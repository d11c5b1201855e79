"""How long the queries of an evaluation took, beside the latency metrics, which a bound may hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall.stats import mean, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Latency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long the measured queries took, in milliseconds.

    Attributes:
        mean, max: over the queries.
        p50, p95: nearest-rank percentiles.
        total: the sum over the queries; with several at once it is more than the time that passed.

    >>> Latency.of([1.0, 2.0, 6.0])
    Latency(mean=3.0, p50=2.0, p95=6.0, max=6.0, total=9.0)
    """

    mean: float
    p50: float
    p95: float
    max: float
    total: float

    @classmethod
    def of(cls, latencies_ms: Sequence[float]) -> Latency | None:
        """The figures of some queries, None where there are none.

        >>> Latency.of([1.0, 2.0, 6.0])
        Latency(mean=3.0, p50=2.0, p95=6.0, max=6.0, total=9.0)
        """
        if not latencies_ms:
            return None
        return cls(
            mean=mean(latencies_ms),
            p50=percentile(latencies_ms, 50),
            p95=percentile(latencies_ms, 95),
            max=max(latencies_ms),
            total=math.fsum(latencies_ms),
        )
