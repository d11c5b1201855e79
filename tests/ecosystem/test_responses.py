"""What real libraries return, handed over as it is: which ids are read, in which order, and what is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.evaluation import Policy
from pytest_recall.retrieval import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Require

# Their own warnings are not ours to mend.
pytestmark = pytest.mark.filterwarnings("default")


def ranking(returned: object, **policy: Any) -> tuple[str, ...]:
    return Reader(3, Policy(**policy)).read(returned, "q").ranking


def error_of(returned: object, **policy: Any) -> str:
    with pytest.raises(RetrievalError) as caught:
        ranking(returned, **policy)
    return str(caught.value)


NO_SCORES = "min_score needs scores, and '2' came back without one"

HITS = {"hits": {"total": {"value": 2}, "hits": [{"_id": "2", "_score": 1.5}, {"_id": "1", "_score": 0.5}]}}


def test_elasticsearch(require: Require) -> None:
    transport = require.library("elastic_transport")
    response = transport.ObjectApiResponse(body=HITS, meta=None)
    assert ranking(response) == ("2", "1")
    assert ranking(response, min_score=1) == ("2",)


def test_elasticsearch_dsl(require: Require) -> None:
    require.library("elasticsearch")
    dsl = require.library("elasticsearch.dsl")
    response = require.library("elasticsearch.dsl.response").Response(dsl.Search(), HITS)
    assert ranking(response) == ("2", "1")
    assert ranking(response, min_score=1) == ("2",)


@pytest.fixture
def faiss_index(require: Require) -> Any:
    faiss, np = require.library("faiss"), require.library("numpy")
    index = faiss.IndexIDMap(faiss.IndexFlatL2(2))
    index.add_with_ids(np.array([[0, 1], [1, 0]], dtype="float32"), np.array([1, 2]))
    return lambda k: index.search(np.array([[1, 0]], dtype="float32"), k)


def test_faiss_pads_with_what_is_no_id(faiss_index: Any) -> None:
    distances, ids = faiss_index(5)
    assert ids.tolist() == [[2, 1, -1, -1, -1]]
    for returned in ((distances, ids), (ids, distances), (distances[0], ids[0]), ids, ids[0]):
        assert ranking(returned) == ("2", "1")
    assert error_of((distances, ids), min_score=0) == NO_SCORES


def test_faiss_of_several_queries_is_an_error(require: Require, faiss_index: Any) -> None:
    np = require.library("numpy")
    distances, ids = faiss_index(2)
    several = np.vstack([distances, distances]), np.vstack([ids, ids])
    assert error_of(several) == "the results of 2 queries came back, and one was asked"
    assert error_of((ids, ids)) == ("two arrays came back, and either may be the ids; return the ids alone, or pairs")


def test_bm25s(require: Require) -> None:
    bm25s = require.library("bm25s")
    index = bm25s.BM25()
    texts = ["the bird sings", "a cat sleeps", "dogs bark"]
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    tokens = bm25s.tokenize("cat", show_progress=False)
    places = index.retrieve(tokens, k=3, show_progress=False)
    assert ranking(places)[0] == "1"
    assert ranking(places, min_score=0.001) == ("1",)
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts, 7)]
    assert ranking(index.retrieve(tokens, corpus=rows, k=3, show_progress=False), min_score=0.001) == ("8",)


def test_chroma(require: Require) -> None:
    chromadb = require.library("chromadb")
    collection = chromadb.EphemeralClient().get_or_create_collection("responses", embedding_function=None)
    collection.upsert(ids=["1", "2"], embeddings=[[0.0, 1.0], [1.0, 0.0]], documents=["one", "two"])
    found = collection.query(query_embeddings=[[1.0, 0.0]], n_results=2)
    assert ranking(found) == ("2", "1")
    assert error_of(found, min_score=0) == NO_SCORES
    both = collection.query(query_embeddings=[[1.0, 0.0], [0.0, 1.0]], n_results=2)
    assert error_of(both) == "the results of 2 queries came back, and one was asked"


def test_lancedb(require: Require, tmp_path: Path) -> None:
    lancedb = require.library("lancedb")
    rows = [{"id": 1, "vector": [0.0, 1.0], "text": "one"}, {"id": 2, "vector": [1.0, 0.0], "text": "two"}]
    table = lancedb.connect(tmp_path).create_table("rows", rows)
    search = table.search([1.0, 0.0]).limit(2)
    for returned in (search.to_list(), search.to_arrow(), search.to_pandas()):
        assert ranking(returned) == ("2", "1")
        assert error_of(returned, min_score=0) == NO_SCORES
    assert error_of(search.select(["text"]).to_pandas()) == (
        "a result of type dict (keys: text, _distance) has no id; "
        "accepted are ids, (id, score) pairs, a mapping id -> score, or objects with an id"
    )
    assert error_of(search).startswith("the retriever returned an object of type LanceVectorQueryBuilder")


def test_langchain(require: Require) -> None:
    document = require.library("langchain_core.documents").Document
    named = [document(page_content="", id="2"), document(page_content="", id="1")]
    assert ranking(named) == ("2", "1")
    assert ranking([(each, 0.5) for each in named], min_score=0.5) == ("2", "1")
    chunks = [document(page_content="", metadata={"source": name}) for name in ("b.md", "b.md", "a.md")]
    assert ranking(chunks, duplicates="first") == ("b.md", "a.md")


def test_llama_index(require: Require) -> None:
    schema = require.library("llama_index.core.schema")
    nodes = [schema.NodeWithScore(node=schema.TextNode(id_=id), score=score) for id, score in (("2", 0.9), ("1", 0.1))]
    assert ranking(nodes) == ("2", "1")
    assert ranking(nodes, min_score=0.5) == ("2",)


def test_haystack(require: Require) -> None:
    document = require.library("haystack").Document
    documents = [document(id="2", content="", score=0.9), document(id="1", content="", score=0.1)]
    assert ranking({"documents": documents}) == ("2", "1")
    assert ranking({"documents": documents}, min_score=0.5) == ("2",)


def test_qdrant(require: Require) -> None:
    qdrant = require.library("qdrant_client")
    models, client = qdrant.models, qdrant.QdrantClient(":memory:")
    client.create_collection("points", models.VectorParams(size=2, distance=models.Distance.COSINE))
    uuid = "5c56c793-69f3-4fbf-87e6-c4bf54c28c26"
    client.upsert("points", [models.PointStruct(id=uuid, vector=[0.1, 1]), models.PointStruct(id=2, vector=[1.0, 0.1])])
    found = client.query_points("points", query=[1.0, 0.0], limit=2)
    assert ranking(found) == ranking(found.points) == ("2", uuid)
    assert ranking(found, min_score=0.5) == ("2",)


def test_rank_bm25(require: Require) -> None:
    index = require.library("rank_bm25").BM25Okapi([["bird"], ["cat", "sleeps"], ["dog"]])
    scores = index.get_scores(["cat"])
    assert ranking(dict(zip("123", scores, strict=True)), min_score=0.001) == ("2",)
    assert ranking([("2", scores[1]), ("1", scores[0])]) == ("2", "1")


def test_tantivy_does_not_know_ids(require: Require) -> None:
    tantivy = require.library("tantivy")
    index = tantivy.Index(tantivy.SchemaBuilder().add_text_field("text", stored=True).build())
    writer = index.writer()
    writer.add_document(tantivy.Document(text="a cat"))
    writer.commit()
    index.reload()
    found = index.searcher().search(index.parse_query("cat", ["text"]), 3)
    message = "a pair of types (float, DocAddress) looks like (score, id); return (id, score)"
    assert error_of(found) == error_of(found.hits) == message
