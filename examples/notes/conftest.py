import pytest

from pytest_recall import LexicalRetriever


@pytest.fixture(scope="module")
def retriever(lexical_retriever: LexicalRetriever) -> LexicalRetriever:
    return lexical_retriever  # your own search goes here
