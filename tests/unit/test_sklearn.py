"""Scorers inside scikit-learn's own model selection."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_recall import (
    MetricError,
    MissingExtraError,
    RecallError,
    RetrievalError,
    mean_reciprocal_rank,
    ndcg_at_k,
    recall_at_k,
)
from pytest_recall.sklearn import get_retrieval_scorer, make_retrieval_scorer, scorer_backend_info

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.sklearn import ResponseMethod
    from tests.conftest import Require

DOCUMENTS = {"d1": "lease ends in may", "d2": "rent is due monthly", "d3": "the garden is shared"}
QUERIES = ["when does the lease end", "when is rent due", "who has the garden", "how many cats"]
# Found first, second (after d2, which shares more words), first, second (no document shares a word, d1 goes first).
RELEVANT = [["d1"], ["d3"], ["d3"], ["d2"]]


def ranking(query: str, top_k: int) -> list[str]:
    """Ids by the number of common words, then by id."""
    words = set(query.split())
    return sorted(DOCUMENTS, key=lambda id: (-len(words & set(DOCUMENTS[id].split())), id))[:top_k]


class Index:
    """No estimator: it has a search and nothing else."""

    def search(self, query: str) -> list[tuple[str, float]]:
        return [(id, 1.0) for id in ranking(query, 2)]


@pytest.fixture
def estimator(require: Require) -> Any:
    base = require.library("sklearn.base")

    class Retriever(base.BaseEstimator):  # type: ignore[misc, name-defined]  # the library may be absent
        calls: ClassVar[list[int]] = []

        def __init__(self, top_k: int = 2) -> None:
            self.top_k = top_k

        def fit(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002, N803
            return self

        def predict(self, X: Any) -> list[list[str]]:  # noqa: N803
            self.calls.append(len(X))
            return [ranking(query, self.top_k) for query in X]

        def search(self, query: str) -> list[str]:
            return ranking(query, self.top_k)

    return Retriever()


def test_predict_scores_as_the_function(estimator: Any) -> None:
    rankings = [ranking(query, 2) for query in QUERIES]

    assert make_retrieval_scorer(recall_at_k, k=1)(estimator, QUERIES, RELEVANT) == recall_at_k(RELEVANT, rankings, k=1)
    assert get_retrieval_scorer("ndcg@2")(estimator, QUERIES, RELEVANT) == ndcg_at_k(RELEVANT, rankings, k=2)


@pytest.mark.usefixtures("estimator")
def test_search_scores_a_bare_index() -> None:
    assert get_retrieval_scorer("recall@1", response_method="search")(Index(), QUERIES, RELEVANT) == 0.5


def test_a_loss_changes_its_sign(estimator: Any) -> None:
    methods: tuple[ResponseMethod, ...] = ("predict", "search")
    for method in methods:
        scorer = make_retrieval_scorer(recall_at_k, response_method=method, greater_is_better=False, k=1)

        assert scorer(estimator, QUERIES, RELEVANT) == -0.5


@pytest.mark.parametrize("method", ["predict", "search"])
def test_grid_search_over_top_k(method: Any, estimator: Any, require: Require) -> None:
    selection = require.library("sklearn.model_selection")
    scorer = get_retrieval_scorer("recall@1", response_method=method)
    search = selection.GridSearchCV(estimator, {"top_k": [1, 2]}, scoring=scorer, cv=2)

    search.fit(QUERIES, RELEVANT)

    # recall@1 does not see the second result, so both score (0.5 + 0.5) / 2 and the first wins.
    assert list(search.cv_results_["mean_test_score"]) == [0.5, 0.5]
    assert search.best_params_ == {"top_k": 1}


def test_two_scorers_share_one_predict(estimator: Any, require: Require) -> None:
    selection = require.library("sklearn.model_selection")
    scoring = {"recall": get_retrieval_scorer("recall@2"), "mrr": get_retrieval_scorer("mrr")}
    search = selection.GridSearchCV(estimator, {"top_k": [1, 2]}, scoring=scoring, refit="mrr", cv=2)
    estimator.calls.clear()

    search.fit(QUERIES, RELEVANT)

    assert estimator.calls == [2, 2, 2, 2]  # two values of top_k in two folds
    assert list(search.cv_results_["mean_test_recall"]) == [0.5, 1.0]


@pytest.mark.parametrize("method", ["predict", "search"])
def test_cross_validate(method: Any, estimator: Any, require: Require) -> None:
    selection = require.library("sklearn.model_selection")

    scores = selection.cross_validate(
        estimator, QUERIES, RELEVANT, scoring={"mrr": get_retrieval_scorer("mrr", response_method=method)}, cv=2
    )

    assert list(scores["test_mrr"]) == [0.75, 0.75]  # (1 + 1/2) / 2 in both folds


@pytest.mark.parametrize("method", ["predict", "search"])
def test_columns_of_a_table_are_paired_by_position(method: Any, estimator: Any, require: Require) -> None:
    pandas, selection = require.library("pandas"), require.library("sklearn.model_selection")
    table = pandas.DataFrame({"query": QUERIES, "relevant": RELEVANT}, index=[7, 5, 3, 1])

    scores = selection.cross_val_score(
        estimator,
        table["query"],
        table["relevant"],
        scoring=get_retrieval_scorer("mrr", response_method=method),
        cv=2,
        error_score="raise",
    )

    assert list(scores) == [0.75, 0.75]


class Returning:
    """Finds the same for every query."""

    def __init__(self, returned: Any) -> None:
        self.returned = returned

    def search(self, _: str) -> Any:
        return self.returned


@pytest.mark.usefixtures("estimator")
@pytest.mark.parametrize("relevant", [[2], {2: 1, 9: 0}, {2}, ["2"]])
@pytest.mark.parametrize("returned", [[1, 2], ["1", "2"]])
def test_search_finds_numbered_memories_as_number_and_as_text(returned: Any, relevant: Any) -> None:
    assert get_retrieval_scorer("mrr", response_method="search")(Returning(returned), ["lease"], [relevant]) == 0.5


@pytest.mark.usefixtures("estimator")
def test_search_takes_arrays(require: Require) -> None:
    numpy = require.library("numpy")
    scorer = get_retrieval_scorer("mrr", response_method="search")

    assert scorer(Returning(numpy.array([1, 2])), numpy.array(["lease"]), numpy.array([[2]])) == 0.5


@pytest.mark.usefixtures("estimator")
def test_degraded_response_is_no_score() -> None:
    index = Returning({"results": ["a"], "status": "error"})

    with pytest.raises(RetrievalError, match=r"^the response is degraded: its status is 'error', not 'success' "):
        get_retrieval_scorer("mrr", response_method="search")(index, ["lease"], [["a"]])
    scorer = get_retrieval_scorer("mrr", response_method="search", on_degraded="warn")
    with pytest.warns(UserWarning, match=r"^1 degraded response scored all the same, by status: 'error' 1$"):
        assert scorer(index, ["lease"], [["a"]]) == 1


class WithK:
    """Finds only as much as it is asked for."""

    def search(self, query: str, k: int) -> list[str]:
        return ranking(query, 3)[:k]


@pytest.mark.usefixtures("estimator")
def test_search_hands_k_to_an_index_that_has_a_place_for_it() -> None:
    # By QUERIES the last d2 is second, so that only a k of 1 misses it.
    assert get_retrieval_scorer("hit_rate@1", response_method="search")(WithK(), QUERIES[3:], RELEVANT[3:]) == 0
    assert get_retrieval_scorer("mrr", response_method="search")(WithK(), QUERIES[3:], RELEVANT[3:]) == 0.5
    assert make_retrieval_scorer(hit_length, k=2, response_method="search")(WithK(), QUERIES[:1], RELEVANT[:1]) == 2


def hit_length(_: Any, runs: Any, k: int) -> float:  # noqa: ARG001
    return float(len(runs[0]))


@pytest.mark.usefixtures("estimator")
def test_what_can_not_be_searched_is_named() -> None:
    scorer = get_retrieval_scorer("mrr", response_method="search")

    with pytest.raises(
        RetrievalError, match=r"^a 'search' scorer asks estimator\.search\(query\), which object has not$"
    ):
        scorer(object(), ["lease"], [["a"]])
    with pytest.raises(RecallError, match=r"^X hold 1 query and y 2; by position they must match$"):
        scorer(Returning(["a"]), ["lease"], [["a"], ["b"]])


@pytest.mark.usefixtures("estimator")
def test_scorers_show_how_they_were_made() -> None:
    scorer = make_retrieval_scorer(recall_at_k, k=1, response_method="search")

    assert repr(scorer) == "make_retrieval_scorer(recall_at_k, response_method='search', k=1)"
    assert "recall_at_k" in repr(make_retrieval_scorer(recall_at_k, k=1))


def test_predict_scorers_take_requests(require: Require) -> None:
    sklearn = require.library("sklearn")
    with sklearn.config_context(enable_metadata_routing=True):
        scorer: Any = get_retrieval_scorer("mrr")

        assert scorer.set_score_request(gain=True) is scorer


@pytest.mark.parametrize("method", ["predict", "search"])
def test_scorers_travel_to_other_processes(method: Any, estimator: Any) -> None:
    scorer = get_retrieval_scorer("mrr", response_method=method)

    assert pickle.loads(pickle.dumps(scorer))(estimator, QUERIES, RELEVANT) == scorer(estimator, QUERIES, RELEVANT)  # noqa: S301


def test_what_makes_the_scorers(require: Require) -> None:
    sklearn = require.library("sklearn")

    info = scorer_backend_info()

    assert info == {"library": "scikit-learn", "version": sklearn.__version__, "base_class": info["base_class"]}
    assert info["base_class"].startswith("sklearn.metrics.")


@pytest.mark.usefixtures("estimator")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: make_retrieval_scorer(recall_at_k, response_method="serch"),  # type: ignore[arg-type]
            "response_method must be 'predict' or 'search', got 'serch' (did you mean 'search'?)",
        ),
        (
            lambda: make_retrieval_scorer(None),  # type: ignore[arg-type]
            "score_func must be a function of judgments and rankings, not NoneType",
        ),
        (
            lambda: make_retrieval_scorer("mrr"),  # type: ignore[arg-type]
            (
                "score_func must be a function of judgments and rankings, not str "
                "(get_retrieval_scorer takes a metric's name)"
            ),
        ),
        (lambda: make_retrieval_scorer(recall_at_k, k=0), "k must be a whole number from 1, got 0"),
        (
            lambda: make_retrieval_scorer(recall_at_k, kk=3),
            "unknown option 'kk' of a scorer (did you mean 'k'?)",
        ),
        (lambda: make_retrieval_scorer(mean_reciprocal_rank, k=3), "unknown option 'k' of a scorer"),
        (
            lambda: make_retrieval_scorer(recall_at_k, average="x"),
            "average is always 'mean' here, for a score is one number; leave it out",
        ),
        (
            lambda: make_retrieval_scorer(recall_at_k, zero_division=7),
            "zero_division must be 'warn', 0.0, 1.0 or nan, got 7",
        ),
        (
            lambda: make_retrieval_scorer(hit_length, k=3, kk=3),
            "hit_length(qrels, runs, k=…, kk=…) can't be called: got an unexpected keyword argument 'kk'",
        ),
        (lambda: get_retrieval_scorer("ndgc@10"), "unknown metric 'ndgc@10' (did you mean 'ndcg@10'?)"),
        (lambda: get_retrieval_scorer(5), "a metric is named by a text such as 'mrr', got 5"),  # type: ignore[arg-type]
        (lambda: get_retrieval_scorer(["mrr"]), "a metric is named by a text such as 'mrr', got ['mrr']"),  # type: ignore[arg-type]
        (
            lambda: get_retrieval_scorer("negative_accuracy"),
            "'negative_accuracy' is no metric of a ranking alone; it is computed over a suite",
        ),
        (lambda: get_retrieval_scorer("mrr", k=3), "unknown option 'k' of a scorer"),
        (
            lambda: get_retrieval_scorer("mrr", zero_divison=1),
            "unknown option 'zero_divison' of a scorer (did you mean 'zero_division'?)",
        ),
        (
            lambda: get_retrieval_scorer("mrr", average=None),
            "average is always 'mean' here, for a score is one number; leave it out",
        ),
        (lambda: get_retrieval_scorer("mrr", gain="x"), "gain must be 'linear' or 'exponential', got 'x'"),
        (
            lambda: get_retrieval_scorer("mrr", on_degraded="ignore"),  # type: ignore[arg-type]
            "on_degraded must be 'error' or 'warn', got 'ignore'",
        ),
        (
            lambda: get_retrieval_scorer("mrr", on_degraded="warn"),
            "on_degraded is for a 'search' scorer: what predict returns are ids, without a status",
        ),
    ],
)
def test_what_means_nothing_is_refused_when_a_scorer_is_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MetricError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.usefixtures("estimator")
def test_a_function_that_does_not_say_what_it_takes_is_left_alone() -> None:
    # Whoever calls it will be told.
    assert callable(make_retrieval_scorer(max, key=len))


@pytest.mark.parametrize("make", [lambda: get_retrieval_scorer("mrr", response_method="search"), scorer_backend_info])
def test_without_the_library_one_sentence_tells(make: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)

    with pytest.raises(MissingExtraError) as caught:
        make()

    assert (
        str(caught.value) == "scikit-learn's scorers need what is not installed: pip install 'pytest-recall[sklearn]'"
    )


def test_importing_the_module_does_not_import_the_library() -> None:
    code = "import sys, pytest_recall.sklearn; print('sklearn' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ([["d1"]], "y hold 1 query and what predict returned 2; by position they must match"),
        (None, "y must be a mapping by query id or a sequence by position, not NoneType"),
    ],
)
def test_a_predict_scorer_names_what_it_was_given(estimator: Any, judged: Any, message: str) -> None:
    with pytest.raises(RecallError) as refused:
        get_retrieval_scorer("mrr")(estimator, ["one", "two"], judged)
    assert str(refused.value) == message
