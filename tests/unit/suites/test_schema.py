from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from pytest_recall.metrics import CATALOGUE
from pytest_recall.suites.keys import CASE_KEYS, MEMORY_KEYS, SUITE_KEYS, Key, Keys
from pytest_recall.suites.schema import suite_schema
from tests.unit.suites.documents import VERSIONS, Yaml12, document

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
SUITES = ROOT / "tests" / "suites"
VALID = sorted((*SUITES.glob("valid/*.eval.*"), *ROOT.glob("examples/**/*.eval.yaml")))
INVALID = sorted(SUITES.glob("invalid/*.eval.*"))

SCHEMA = suite_schema()
DRAFTS = {"2020-12": jsonschema.Draft202012Validator, "7": jsonschema.Draft7Validator}

# Mistakes that no schema can express, by the reason. A new invalid suite is either refused by the schema or put here.
BEYOND: dict[str, set[str]] = {
    "one place depends on another": {
        "answers-alone-with-a-bound-on-rankings",
        "answers-bounded-where-there-are-none",
        "answers-with-stale-alone",
        "batch-with-latency",
        "case-id-twice",
        "each-no-case-defines",
        "expect-what-the-case-does-not-define",
        "grade-too-large-for-exponential-gain",
        "json-unknown-memory",
        "k-below-a-cutoff",
        "labels-missing",
        "labels-two-files",
        "labels-two-with-one-item-name",
        "memory-id-twice",
        "memory-superseded-by-itself",
        "memory-superseded-by-nobody",
        "superseded-in-a-circle",
        "no-item",
        "query-twice",
        "relevant-unknown",
        "relevant-unknown-in-a-mapping",
        "stale-and-relevant",
        "stale-unknown",
        "threshold-min-above-max",
        "threshold-no-case-defines",
        "threshold-no-case-of-the-tag-defines",
        "threshold-unknown-tag",
        "two-cases-with-one-item-name",
        "two-tags-with-one-item-name",
    },
    "two texts are one metric": {"metric-twice", "threshold-twice"},
    "JSON has no repeated keys": {
        "duplicate-case-key",
        "duplicate-key-in-metadata",
        "duplicate-merge-key",
        "duplicate-suite-key",
        "json-duplicate-key",
        "relevant-id-twice-in-a-mapping",
    },
    "JSON has no such numbers": {
        "args-infinite",
        "json-nan",
        "memory-metadata-nan",
        "min-score-infinite",
        "threshold-nan",
        "timeout-infinite",
    },
    "JSON has no such keys": {"null-as-a-key"},
    "JSON has no such texts": {"json-lone-surrogate", "lone-surrogate-escape"},
    "JSON has no aliases": {"alias-to-itself", "merge-of-itself", "nested-too-deeply-through-aliases"},
    "a schema does not count levels": {"json-nested-a-little-too-deeply", "nested-too-deeply"},
    "a pattern does not know patterns": {"id-from-is-no-pattern"},
    "a pattern does not know the calendar": {"memory-valid-to-in-month-13"},
    "a schema opens no other files": {
        "files-beir",
        "files-beir-unjudged",
        "files-empty",
        "files-expect",
        "files-item-twice",
        "files-lines",
        "files-no-lines",
        "files-qrels-wrong",
        "labels-lines",
    },
}
# What these hold would fill the memory.
# What no parser of this test comes to the end of, on every Python.
WITHOUT_END = {"alias-bomb", "alias-bomb-in-relevant", "json-nested-too-deeply"}


def stem(path: Path) -> str:
    return path.name.partition(".")[0]


def accepts(value: Any, draft: str = "2020-12") -> bool:
    return bool(DRAFTS[draft](SCHEMA).is_valid(value))


def is_accepted(path: Path, draft: str) -> bool:
    """Whether an editor that types scalars by any version of YAML would see nothing wrong."""
    try:
        return any(accepts(document(path, version), draft) for version in VERSIONS)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def suite(**keys: Any) -> dict[str, Any]:
    return {"cases": [{"query": "q", "relevant": ["a"]}], **keys}


@pytest.mark.parametrize("draft", DRAFTS)
def test_schema_is_one(draft: str) -> None:
    DRAFTS[draft].check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", VALID, ids=stem)
def test_valid_suite_is_accepted(path: Path, version: type[yaml.SafeLoader], draft: str) -> None:
    DRAFTS[draft](SCHEMA).validate(document(path, version))


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("path", [path for path in INVALID if stem(path) not in WITHOUT_END], ids=stem)
def test_invalid_suite_is_refused_unless_no_schema_could(path: Path, draft: str) -> None:
    assert is_accepted(path, draft) == (stem(path) in set().union(*BEYOND.values()))


def test_what_no_schema_can_express_is_listed_once_and_is_there() -> None:
    listed = sorted([*WITHOUT_END, *(each for stems in BEYOND.values() for each in stems)])
    assert listed == sorted({stem(path) for path in INVALID} & {*listed})


def keys_of(keys: Keys, properties: dict[str, Any]) -> Iterator[tuple[str, Key, dict[str, Any]]]:
    for name, key in keys.table.items():
        for written in (name, *key.also):
            yield written, key, properties.get(written, {})


@pytest.mark.parametrize(
    ("keys", "properties"),
    [
        (SUITE_KEYS, SCHEMA["properties"]),
        (MEMORY_KEYS, SCHEMA["$defs"]["memory"]["properties"]),
        (CASE_KEYS, SCHEMA["$defs"]["case"]["properties"]),
    ],
    ids=["suite", "memory", "case"],
)
def test_every_key_that_is_read_is_described_as_in_its_definition(keys: Keys, properties: dict[str, Any]) -> None:
    for written, key, found in keys_of(keys, properties):
        assert written in properties
        assert found["description"].startswith(key.means)
        assert found.get("default", key.default) == key.default
    assert properties.keys() <= keys.names.keys()


@pytest.mark.parametrize(
    "text",
    [
        "memories: {path: corpus.jsonl.gz}\ncases: {path: cases.jsonl}\n",
        "memories: {path: 2024}\ncases: {queries: queries.jsonl, qrels: qrels/test.tsv, x-from: BEIR}\n",
        "memories: []\ncases: [{query: q, relevant: []}]\n",
    ],
)
def test_memories_and_cases_may_be_in_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.eval.yaml"
    path.write_text(text, encoding="utf-8")
    assert accepts(document(path, Yaml12))


@pytest.mark.parametrize(
    "keys",
    [
        {"cases": {}},
        {"cases": {"path": ""}},
        {"cases": {"path": None}},
        {"cases": {"queries": "q.jsonl"}},
        {"cases": {"path": "c.jsonl", "qrels": "q.tsv"}},
        {"memories": {"queries": "q.jsonl"}},
        {"memories": {"path": "c.jsonl", "glob": "*"}},
    ],
)
def test_files_are_named_by_their_keys_only(keys: dict[str, Any]) -> None:
    assert not accepts(suite(**keys))


METRICS = [
    f"{name}.two words: a b" if metric.takes_label else name if metric.takes_cutoff == "none" else f"{name}@5"
    for name, metric in CATALOGUE.items()
]
OF_NO_CASE = ("latency", "macro_f1", "label_precision")


@pytest.mark.parametrize("metric", [*METRICS, "success@1000000", "mrr", "map", "ndcg"])
def test_metric_may_be_named_wherever_metrics_are(metric: str) -> None:
    assert accepts(suite(metrics=[metric], thresholds={metric: 0.5, f"{metric}:kind=date": {"min": 0.1}}))
    assert accepts(suite(each={metric: 1})) is not metric.startswith(OF_NO_CASE)


@pytest.mark.parametrize(
    "metric",
    ["recal@5", "recall", "recall@0", "recall@05", "recall@1000001", "r_precision@5", "RECALL@5", "mrr@", " mrr"],
)
def test_metric_that_is_none_is_refused(metric: str) -> None:
    assert not accepts(suite(metrics=[metric]))
    assert not accepts(suite(thresholds={metric: 0.5}))
    assert not accepts(suite(each={metric: 0.5}))


def test_further_metrics_are_known_by_name_and_may_have_any_bounds() -> None:
    document = suite(
        metrics=["cost", "cost@3"], thresholds={"cost@3:legal": {"max": 40, "max_rise": "5%"}}, each={"cost": 9}
    )
    assert not accepts(document)
    assert jsonschema.Draft202012Validator(suite_schema(["cost"])).is_valid(document)


@pytest.mark.parametrize("share", ["5%", " +.5 % ", "99%", "099.9%", "1e1%"])
def test_share_of_the_baseline_is_accepted(share: str) -> None:
    assert accepts(suite(max_drop=share, thresholds={"mrr": {"max_drop": share}}))


@pytest.mark.parametrize("share", ["100%", "100.00%", "100.1%", "101%", "1000%", "-5%", "%", ".%", "5"])
def test_text_that_is_no_share_is_refused(share: str) -> None:
    assert not accepts(suite(max_drop=share))
    assert not accepts(suite(thresholds={"mrr": {"max_drop": share}}))
