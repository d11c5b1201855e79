"""Scorers for scikit-learn, so that its model selection can tune a retriever."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pytest_recall.errors import MetricError, MissingExtraError, did_you_mean
from pytest_recall.metrics import parse_metric
from pytest_recall.retrieval import ResultReader, open_returned
from pytest_recall.scoring import ranking_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

__all__ = [
    "ResponseMethod",
    "RetrievalScorer",
    "get_retrieval_scorer",
    "make_retrieval_scorer",
    "scorer_backend_info",
]

ResponseMethod = Literal["predict", "search"]
"""How a scorer asks: for all rankings at once, or query by query."""


class RetrievalScorer(Protocol):
    """What scikit-learn takes as ``scoring``: called with an estimator, queries, and the judgments of each query.

    >>> scorer: RetrievalScorer = get_retrieval_scorer("mrr", response_method="search")
    >>> class Index:
    ...     def search(self, query):
    ...         return ["d1", "d2"]
    >>> scorer(Index(), ["lease end"], [["d2"]])
    0.5
    """

    def __call__(self, estimator: Any, X: Sequence[Any], y: Sequence[Any]) -> float: ...  # noqa: N803  # theirs


def make_retrieval_scorer(
    score_func: Callable[..., float],
    *,
    response_method: ResponseMethod = "predict",
    greater_is_better: bool = True,
    **kwargs: Any,
) -> RetrievalScorer:
    """A scorer from a function of judgments and rankings, such as `recall_at_k`.

    Args:
        score_func: called as ``score_func(qrels, runs, **kwargs)``, both sides by position.
        response_method: "predict" asks ``estimator.predict(queries)`` for all rankings at once, and several scorers
            share one call; "search" asks ``estimator.search(query)`` for each query, so that a bare index can be
            scored, and takes whatever a retriever may return.
        greater_is_better: False turns the sign of a loss.
        **kwargs: handed to `score_func`.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        MetricError: an unknown response method.

    >>> from pytest_recall import recall_at_k
    >>> scorer = make_retrieval_scorer(recall_at_k, k=2, response_method="search")
    >>> class Index:
    ...     def search(self, query):
    ...         return ["d1", "d2"]
    >>> scorer(Index(), ["lease end"], [{"d2", "d3"}])
    0.5
    """
    metrics = _sklearn_metrics()
    if response_method == "search":
        return _SearchScorer(score_func=score_func, sign=1 if greater_is_better else -1, kwargs=kwargs)
    if response_method != "predict":
        hint = did_you_mean(str(response_method), ("predict", "search"))
        raise MetricError(f"response_method must be 'predict' or 'search', got {response_method!r:.80}{hint}")
    scorer: RetrievalScorer = metrics.make_scorer(
        score_func, response_method="predict", greater_is_better=greater_is_better, **kwargs
    )
    return scorer


def get_retrieval_scorer(
    metric: str, *, response_method: ResponseMethod = "predict", **options: Any
) -> RetrievalScorer:
    """A scorer from the name of a ranking metric.

    Args:
        metric: such as ``mrr`` or ``ndcg@10``.
        response_method: as for `make_retrieval_scorer`.
        **options: the keywords of `ranking_metrics`, such as ``zero_division=0.0``.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        MetricError: an unknown metric or response method.

    >>> class Index:
    ...     def search(self, query):
    ...         return ["d1", "d2"]
    >>> get_retrieval_scorer("mrr", response_method="search")(Index(), ["lease end"], [["d2"]])
    0.5
    """
    name = str(parse_metric(metric))
    return make_retrieval_scorer(_score_metric, response_method=response_method, metric=name, **options)


def scorer_backend_info() -> dict[str, str]:
    """What makes the scorers: the version of scikit-learn, and the class that they are derived from.

    Raises:
        MissingExtraError: scikit-learn is not installed.

    >>> scorer_backend_info()["library"]
    'scikit-learn'
    """
    import sklearn  # noqa: PLC0415

    base = type(_sklearn_metrics().make_scorer(_score_metric)).__mro__[1]
    return {
        "library": "scikit-learn",
        "version": sklearn.__version__,
        "base_class": f"{base.__module__}.{base.__qualname__}",
    }


def _score_metric(qrels: Any, runs: Any, *, metric: str, **options: Any) -> float:
    """The mean of one metric; a function of a module, so that scorers can be sent to other processes."""
    means: dict[str, float] = ranking_metrics(qrels, runs, metrics=[metric], **options)
    return means[metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchScorer:
    """Asks an index query by query."""

    score_func: Callable[..., float]
    sign: int
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Sequence[Any], y: Sequence[Any]) -> float:  # noqa: N803  # theirs
        reader = ResultReader()
        runs = [reader.read([*open_returned(estimator.search(query)).results])[0] for query in X]
        return self.sign * self.score_func(y, runs, **self.kwargs)


def _sklearn_metrics() -> ModuleType:
    try:
        import sklearn.metrics  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("scikit-learn's scorers", "sklearn") from None
    module: ModuleType = sklearn.metrics
    return module
