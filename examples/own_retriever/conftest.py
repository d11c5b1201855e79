from collections.abc import Sequence

import pytest
from search_engine import Bm25, Overlap

from pytest_recall import Memory


@pytest.fixture(scope="module", params=[Bm25, Overlap], ids=["bm25", "overlap"])
def product_search(request: pytest.FixtureRequest, eval_memories: Sequence[Memory]) -> Bm25 | Overlap:
    engine: type[Bm25 | Overlap] = request.param
    return engine({memory.id: f"{memory.title} {memory.text}" for memory in eval_memories})
