"""What the functions take and give, for type checkers: the mean is a number, without it each query has a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from pytest_recall.metrics import Gain
    from pytest_recall.scoring.pairing import Unpaired
    from pytest_recall.settings import Duplicates

__all__ = ["Array", "AtK", "Judged", "Options", "Qrels", "Ranked", "RankingMetrics", "Runs", "Whole", "ZeroDivision"]

Query = TypeVar("Query")


class Array(Protocol):
    """A numpy array or a pandas Series."""

    def __array__(self) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...


Judged: TypeAlias = "Collection[str] | Collection[int] | Mapping[str, float] | Mapping[int, float]"
Ranked: TypeAlias = "Sequence[str] | Sequence[int] | Array"
JudgedInOrder: TypeAlias = "Sequence[Judged] | Array"
RankedInOrder: TypeAlias = "Sequence[Ranked] | Array"
Qrels: TypeAlias = "Mapping[Query, Judged] | JudgedInOrder"
Runs: TypeAlias = "Mapping[Query, Ranked] | RankedInOrder"
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
        self,
        qrels: Qrels[Query],
        runs: Runs[Query],
        k: int = 5,
        *,
        average: Literal["mean"] = "mean",
        **options: Unpack[Options],
    ) -> float: ...
    @overload
    def __call__(
        self,
        qrels: Mapping[Query, Judged],
        runs: Mapping[Query, Ranked],
        k: int = 5,
        *,
        average: None,
        **options: Unpack[Options],
    ) -> dict[Query, float]: ...
    @overload
    def __call__(
        self, qrels: JudgedInOrder, runs: RankedInOrder, k: int = 5, *, average: None, **options: Unpack[Options]
    ) -> list[float]: ...


class Whole(Protocol):
    """A metric of the whole ranking."""

    @overload
    def __call__(
        self,
        qrels: Qrels[Query],
        runs: Runs[Query],
        *,
        average: Literal["mean"] = "mean",
        **options: Unpack[Options],
    ) -> float: ...
    @overload
    def __call__(
        self,
        qrels: Mapping[Query, Judged],
        runs: Mapping[Query, Ranked],
        *,
        average: None,
        **options: Unpack[Options],
    ) -> dict[Query, float]: ...
    @overload
    def __call__(
        self, qrels: JudgedInOrder, runs: RankedInOrder, *, average: None, **options: Unpack[Options]
    ) -> list[float]: ...


class RankingMetrics(Protocol):
    """Several metrics."""

    @overload
    def __call__(
        self,
        qrels: Qrels[Query],
        runs: Runs[Query],
        *,
        metrics: Iterable[str],
        average: Literal["mean"] = "mean",
        **options: Unpack[Options],
    ) -> dict[str, float]: ...
    @overload
    def __call__(
        self,
        qrels: Mapping[Query, Judged],
        runs: Mapping[Query, Ranked],
        *,
        metrics: Iterable[str],
        average: None,
        **options: Unpack[Options],
    ) -> dict[str, dict[Query, float]]: ...
    @overload
    def __call__(
        self,
        qrels: JudgedInOrder,
        runs: RankedInOrder,
        *,
        metrics: Iterable[str],
        average: None,
        **options: Unpack[Options],
    ) -> dict[str, list[float]]: ...
