"""Cases, memories and queries straight from lines of JSON that are plainly right.

Many lines are looked at together, for a look at each would take longer than parsing it. Where one of them is wrong, or
its values would take a second look, the answer for all is None, and whoever asked comes back with fewer; a line alone
that is not plain is read as located nodes, which tell its mistakes. What comes from here is what they would have given.
"""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any

import orjson

from pytest_recall.drafts import draft_of
from pytest_recall.suites.frozen import frozen
from pytest_recall.suites.model import Case, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["plain_cases", "plain_labelled_cases", "plain_memories", "plain_queries"]

# What orjson refuses or is unclear, a key that is missing, a value of another type.
_NOT_PLAIN = (ValueError, KeyError, TypeError, AttributeError)

_BARE = frozenset({"id", "query", "relevant"})
_BARE_LABELLED = frozenset({"id", "input", "expected"})
_MEMORY_IDS = frozenset({"id", "_id", "key"})
_DATED = frozenset({"valid_from", "valid_to", "superseded_by", "superseded_by_key"})

_DEEPEST = 50
# Beyond it orjson makes floats of whole numbers.
_LARGEST = 2.0**63

# Complete when the columns of the other fields are in their places.
_Draft = draft_of(Case, "id", "query", "relevant", "line")


class _UnclearError(ValueError):
    """A second look is better."""


def plain_cases(
    lines: Sequence[bytes], first: int, known: frozenset[str] | None, most_grade: float
) -> list[Case] | None:
    """The cases that lines hold, one each.

    Args:
        lines: JSON.
        first: the number of the first line.
        known: ids that may be named, None where any may be.
        most_grade: the largest there may be.
    """
    try:
        records = [orjson.loads(line) for line in lines]
        queries = _written([record["query"] for record in records])
        ids, unnamed = _ids_or(queries, records)
        judged = [record.get("relevant") for record in records]
        open_ones = judged.count(None)
        relevant: Sequence[dict[str, float] | None]
        relevant = _where_given(judged, known, most_grade) if open_ones else _relevant(judged, known, most_grade)
        columns, more = _others(records, unnamed + open_ones, _BARE)
        if open_ones:
            _check_answers(columns["answers"], judged)
        if "stale" in columns:
            _check_stale(columns["stale"], relevant, known)
        _check_strings(lines, 2 * len(records) - unnamed + sum(map(len, filter(None, judged))) + more)
    except _NOT_PLAIN:
        return None
    return _cases(ids, queries, relevant, first, columns)


def plain_labelled_cases(lines: Sequence[bytes], first: int, labels: frozenset[str]) -> list[Case] | None:
    """The cases of a classifier that lines hold, one each; as `plain_cases`.

    Args:
        lines: JSON.
        first: the number of the first line.
        labels: what a case may expect.
    """
    try:
        records = [orjson.loads(line) for line in lines]
        inputs = _written([record["input"] for record in records])
        ids, unnamed = _ids_or(inputs, records)
        expected = [record["expected"] for record in records]
        _check_ids(expected, labels)
        columns, more = _others(records, unnamed, _BARE_LABELLED)
        if not columns.keys().isdisjoint(("answers", "stale")):
            return None
        _check_strings(lines, 3 * len(records) - unnamed + more)
    except _NOT_PLAIN:
        return None
    relevant: list[dict[str, float]] = [{label: 1.0} for label in expected]
    return _cases(ids, inputs, relevant, first, {**columns, "expected": expected})


def _ids_or(questions: list[str], records: Sequence[Any]) -> tuple[list[str], int]:
    """The ids of cases, which are the questions where they have none, and of how many."""
    ids = [record.get("id") for record in records]
    unnamed = ids.count(None)
    if unnamed:
        ids = [question if id is None else id for id, question in zip(ids, questions, strict=True)]
    return _written(ids), unnamed


def _others(records: Sequence[Any], absent: int, bare: frozenset[str]) -> tuple[dict[str, list[Any]], int]:
    """The values of the keys that not every case has, and how many strings these and all keys are.

    Args:
        records: the cases.
        absent: how many of their bare keys are missing or null.
        bare: the three keys that most cases have and no other.
    """
    strings = keys = sum(map(len, records))
    columns: dict[str, list[Any]] = {}
    if keys > 3 * len(records) - absent:
        for key in set().union(*records) - bare:
            columns[key], more = _COLUMNS[key]([record.get(key) for record in records])
            strings += more
    return columns, strings


def _cases(
    ids: list[str],
    queries: list[str],
    relevant: Sequence[dict[str, float] | None],
    first: int,
    columns: Mapping[str, list[Any]],
) -> list[Case]:
    drafts: list[Any] = [
        _Draft(id, query, grades, line) for id, query, grades, line in zip(ids, queries, relevant, count(first))
    ]
    for key, values in columns.items():
        for draft, value in zip(drafts, values, strict=True):
            setattr(draft, key, value)
    for draft in drafts:
        draft.__class__ = Case
    return drafts


def plain_memories(lines: Sequence[bytes], first: int) -> list[Memory] | None:
    """The memories that lines hold, one each; as `plain_cases`, of lines that other people may have written."""
    try:
        records = [orjson.loads(line) for line in lines]
        if not _DATED.isdisjoint(set().union(*records)):
            return None
        ids = _written([record[only] for record in records for (only,) in [_MEMORY_IDS & record.keys()]])
        texts = [record["text"] for record in records]
        titles = [record.get("title", "") for record in records]
        if {*map(type, texts), *map(type, titles)} != {str}:
            return None
        _check_strings(lines, sum(map(_strings, records)))
    except _NOT_PLAIN:
        return None
    return [
        Memory(id=id, text=text, title=title, metadata=frozen(record.get("metadata")), line=line)
        for id, text, title, record, line in zip(ids, texts, titles, records, count(first))
    ]


def plain_queries(lines: Sequence[bytes]) -> list[tuple[str, str]] | None:
    """Id and text of the queries that BEIR's lines hold, one each."""
    try:
        records = [orjson.loads(line) for line in lines]
        ids = _written([record["_id"] for record in records])
        texts = _written([record["text"] for record in records])
        _check_strings(lines, sum(map(_strings, records)))
    except _NOT_PLAIN:
        return None
    return [*zip(ids, texts, strict=True)]


def _written(texts: list[Any]) -> list[str]:
    """The texts, each of which is one and not blank."""
    if {*map(type, texts)} != {str} or not all(map(str.strip, texts)):
        raise _UnclearError
    return texts


def _relevant(judged: Sequence[Any], known: frozenset[str] | None, most_grade: float) -> list[dict[str, float]]:
    _check_ids(chain.from_iterable(judged), known)
    kinds = {*map(type, judged)}
    if kinds == {list}:
        return [dict.fromkeys(ids, 1.0) for ids in judged]
    if not kinds <= {list, dict}:
        raise _UnclearError
    grades = [grade for each in judged if each.__class__ is dict for grade in each.values()]
    if not {*map(type, grades)} <= {int, float} or not all(0 <= grade <= most_grade for grade in grades):
        raise _UnclearError
    return [
        dict.fromkeys(each, 1.0) if each.__class__ is list else {id: float(grade) for id, grade in each.items()}
        for each in judged
    ]


def _where_given(judged: Sequence[Any], known: frozenset[str] | None, most_grade: float) -> list[Any]:
    """The judgments of cases of which some leave them open."""
    given = iter(_relevant([each for each in judged if each is not None], known, most_grade))
    return [None if each is None else next(given) for each in judged]


def _check_answers(answers: list[tuple[str, ...]], judged: list[Any]) -> None:
    if not all(each is not None or texts for each, texts in zip(judged, answers, strict=True)):
        raise _UnclearError


def _check_ids(ids: Iterable[Any], known: frozenset[str] | None) -> None:
    if not ({*map(type, ids)} <= {str} if known is None else known.issuperset(ids)):
        raise _UnclearError


def _check_stale(
    stale: list[tuple[str, ...]], relevant: Sequence[dict[str, float] | None], known: frozenset[str] | None
) -> None:
    _check_ids(chain.from_iterable(stale), known)
    pairs = zip(relevant, stale, strict=True)
    if not all(not ids if grades is None else grades.keys().isdisjoint(ids) for grades, ids in pairs):
        raise _UnclearError


# The other fields of a case: the values of many cases, None where it is missing, and how many strings these were.


def _listed(values: list[Any]) -> tuple[list[tuple[str, ...]], int]:
    lists = [value for value in values if value is not None]
    if not {*map(type, lists)} <= {list} or not {*map(type, chain.from_iterable(lists))} <= {str}:
        raise _UnclearError
    return [tuple(dict.fromkeys(value)) if value else () for value in values], sum(map(len, lists))


def _filled(values: list[Any]) -> tuple[list[tuple[str, ...]], int]:
    """Lists that are not empty where they are given."""
    if [] in values:
        raise _UnclearError
    return _listed(values)


def _optional(values: list[Any]) -> tuple[list[str | None], int]:
    texts = [value for value in values if value is not None]
    if not {*map(type, texts)} <= {str}:
        raise _UnclearError
    return values, len(texts)


def _arguments(values: list[Any]) -> tuple[list[dict[str, Any]], int]:
    mappings = [{} if value is None else value for value in values]
    if {*map(type, mappings)} != {dict}:
        raise _UnclearError
    return [*map(frozen, mappings)], sum(map(_strings, mappings))


_COLUMNS: Mapping[str, Callable[[list[Any]], tuple[list[Any], int]]] = {
    "answers": _filled,
    "stale": _listed,
    "tags": _listed,
    "kind": _optional,
    "family": _optional,
    "args": _arguments,
}


def _check_strings(lines: Sequence[bytes], strings: int) -> None:
    """Whether the lines hold so many strings and no more, which those of a repeated key would be."""
    data = b"".join(lines)
    quotes = data.count(b'"')
    if quotes != 2 * strings and b"\\\\" not in data:
        quotes -= data.count(b'\\"')
    if quotes != 2 * strings:
        raise _UnclearError


def _strings(value: Any, depth: int = 0) -> int:
    """How many strings a value holds, keys among them, where orjson reads it as it is written."""
    if value.__class__ is str:
        return 1
    if depth < _DEEPEST and value.__class__ is dict:
        # Most values are text, and a call for each would take longer than the parsing did.
        return len(value) + sum([1 if each.__class__ is str else _strings(each, depth + 1) for each in value.values()])
    if depth < _DEEPEST and value.__class__ is list:
        return sum([_strings(each, depth + 1) for each in value])
    if value is None or value.__class__ in (bool, int) or (value.__class__ is float and abs(value) < _LARGEST):
        return 0
    raise _UnclearError
