"""Suites as nobody should write them: valid files with a few bytes, lines or values changed."""

from __future__ import annotations

import json
import string
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Edit = Callable[[bytes], bytes]

__all__ = ["SEEDS", "edited_suites", "restructured_suites"]

SEEDS = [path.read_bytes() for path in sorted(Path(__file__).parents[1].glob("suites/valid/*.eval.*"))]

MARKS = [*"[]{}:,-?#|>'\"%@`", ": ", "- ", "? ", "\n", "\n- ", "  ", "\t", "\r", "\0", "<<: *a, ", "<<: [*a, *a]\n"]
FEATURES = [
    *("&a ", "*a", "&a [*a]", "&a {<<: *a}", "x-a: &a {tags: [t]}\n", "!!str ", "!!int ", "!!binary ", "!x ", "!<x> "),
    *("!!python/object/apply:os.system ['touch written']\n", "%YAML 1.1\n---\n", "%YAML 9.9\n---\n"),
    *("---\n", "...\n", "--- &a\n", "%TAG ! tag:x,2000:\n---\n", "|2-\n", ">+\n"),
    *("[" * 100, "- " * 100, "{a: " * 100, '{"a": ' * 100, "? " * 100, "x" * 100_000, '"' + "\\n" * 50_000 + '"'),
]
# A line break of YAML's, marks of order, what is not allowed, what folds, and digits that are not 0 to 9.
CHARACTERS = ["\x85", "\u2028", "\ufeff", "\u202e", "\ufffe", "\x1b[31m", "e\u0301", "é", "\u0661", "\U0001d7d9"]
WORDS = [
    *("~", "null", "Null", "true", ".nan", "-.inf", "1e999", "012", "-1", "5%", "9" * 5000, "\\ud83d", "\\u0000"),
    *("id", "key", "_id", "query", "relevant", "stale", "tags", "args", "expect", "each", "metrics", "k", "recall@5"),
    *("thresholds", "x-", "path"),
]
INSERTED = st.one_of(
    st.sampled_from([*MARKS, *FEATURES, *CHARACTERS, *WORDS]).map(str.encode),
    st.text(string.printable, max_size=8).map(str.encode),
    st.binary(max_size=4),
)
SHARE = st.floats(0, 1)


def replaced(share: float, removed: int, inserted: bytes) -> Edit:
    def edit(data: bytes) -> bytes:
        at = int(share * len(data))
        return data[:at] + inserted + data[at + removed :]

    return edit


def cut(share: float) -> Edit:
    return lambda data: data[: int(share * len(data))]


def flipped(share: float, bit: int) -> Edit:
    def edit(data: bytes) -> bytes:
        at = int(share * (len(data) - 1))
        return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] if data else data

    return edit


def rearranged(first: float, second: float, change: Callable[[list[bytes], int, int], None]) -> Edit:
    def edit(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(lines, int(first * (len(lines) - 1)), int(second * (len(lines) - 1)))
        return b"".join(lines)

    return edit


def swap(lines: list[bytes], one: int, other: int) -> None:
    lines[one], lines[other] = lines[other], lines[one]


def copy(lines: list[bytes], one: int, other: int) -> None:
    lines.insert(other, lines[one])


def indent(lines: list[bytes], one: int, other: int) -> None:
    lines[one] = b" " * (other % 5) + lines[one]


def dedent(lines: list[bytes], one: int, other: int) -> None:
    lines[one] = lines[one].removeprefix(b" " * (other % 3 + 1))


EDITS = st.one_of(
    st.builds(replaced, SHARE, st.integers(0, 12), INSERTED),
    st.builds(cut, SHARE),
    st.builds(flipped, SHARE, st.integers(0, 7)),
    st.builds(rearranged, SHARE, SHARE, st.sampled_from([swap, copy, indent, dedent])),
)


@st.composite
def edited_suites(draw: st.DrawFn, seeds: Sequence[bytes] = SEEDS, most: int = 6) -> bytes:
    """A valid file with a few places changed, `most` at most."""
    data = draw(st.sampled_from(seeds))
    for edit in draw(st.lists(EDITS, min_size=1, max_size=most)):
        data = edit(data)
    return data


WHOLE: dict[str, Any] = {
    "retriever": "search",
    "k": 10,
    "metrics": ["recall@5", "mrr", "ndcg@10"],
    "thresholds": {"recall@5": 0.85, "mrr": {"min": 0.7, "max_drop": "5%"}, "recall@5:legal": {"min": 0.9}},
    "each": {"hit_rate@10": {"min": 0}},
    "max_drop": 0.01,
    "alpha": 0.05,
    "undefined": "zero",
    "duplicates": "first",
    "relevance_threshold": 1,
    "gain": "linear",
    "min_score": 0,
    "id_from": "^(.*)$",
    "marks": ["slow", {"xfail": {"condition": False, "reason": "later"}}],
    "memories": [
        {"id": "lease-2", "text": "The lease ends on 31 May.", "metadata": {"source": "lease.pdf"}},
        {"id": "lease-1", "title": "Lease", "valid_to": "2024-05-01T00:00:00Z", "superseded_by": "lease-2"},
    ],
    "cases": [
        {"query": "when?", "relevant": {"lease-2": 2}, "stale": ["lease-1"], "tags": ["legal"], "kind": "date"},
        {"query": "who?", "id": "who", "relevant": ["lease-2"], "args": {"user": "alice"}, "expect": {"mrr": 1}},
        {"query": "what?", "relevant": [], "family": "none"},
    ],
    "x-free": {"a": [1, 2]},
}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ODD_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308, 5e-324, float("inf"), float("nan")),
    *("", " ", "x", "null", "~", "5%", "-5%", "1e3", "lease-2", "legal", "\u2028", "e\u0301", "\x1b[31m", "x" * 5000),
    *(
        "recall@0",
        "recall@",
        "recall",
        "recall@99999999999999999999",
        "RECALL@3",
        "mrr@\u0663",
        "recall@5:",
        ":",
        "@",
        "*",
    ),
    *([], {}, [None], [[]], [{}], {"": None}, {"min": None}, {"min": "1"}, {"max": -1, "min": 2}, {"path": "x.jsonl"}),
    *(["a", "a"], [1, "1"], {"1": 1, "b": -1}, {"lease-2": 1e300}, nested(70), nested(100), {"query": "when?"}),
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document that holds something: the collection, and the key or the position."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@st.composite
def restructured_suites(draw: st.DrawFn) -> bytes:
    """A whole suite with an odd value in one to three places, or a key that is another's; in JSON or YAML."""
    document = deepcopy(WHOLE)
    for value in draw(st.lists(st.sampled_from(ODD_VALUES), min_size=1, max_size=3)):
        found = list(places(document))
        if not found:
            break
        holder, key = found[draw(st.integers(0, len(found) - 1))]
        if isinstance(value, str) and isinstance(holder, dict) and draw(st.booleans()):
            holder[value] = holder.pop(key)
        else:
            holder[key] = deepcopy(value)
    if draw(st.booleans()):
        return json.dumps(document, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))).encode()
    written: str = yaml.safe_dump(document, default_flow_style=draw(st.sampled_from([None, True, False])))
    return written.encode()
