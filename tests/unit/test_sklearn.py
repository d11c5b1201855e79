"""Scorers inside scikit-learn's own model selection."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_recall import MetricError, MissingExtraError, ndcg_at_k, recall_at_k
from pytest_recall.sklearn import get_retrieval_scorer, make_retrieval_scorer, scorer_backend_info

if TYPE_CHECKING:
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
def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(
        MetricError, match=r"^response_method must be 'predict' or 'search', got 'serch' \(did you mean 'search'\?\)$"
    ):
        make_retrieval_scorer(recall_at_k, response_method="serch")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match=r"did you mean 'ndcg@10'"):
        get_retrieval_scorer("ndgc@10")


def test_without_the_library_one_sentence_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)

    with pytest.raises(MissingExtraError) as caught:
        get_retrieval_scorer("mrr", response_method="search")

    assert (
        str(caught.value) == "scikit-learn's scorers need what is not installed: pip install 'pytest-recall[sklearn]'"
    )


def test_importing_the_module_does_not_import_the_library() -> None:
    code = "import sys, pytest_recall.sklearn; print('sklearn' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "False\n"
