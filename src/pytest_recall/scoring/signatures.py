"""What the functions take and give, for type checkers: the mean is a number, without it each query has a value."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypedDict, overload

from pytest_recall.evaluation import Duplicates
from pytest_recall.metrics import Gain
from pytest_recall.scoring.pairing import Unpaired

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["AtK", "Options", "PerQuery", "Qrels", "RankingMetrics", "Runs", "Whole", "ZeroDivision"]

Judged: TypeAlias = "Collection[str] | Collection[int] | Mapping[str, float] | Mapping[int, float]"
Ranked: TypeAlias = "Sequence[str] | Sequence[int]"
Qrels: TypeAlias = "Mapping[str, Judged] | Mapping[int, Judged] | Sequence[Judged]"
Runs: TypeAlias = "Mapping[str, Ranked] | Mapping[int, Ranked] | Sequence[Ranked]"
PerQuery: TypeAlias = "dict[Hashable, float] | list[float]"
ZeroDivision: TypeAlias = "Literal['warn'] | float"


class Options(TypedDict, total=False):
    """The keywords of every function; `ranking_metrics` explains them."""

    zero_division: ZeroDivision
    duplicates: Duplicates
    relevance_threshold: float
    gain: Gain
    unpaired: Unpaired


class AtK(Protocol):
    """A metric of the first k ids."""

    @overload
    def __call__(
        self, qrels: Qrels, runs: Runs, k: int = 5, *, average: Literal["mean"] = "mean", **options: Unpack[Options]
    ) -> float: ...
    @overload
    def __call__(
        self, qrels: Qrels, runs: Runs, k: int = 5, *, average: None, **options: Unpack[Options]
    ) -> PerQuery: ...


class Whole(Protocol):
    """A metric of the whole ranking."""

    @overload
    def __call__(
        self, qrels: Qrels, runs: Runs, *, average: Literal["mean"] = "mean", **options: Unpack[Options]
    ) -> float: ...
    @overload
    def __call__(self, qrels: Qrels, runs: Runs, *, average: None, **options: Unpack[Options]) -> PerQuery: ...


class RankingMetrics(Protocol):
    """Several metrics."""

    @overload
    def __call__(
        self,
        qrels: Qrels,
        runs: Runs,
        *,
        metrics: Iterable[str],
        average: Literal["mean"] = "mean",
        **options: Unpack[Options],
    ) -> dict[str, float]: ...
    @overload
    def __call__(
        self, qrels: Qrels, runs: Runs, *, metrics: Iterable[str], average: None, **options: Unpack[Options]
    ) -> dict[str, PerQuery]: ...
