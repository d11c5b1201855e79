"""Every conftest of the page of recipes, with the library that it is for."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING

import pytest

from tests.docs.test_blocks import ROOT, blocks_of

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

FILES = {block.value: block.body for block in blocks_of(ROOT / "docs/how-to/recipes.md")}
RECIPES = {PurePath(name).parent.name: text for name, text in FILES.items() if name.endswith("/conftest.py")}
DISTRIBUTIONS = {
    "bm25s": "bm25s",
    "chroma": "chromadb",
    "faiss": "faiss-cpu",
    "haystack": "haystack-ai",
    "lancedb": "lancedb",
    "langchain": "langchain-core",
    "llama_index": "llama-index-core",
    "qdrant": "qdrant-client",
    "rank_bm25": "rank-bm25",
    "sqlite": "pytest-recall",
    "tantivy": "tantivy",
}


def test_every_library_has_a_recipe() -> None:
    assert RECIPES.keys() == DISTRIBUTIONS.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_recipe_finds_the_memories_in_their_order(project: Project, require: Require, name: str) -> None:
    require.distribution(DISTRIBUTIONS[name])
    for shared in ("handbook.eval.yaml", "model.py"):
        project.write(shared, FILES[shared])
    project.write("conftest.py", RECIPES[name])
    result = project.run("--eval-baseline=baseline.json", "--eval-update", own_process=True)
    result.assert_outcomes(passed=2)
    (suite,) = json.loads(project.baseline())["suites"].values()
    ranks = {case: recorded["ranks"] for case, recorded in suite["systems"]["retriever"]["cases"].items()}
    # All of its words are in the first; five of the second's and two of the first's.
    assert ranks == {"leave": {"1": 1}, "both": {"1": 2, "2": 1}}
