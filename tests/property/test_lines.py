"""A line that is plain says what its nodes would say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest import mock

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_recall.errors import SuiteError
from pytest_recall.suites import load_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SUITE = "metrics: [judged@5]\nthresholds: {judged@5: 0}\n"
OF_CASES = "memories: {path: corpus}\ncases: {path: lines}\n"
OF_MEMORIES = "memories: {path: lines}\ncases: [{query: q, relevant: []}]\n"
OF_QUERIES = "cases: {queries: lines, qrels: qrels}\n"

CORPUS = '{"_id": "a", "text": ""}\n{"_id": "b", "text": ""}\n{"_id": "1", "text": ""}\n'
QRELS = "a 0 a 1\n1 0 b 1\n"

ODD = st.recursive(
    st.one_of(
        st.sampled_from(["", " ", "\\", 'say "a"', 1, 0, -0.0, 1.0, 2**64, None, True]),
        st.floats(allow_nan=False),
        st.text(max_size=3),
    ),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
    max_leaves=4,
)
ID = st.sampled_from(["a", "b", "c"])
IDS = st.lists(ID, max_size=3)
GRADES = st.dictionaries(ID, st.sampled_from([0, 1, 2.5, 1_000_000, 1_000_001, -1]), max_size=3)
TEXT = st.text(min_size=1, max_size=3)
MOMENT = st.sampled_from(["2024-05-01T00:00:00Z", "May", None])

# By suite the fields of a line: those that all have, and those that some have.
FIELDS: Mapping[str, tuple[Mapping[str, st.SearchStrategy[Any]], Mapping[str, st.SearchStrategy[Any]]]] = {
    OF_CASES: (
        {"query": TEXT},
        {
            "relevant": IDS | GRADES,
            "answers": st.lists(TEXT, max_size=2),
            "id": TEXT,
            "stale": IDS,
            "tags": IDS,
            "kind": TEXT,
            "family": TEXT,
            "args": ODD,
            "x-a": ODD,
            "else": ODD,
        },
    ),
    OF_MEMORIES: (
        {"_id": TEXT, "text": TEXT},
        {"id": TEXT, "key": TEXT, "title": TEXT, "metadata": ODD, "valid_to": MOMENT, "superseded_by": TEXT, "b": ODD},
    ),
    OF_QUERIES: ({"_id": st.sampled_from(["a", "1", "x", "y"]), "text": TEXT}, {"id": TEXT, "metadata": ODD}),
}


@st.composite
def suites(draw: st.DrawFn) -> tuple[str, str]:
    """A suite that names a file, and its lines: most of them right, some with an odd value, some damaged."""
    text = draw(st.sampled_from([*FIELDS]))
    always, sometimes = FIELDS[text]
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        record = draw(st.fixed_dictionaries({**always}, optional={**sometimes}))
        if draw(st.integers(0, 4)) == 0:
            record[draw(st.sampled_from([*record]))] = draw(ODD)
        line = json.dumps(record, ensure_ascii=draw(st.booleans()))
        if draw(st.integers(0, 4)) == 0:
            at = draw(st.sampled_from([1, len(line) - 1, len(line) // 2]))
            line = (
                line[:at] + draw(st.sampled_from(['"', "{", "\\", ", ", '"text": 1, ', ', "query": "b"'])) + line[at:]
            )
        lines.append(line)
    return text, "\n".join(lines)


def outcome(path: Path) -> str:
    """All of it as text, for 1 == 1.0 == True."""
    try:
        suite = load_suite(path, root=path.parent)
    except SuiteError as error:
        return str(error)
    return f"{suite.memories!r} {suite.cases!r} {suite.gates!r} {suite.notes!r}"


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(suites())
@example((OF_CASES, '{"query": "q", "relevant": ["a"], "args": {"n": 18446744073709551616}}'))
@example((OF_CASES, '{"query": "q\\\\", "relevant": [], "kind": "\\\\", "args": {"n": "\\\\", "n": "\\\\"}}'))
@example((OF_CASES, '{"query": "q", "relevant": ["c"]}'))
@example((OF_CASES, '{"query": "q", "relevant": {"a": 1}, "stale": ["a"]}'))
@example((OF_CASES, '{"query": "q", "relevant": {"a": 1000001}}'))
@example((OF_CASES, '{"query": "q", "answers": ["x"]}\n{"query": "r", "relevant": ["a"], "id": null}'))
@example((OF_CASES, '{"query": "q", "answers": ["x"], "relevant": null}\n{"query": "r", "relevant": []}'))
@example((OF_CASES, '{"query": "q", "answers": ["x"], "stale": ["a"]}'))
@example((OF_CASES, '{"query": "q", "answers": []}'))
@example((OF_MEMORIES, '{"_id": "a", "text": "", "valid_to": "May"}'))
@example((OF_MEMORIES, '{"_id": "a", "id": "b", "text": ""}\n{"text": ""}'))
def test_plain_lines_say_what_their_nodes_would(tmp_path: Path, suite: tuple[str, str]) -> None:
    text, lines = suite
    tmp_path.joinpath("corpus").write_text(CORPUS, encoding="utf-8")
    tmp_path.joinpath("qrels").write_text(QRELS, encoding="utf-8")
    tmp_path.joinpath("lines").write_bytes(lines.encode("utf-8", "surrogatepass"))
    path = tmp_path / "notes.eval.yaml"
    path.write_text(SUITE + text, encoding="utf-8")
    quick = outcome(path)
    with mock.patch("pytest_recall.suites.plain.orjson.loads", side_effect=ValueError):
        assert outcome(path) == quick
