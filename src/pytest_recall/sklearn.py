"""Scorers for scikit-learn, so that its model selection can tune a retriever."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from pytest_recall.errors import MetricError, MissingExtraError, RetrievalError, did_you_mean
from pytest_recall.retrieval import Caller, OnDegraded, ResultReader, Statuses, open_returned
from pytest_recall.scoring import functions, ranking_metrics
from pytest_recall.scoring.options import check_choice, check_options, cutoff, metrics_named
from pytest_recall.scoring.pairing import Sides, in_order, pair
from pytest_recall.scoring.reading import read_grades

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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

K = 10
"""How many results an index is asked for whose metric has no cutoff."""

# Those of one metric: what they take is known.
_OURS: tuple[Callable[..., Any], ...] = (
    functions.hit_rate_at_k,
    functions.mean_average_precision,
    functions.mean_reciprocal_rank,
    functions.ndcg_at_k,
    functions.precision_at_k,
    functions.r_precision,
    functions.recall_at_k,
)

JUDGED_X = Sides("X", "y", "each query needs judgments, [] where nothing should come back")
JUDGED_PREDICTED = Sides("y", "what predict returned", "it needs a ranking for each query")


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
    on_degraded: OnDegraded = "error",
    **kwargs: Any,
) -> RetrievalScorer:
    """A scorer from a function of judgments and rankings, such as `recall_at_k`.

    Args:
        score_func: called as ``score_func(qrels, runs, **kwargs)``, both sides by position; of a "search" scorer all
            ids are text.
        response_method: "predict" asks ``estimator.predict(queries)`` for all rankings at once, and several scorers
            share one call; "search" asks ``estimator.search(query)`` for each query, so that a bare index can be
            scored, and takes whatever a retriever may return. Where it has a place for k, it gets the `k` of
            `kwargs`, else 10.
        greater_is_better: False turns the sign of a loss.
        on_degraded: what `search` returns with a status that is no success is an "error", or is scored with a warning
            ("warn").
        **kwargs: handed to `score_func`.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        MetricError: `score_func` is no function, or an option means nothing.

    >>> from pytest_recall import recall_at_k
    >>> scorer = make_retrieval_scorer(recall_at_k, k=2, response_method="search")
    >>> class Index:
    ...     def search(self, query):
    ...         return ["d1", "d2"]
    >>> scorer(Index(), ["lease end"], [{"d2", "d3"}])
    0.5
    """
    if not callable(score_func):
        hint = " (get_retrieval_scorer takes a metric's name)" if isinstance(score_func, str) else ""
        raise MetricError(f"score_func must be a function of judgments and rankings, not {_kind(score_func)}{hint}")
    if any(score_func is each for each in _OURS):
        _check_ours(score_func, kwargs)
    else:
        _check_call(score_func, kwargs)
    return _scorer(score_func, response_method, on_degraded, kwargs, sign=1 if greater_is_better else -1)


def get_retrieval_scorer(
    metric: str, *, response_method: ResponseMethod = "predict", on_degraded: OnDegraded = "error", **options: Any
) -> RetrievalScorer:
    """A scorer from the name of a ranking metric.

    Args:
        metric: such as ``mrr`` or ``ndcg@10``; an index whose `search` has a place for k is asked for as many results
            as the cutoff, else for 10.
        response_method: as for `make_retrieval_scorer`.
        on_degraded: as for `make_retrieval_scorer`.
        **options: the keywords of `ranking_metrics`, such as ``zero_division=0.0``; a score is always the mean.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        MetricError: an unknown metric, or an option that means nothing.

    >>> class Index:
    ...     def search(self, query):
    ...         return ["d1", "d2"]
    >>> get_retrieval_scorer("mrr", response_method="search")(Index(), ["lease end"], [["d2"]])
    0.5
    """
    (parsed,) = metrics_named([metric]).values()
    _check_names(options)
    check_options(**options)
    kwargs = {"metric": str(parsed), **options}
    return _scorer(_score_metric, response_method, on_degraded, kwargs, k=parsed.cutoff or K)


def scorer_backend_info() -> dict[str, str]:
    """What makes the scorers: the version of scikit-learn, and the class that they are derived from.

    Raises:
        MissingExtraError: scikit-learn is not installed.

    >>> scorer_backend_info()["library"]
    'scikit-learn'
    """
    base = type(_sklearn_metrics().make_scorer(_score_metric)).__mro__[1]
    import sklearn  # noqa: PLC0415  # an extra, which is there

    return {
        "library": "scikit-learn",
        "version": sklearn.__version__,
        "base_class": f"{base.__module__}.{base.__qualname__}",
    }


def _scorer(
    score_func: Callable[..., float],
    response_method: ResponseMethod,
    on_degraded: OnDegraded,
    kwargs: Mapping[str, Any],
    *,
    sign: Literal[1, -1] = 1,
    k: int | None = None,
) -> RetrievalScorer:
    metrics = _sklearn_metrics()
    check_choice("on_degraded", on_degraded, get_args(OnDegraded))
    if response_method == "search":
        asked = k or kwargs.get("k", K)
        return _SearchScorer(score_func=score_func, sign=sign, k=asked, on_degraded=on_degraded, kwargs=kwargs)
    if response_method != "predict":
        hint = did_you_mean(str(response_method), ("predict", "search"))
        raise MetricError(f"response_method must be 'predict' or 'search', got {response_method!r:.80}{hint}")
    if on_degraded != "error":
        raise MetricError("on_degraded is for a 'search' scorer: what predict returns are ids, without a status")
    scorer: RetrievalScorer = metrics.make_scorer(
        _InOrder(score_func), response_method="predict", greater_is_better=sign == 1, **kwargs
    )
    return scorer


def _check_ours(score_func: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """See that a function of ours can be called with these options."""
    options, takes_k = dict(kwargs), "k" in signature(score_func).parameters
    if takes_k and "k" in options:
        cutoff(options.pop("k"))
    _check_names(options, *(["k"] if takes_k else []))
    check_options(**options)


def _check_call(score_func: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """See that a function of others can be called, as far as it says what it takes."""
    try:
        called = signature(score_func)
    except ValueError:
        return
    try:
        called.bind(None, None, **kwargs)
    except TypeError as error:
        names = "".join(f", {name}=…" for name in kwargs)
        raise MetricError(f"{_name(score_func)}(qrels, runs{names}) can't be called: {error}") from None


def _check_names(options: Mapping[str, Any], *more: str) -> None:
    known = (*signature(check_options).parameters, *more)
    for name in options:
        if name == "average":
            raise MetricError("average is always 'mean' here, for a score is one number; leave it out")
        if name not in known:
            raise MetricError(f"unknown option {name!r:.80} of a scorer{did_you_mean(name, known)}")


def _score_metric(qrels: Any, runs: Any, *, metric: str, **options: Any) -> float:
    """The mean of one metric; a function of a module, so that scorers can be sent to other processes."""
    means: dict[str, float] = ranking_metrics(qrels, runs, metrics=[metric], **options)
    return means[metric]


@dataclass(frozen=True, slots=True)
class _InOrder:
    """Scores by position, as scikit-learn pairs its two sides, even where a column has an index."""

    score_func: Callable[..., float]

    @property
    def __name__(self) -> str:
        """What scikit-learn shows of a function."""
        return _name(self.score_func)

    def __call__(self, y: Any, predicted: Any, **kwargs: Any) -> float:
        _, qrels, runs = pair(in_order(y), in_order(predicted), "error", JUDGED_PREDICTED)
        return self.score_func(qrels, runs, **kwargs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchScorer:
    """Asks an index query by query."""

    score_func: Callable[..., float]
    sign: int
    k: int
    on_degraded: OnDegraded
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Sequence[Any], y: Sequence[Any]) -> float:  # noqa: N803  # theirs
        search = getattr(estimator, "search", None)
        if not callable(search):
            raise RetrievalError(f"a 'search' scorer asks estimator.search(query), which {_kind(estimator)} has not")
        caller, reader, statuses = Caller.of(search), ResultReader(), Statuses(self.on_degraded)
        _, queries, judged = pair(in_order(X), in_order(y), "error", JUDGED_X)
        qrels = [_as_text(f"query {position} in y", each) for position, each in enumerate(judged)]
        runs = []
        for query in queries:
            opened = open_returned(caller(query, self.k, {}))
            statuses.check(opened.status)
            runs.append([*reader.read([*opened.results])[0]])
        for note in statuses.notes:
            warnings.warn(note, stacklevel=2)
        return self.sign * self.score_func(qrels, runs, **self.kwargs)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.kwargs.items())
        loss = "" if self.sign == 1 else ", greater_is_better=False"
        return f"make_retrieval_scorer({_name(self.score_func)}, response_method='search'{loss}{options})"


def _as_text(what: str, judged: Any) -> Any:
    """Judgments whose ids are text, as results are read, so that 7 finds a result 7 and a result "7"."""
    grades = read_grades(what, judged)
    if isinstance(judged, Mapping):
        return {str(id): grade for id, grade in grades.items()}
    return [*map(str, grades)]


def _kind(value: object) -> str:
    return type(value).__name__


def _name(function: Callable[..., float]) -> str:
    return getattr(function, "__name__", _kind(function))


def _sklearn_metrics() -> ModuleType:
    try:
        import sklearn.metrics  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("scikit-learn's scorers", "sklearn") from None
    module: ModuleType = sklearn.metrics
    return module
