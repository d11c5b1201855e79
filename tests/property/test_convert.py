"""A collection that is converted loads as what it holds, whatever its texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_recall.cli import main
from pytest_recall.formats import write_beir_qrels
from pytest_recall.suites import Case, Memory, load_suite
from tests.property.test_writing import NOT_BLANK, TEXTS

if TYPE_CHECKING:
    from pathlib import Path

IDS = NOT_BLANK.filter(lambda id: set(id).isdisjoint("\n\r\0"))
GRADES = st.integers(0, 3).map(float)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.dictionaries(IDS, TEXTS, min_size=1, max_size=3),
    queries=st.dictionaries(IDS, NOT_BLANK, min_size=1, max_size=3),
    data=st.data(),
)
def test_beir_collection_loads_as_it_was(
    tmp_path: Path, texts: dict[str, str], queries: dict[str, str], data: st.DataObject
) -> None:
    # A grade above 0 somewhere, or no metric would be defined under the defaults.
    grades, first = st.dictionaries(st.sampled_from([*texts]), GRADES), next(iter(texts))
    judged = {query: {**data.draw(grades), first: 1.0} for query in queries}
    lines = {
        "corpus": [{"_id": id, "text": text} for id, text in texts.items()],
        "queries": [{"_id": id, "text": text} for id, text in queries.items()],
    }
    for name, records in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    (tmp_path / "qrels").mkdir(exist_ok=True)
    write_beir_qrels(judged, tmp_path / "qrels/test.tsv")

    output = tmp_path / "notes.eval.yaml"
    assert main(["convert", "beir", str(tmp_path), "--inline", "--force", "-o", str(output)]) == 0
    suite = load_suite(output)
    assert [*suite.memories] == [Memory(id=id, text=text) for id, text in texts.items()]
    assert [*suite.cases] == [Case(id=id, query=text, relevant=judged[id]) for id, text in queries.items()]
