"""The functions and fixtures of kimetsu-brain 1.0.0, as they count."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_recall import stats
from pytest_recall.formats.files import opened
from pytest_recall.formats.jsonl import kind_of, parse_object
from pytest_recall.recall_report import checked_k, checked_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_recall.errors import FormatError
    from pytest_recall.formats.files import File, Source

__all__ = ["EvalCase", "EvalFixture", "EvalMemory", "mean", "mrr", "recall_at_k"]


def recall_at_k(ranked: Sequence[str], relevant: Sequence[str], k: int) -> float:
    """The share of relevant keys among the first k, 1 where nothing is relevant, whatever k is.

    A key that came back twice counts once and takes two ranks; one that is listed as relevant twice counts twice.

    >>> recall_at_k(["a", "x", "b"], ["a", "b"], 2)
    0.5

    Raises:
        MetricError: k is no whole number from 0, or something else stands where a list of keys belongs.
    """
    window = set(checked_list(ranked, "ranked")[: checked_k(k)])
    if not checked_list(relevant, "relevant"):
        return 1.0
    return sum(key in window for key in relevant) / len(relevant)


def mrr(ranked: Sequence[str], relevant: Sequence[str]) -> float:
    """1 / rank of the first relevant key in the whole ranking, 0 without one.

    >>> mrr(["x", "a"], ["a"])
    0.5

    Raises:
        MetricError: something else stands where a list of keys belongs.
    """
    wanted = set(checked_list(relevant, "relevant"))
    return next((1 / rank for rank, key in enumerate(checked_list(ranked, "ranked"), 1) if key in wanted), 0.0)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, 0 of nothing.

    >>> mean([0.5, 1.0])
    0.75
    """
    return stats.mean(values) if values else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalMemory:
    """One memory of a fixture.

    Attributes:
        valid_to: RFC 3339; None where it does not expire.
        superseded_by_key: key of the memory that replaces it.

    >>> EvalMemory(key="lease-1", text="the lease ends in May", superseded_by_key="lease-2").superseded_by_key
    'lease-2'
    """

    key: str
    text: str
    valid_to: str | None = None
    superseded_by_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCase:
    """One query of a fixture.

    Attributes:
        relevant: keys that should come back; empty where nothing should.
        family, kind: None where the fixture does not say.
        stale: keys that must not come back.

    >>> case = EvalCase(query="when does the lease end?", relevant=("lease-2",), stale=("lease-1",))
    >>> mrr(["lease-1", "lease-2"], case.relevant)
    0.5
    """

    query: str
    relevant: tuple[str, ...]
    family: str | None = None
    kind: str | None = None
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalFixture:
    """Memories and the cases that ask for them, in file order.

    >>> fixture = EvalFixture.from_json('{"memories": [], "cases": [{"query": "lease end", "relevant": ["lease-2"]}]}')
    >>> fixture.cases[0].relevant
    ('lease-2',)
    """

    memories: tuple[EvalMemory, ...]
    cases: tuple[EvalCase, ...]

    @classmethod
    def read(cls, source: Source, *, name: str | None = None) -> EvalFixture:
        """The fixture in a JSON file; keys that kimetsu does not know are passed over, as it does.

        Args:
            source: a path or an open stream.
            name: what messages call it; by default the path, or the name of the stream.

        Raises:
            FormatError: the file can't be read, or something in it is missing or of another type.
        """
        with opened(source, name) as file:
            fields = _Fields(file, parse_object(file.read(), file), "")
            return cls(
                memories=tuple(_memory(each) for each in fields.records("memories")),
                cases=tuple(_case(each) for each in fields.records("cases")),
            )

    @classmethod
    def from_json(cls, text: str) -> EvalFixture:
        """The fixture in a JSON text.

        Raises:
            FormatError: as `read`.
        """
        return cls.read(io.StringIO(text), name="<text>")


def _memory(fields: _Fields) -> EvalMemory:
    return EvalMemory(
        key=fields.text("key"),
        text=fields.text("text"),
        valid_to=fields.optional_text("valid_to"),
        superseded_by_key=fields.optional_text("superseded_by_key"),
    )


def _case(fields: _Fields) -> EvalCase:
    return EvalCase(
        query=fields.text("query"),
        relevant=fields.texts("relevant"),
        family=fields.optional_text("family"),
        kind=fields.optional_text("kind"),
        stale=fields.texts("stale") if "stale" in fields.record else (),
    )


@dataclass(frozen=True, slots=True)
class _Fields:
    """Typed values of a JSON object, with the place that a mistake is told at."""

    file: File
    record: dict[str, Any]
    where: str

    def text(self, key: str) -> str:
        value = self._required(key)
        if isinstance(value, str):
            return value
        raise self._mistake(key, f"must be text, got {kind_of(value)}")

    def optional_text(self, key: str) -> str | None:
        return None if self.record.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        values = self._list(key)
        for value in values:
            if not isinstance(value, str):
                raise self._mistake(key, f"must hold texts only, got {kind_of(value)}")
        return tuple(values)

    def records(self, key: str) -> list[_Fields]:
        records = []
        for index, value in enumerate(self._list(key)):
            if not isinstance(value, dict):
                raise self._mistake(f"{key}[{index}]", f"must be a mapping, got {kind_of(value)}")
            records.append(_Fields(self.file, value, f"{key}[{index}]."))
        return records

    def _list(self, key: str) -> list[Any]:
        value = self._required(key)
        if isinstance(value, list):
            return value
        raise self._mistake(key, f"must be a list, got {kind_of(value)}")

    def _required(self, key: str) -> Any:
        if key in self.record:
            return self.record[key]
        raise self.file.error(f"{key} is missing", where=self.where.rstrip("."))

    def _mistake(self, key: str, message: str) -> FormatError:
        return self.file.error(message, where=f"{self.where}{key}")
