from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.baseline import Baseline, read_baseline
from pytest_recall.errors import BaselineError
from pytest_recall.evaluation import Policy
from tests.unit.baseline.builders import KEY, entry, entry_of_record, record, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY = "suites['tests/support.eval.yaml'].systems['retriever']"
WHOLE = text_of({KEY: entry()})


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("baseline.json")


def error_of(path: Path) -> str:
    with pytest.raises(BaselineError) as raised:
        read_baseline(path)
    return str(raised.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(WHOLE.encode(), id="as written"),
        pytest.param(WHOLE.encode("utf-8-sig"), id="BOM"),
        pytest.param(WHOLE.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(json.dumps(json.loads(WHOLE)).encode(), id="another layout"),
    ],
)
def test_what_was_written_is_read(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    assert read_baseline(path) == Baseline(entries={KEY: entry()})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "baseline.json: the file is empty; restore it, or delete it and record again", id="empty"),
        pytest.param(
            b"\xef\xbb\xbf\r\n",
            "baseline.json: the file is empty; restore it, or delete it and record again",
            id="blank",
        ),
        pytest.param(
            WHOLE[: WHOLE.index("scored") + 3].encode(),
            "baseline.json:18: the file is cut off; restore it, or delete it and record again",
            id="cut off in a text",
        ),
        pytest.param(
            WHOLE[: WHOLE.index("}")].encode(),
            "baseline.json:8: the file is cut off; restore it, or delete it and record again",
            id="cut off after a value",
        ),
        pytest.param(
            WHOLE.rstrip()[:-1].encode(),
            "baseline.json:36: the file is cut off; restore it, or delete it and record again",
            id="last brace gone",
        ),
        pytest.param(
            b'<<<<<<< HEAD\n{"format": 1}\n=======\n{"format": 2}\n>>>>>>> other\n',
            "baseline.json:1: merge conflict markers at line 1; resolve them, or delete it and record again",
            id="conflict",
        ),
        pytest.param(
            b'{"format": 1,\r\n"suites": {\r\n<<<<<<< HEAD\r\n}}\r\n',
            "baseline.json:3: merge conflict markers at line 3; resolve them, or delete it and record again",
            id="conflict further down",
        ),
        pytest.param(
            b'{"format": 1,\n"suites": {"\xfc": {}}}',
            "baseline.json:2: the file is not UTF-8; restore it, or delete it and record again",
            id="Latin-1",
        ),
        pytest.param(
            WHOLE.encode("utf-16"),
            "baseline.json:1: the file is not UTF-8; restore it, or delete it and record again",
            id="UTF-16",
        ),
        pytest.param(
            b'{"format": 1,\n "suites" {}}', "baseline.json:2: not JSON: expecting ':' delimiter", id="a colon missing"
        ),
        pytest.param(b'{"format": 1}\n}', "baseline.json:2: not JSON: extra data", id="a brace too many"),
        pytest.param(b'{"format": 1}\n\nend', "baseline.json:3: not JSON: extra data", id="a text after it"),
        pytest.param(
            b'{"format": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "baseline.json: the values are nested too deeply for a baseline",
            id="deep",
        ),
        pytest.param(b"[]\n", "baseline.json: must be an object, not a list", id="a list"),
        pytest.param(b"null", "baseline.json: must be an object, not null", id="null"),
        pytest.param(b"{}", "baseline.json: no baseline of pytest-recall: 'format' is missing", id="no format"),
        pytest.param(
            b'{"format": 999}',
            (
                "baseline.json: format: 999 is of a later pytest-recall, this one reads 1; "
                "upgrade it, or delete it and record again"
            ),
            id="a later format",
        ),
        pytest.param(
            b'{"format": true, "suites": {}}',
            "baseline.json: format: must be a whole number from 1, not true",
            id="format is a bool",
        ),
        pytest.param(
            b'{"format": 1, "evaluations": []}',
            "baseline.json: this is a report, and no baseline; name another file, and --eval-update records one",
            id="a report",
        ),
        pytest.param(b'{"format": 1}', "baseline.json: 'suites' is missing", id="no suites"),
        pytest.param(
            b'{"format": 1, "suites": {}, "suits": {}}',
            "baseline.json: unknown key 'suits' (did you mean 'suites'?)",
            id="unknown key",
        ),
        pytest.param(
            b'{"format": 1, "format": 1, "suites": {}}', "baseline.json: key 'format' is given twice", id="a key twice"
        ),
        pytest.param(
            b'{"format": 1, "suites": {"a": {"systems": {"r": {}, "q": {}, "r": {}}}}}',
            "baseline.json: suites['a'].systems: key 'r' is given twice",
            id="an entry twice",
        ),
    ],
)
def test_broken_file(data: bytes, message: str, path: Path) -> None:
    path.write_bytes(data)
    assert error_of(path) == message


def test_number_with_more_digits_than_python_reads(path: Path) -> None:
    path.write_text('{"format": ' + "9" * 10_000 + "}")
    assert error_of(path) == "baseline.json: a number has too many digits for a baseline"


def test_missing_file(path: Path) -> None:
    assert error_of(path) == "baseline.json: there is no such file"


def test_directory(path: Path) -> None:
    path.mkdir()
    assert error_of(path) == "baseline.json: a baseline is a file, and this is a directory"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_device(path: Path) -> None:
    path.symlink_to("/dev/zero")
    assert error_of(path) == "baseline.json: a baseline is a file, and this is a device"


def test_no_permission(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may read everything, so the refusal is played.
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert error_of(path) == "baseline.json: the file can't be read: permission denied"


def put(*keys: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def spoil(values: dict[str, Any]) -> None:
        inner = entry_of_record(values)
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return spoil


def without(*keys: str) -> Callable[[dict[str, Any]], None]:
    def spoil(values: dict[str, Any]) -> None:
        inner = entry_of_record(values)
        for key in keys[:-1]:
            inner = inner[key]
        del inner[keys[-1]]

    return spoil


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (put("metrics", "mrr", "value", value=NAN), ".metrics['mrr'].value: must be a number, not NaN"),
        (put("metrics", "mrr", "value", value=INFINITY), ".metrics['mrr'].value: must be a number, not Infinity"),
        (put("metrics", "mrr", "value", value="1.0"), ".metrics['mrr'].value: must be a number, not \"1.0\""),
        (put("metrics", "mrr", "value", value=True), ".metrics['mrr'].value: must be a number, not true"),
        (put("metrics", "mrr", "value", value=[1]), ".metrics['mrr'].value: must be a number, not a list"),
        (put("metrics", "mrr", "value", value={}), ".metrics['mrr'].value: must be a number, not an object"),
        (put("metrics", "mrr", "value", value=7), ".metrics['mrr'].value: must be 0 to 1, not 7"),
        (put("metrics", "mrr", "value", value=-0.5), ".metrics['mrr'].value: must be 0 to 1, not -0.5"),
        (
            put("metrics", "mrr", "value", value=10**400),
            ".metrics['mrr'].value: must be a number, not 100000000000000000000000000000000000000…",
        ),
        (put("metrics", "mrr", "scored", value=-1), ".metrics['mrr'].scored: must be a whole number from 0, not -1"),
        (put("metrics", "mrr", "scored", value=0.5), ".metrics['mrr'].scored: must be a whole number from 0, not 0.5"),
        (
            put("metrics", "mrr", "undefined", value=None),
            ".metrics['mrr'].undefined: must be a whole number from 0, not null",
        ),
        (
            put("metrics", "mrr", "aggregate", value="median"),
            ".metrics['mrr'].aggregate: must be one of mean, p50, p95, max, macro_f1, label_precision, not \"median\"",
        ),
        (put("metrics", "mrr", value=0.5), ".metrics['mrr']: must be an object, not 0.5"),
        (
            put("cases", "lease-end", "scores", "recall", value=1),
            ".cases['lease-end'].scores['recall']: metric 'recall' needs a cutoff, such as 'recall@10'",
        ),
        (
            put("cases", "lease-end", "scores", "success@1", value=1),
            ".cases['lease-end'].scores['success@1']: must be written 'hit_rate@1'",
        ),
        (
            put("cases", "lease-end", "scores", "latency_p95_ms", value=1),
            ".cases['lease-end'].scores['latency_p95_ms']: latency_p95_ms is never recorded",
        ),
        (
            put("cases", "lease-end", "scores", "mean_noise", value=-1),
            ".cases['lease-end'].scores['mean_noise']: must be 0 or more, not -1",
        ),
        (
            put("cases", "lease-end", "scores", "users_own", value="high"),
            ".cases['lease-end'].scores['users_own']: must be a number, not \"high\"",
        ),
        (put("cases", "lease-end", "scores", value=[]), ".cases['lease-end'].scores: must be an object, not a list"),
        (
            put("cases", "lease-end", "ranks", "lease-2", value=0),
            ".cases['lease-end'].ranks['lease-2']: must be a whole number from 1, not 0",
        ),
        (
            put("cases", "lease-end", "ranks", "lease-2", value="first"),
            ".cases['lease-end'].ranks['lease-2']: must be a whole number from 1, not \"first\"",
        ),
        (put("cases", "lease-end", "ranks", value="1"), ".cases['lease-end'].ranks: must be an object, not \"1\""),
        (put("cases", "lease-end", "fingerprint", value=5), ".cases['lease-end'].fingerprint: must be a text, not 5"),
        (without("cases", "lease-end", "ranks"), ".cases['lease-end']: 'ranks' is missing"),
        (put("cases", "a\n\x1b", value=None), ".cases['a\\n\\x1b']: must be an object, not null"),
        (put("k", value=True), ".k: must be a whole number from 1 to 1,000,000, not true"),
        (put("k", value=0), ".k: must be a whole number from 1 to 1,000,000, not 0"),
        (without("k"), ": 'k' is missing"),
        (put("note", value="by hand"), ": unknown key 'note'"),
        (put("memories", value=40), ".memories: must be an object, not 40"),
        (put("memories", "count", value="40"), '.memories.count: must be a whole number from 0, not "40"'),
        (without("memories", "sha256"), ".memories: 'sha256' is missing"),
        (without("policy", "gain"), ".policy: 'gain' is missing"),
        (put("policy", "gains", value=1), ".policy: unknown key 'gains' (did you mean 'gain'?)"),
        (
            put("policy", "gain", value="cubic"),
            '.policy.gain: must be one of linear, exponential, not "cubic"',
        ),
        (put("policy", "repeat", value=0), ".policy.repeat: must be a whole number from 1, not 0"),
        (put("policy", "id_from", value=1), ".policy.id_from: must be a text, not 1"),
        (put("policy", "min_score", value=NAN), ".policy.min_score: must be a number, not NaN"),
    ],
)
def test_wrong_value(spoil: Callable[[dict[str, Any]], None], message: str, path: Path) -> None:
    values = record()
    spoil(values)
    path.write_text(json.dumps(values))
    assert error_of(path) == f"baseline.json: {ENTRY}{message}"


def test_value_written_as_an_overflowing_number(path: Path) -> None:
    path.write_text(re.sub(r'"value": 0.5', '"value": 1e999', WHOLE))
    assert error_of(path) == f"baseline.json: {ENTRY}.metrics['mrr'].value: must be a number, not Infinity"


def test_undefined_values_a_users_own_metric_and_unknown_ranks_are_read(path: Path) -> None:
    values = record()
    for spoil in (
        put("metrics", "mrr", "value", value=None),
        put("cases", "lease-end", "scores", "users_own", value=-3),
        put("cases", "lease-end", "ranks", value=None),
        put("memories", value=None),
    ):
        spoil(values)
    path.write_text(json.dumps(values))
    read = read_baseline(path).entries[KEY]
    assert read.metrics["mrr"].value is None
    assert read.cases["lease-end"].scores == {"mrr": 0.5, "users_own": -3}
    assert read.cases["lease-end"].ranks is None
    assert read.memories is None


def test_every_field_of_the_policy_is_in_the_file() -> None:
    policy = entry_of_record(record())["policy"]
    assert sorted(policy) == sorted(field.name for field in fields(Policy))
