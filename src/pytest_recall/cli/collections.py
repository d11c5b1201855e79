"""Other people's collections as memories and cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_recall._text import count, listing
from pytest_recall.errors import RecallError
from pytest_recall.formats import read_documents, read_qrels, read_queries
from pytest_recall.kimetsu import EvalFixture
from pytest_recall.suites import Case, Memory
from pytest_recall.suites.getters import parse_moment

if TYPE_CHECKING:
    from collections.abc import Collection as Texts
    from collections.abc import Iterator, Mapping

    from pytest_recall.formats import Source
    from pytest_recall.kimetsu import EvalCase, EvalMemory

__all__ = ["Collection", "judged_collection", "kimetsu_fixture"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What a suite is made from.

    Attributes:
        notes: what was left out or changed, a sentence each.
    """

    memories: tuple[Memory, ...]
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()


def judged_collection(qrels: Source, queries: Source, corpus: Source | None) -> Collection:
    """The documents of a collection as memories, and its judged queries as cases, in file order.

    A document with a negative grade is kept as judged, with grade 0.

    Args:
        qrels: judgments, of TREC or BEIR.
        queries: what `read_queries` reads.
        corpus: what `read_documents` reads; None where the retriever has its own.

    Raises:
        FormatError: a file can't be read.
        RecallError: no query has a judgment.
    """
    judged: Mapping[str, Mapping[str, float]] = read_qrels(qrels)
    texts = read_queries(queries)
    asked = [id for id in texts if id in judged]
    if not asked:
        raise RecallError(f"no query has a judgment: queries are {listing(texts)}, judged are {listing(judged)}")
    documents = [] if corpus is None else read_documents(corpus)
    memories = tuple(Memory(id=each.id, title=each.title, text=each.text, metadata=each.metadata) for each in documents)
    notes = [*_notes(judged, texts)]
    if memories:
        judged, left_out = _without_absent(judged, asked, {memory.id for memory in memories})
        if left_out:
            notes.append(f"{count(left_out, 'judgment')} left out, not relevant and not in the corpus")
    cases = tuple(
        Case(id=id, query=texts[id], relevant={each: max(grade, 0.0) for each, grade in judged[id].items()})
        for id in asked
    )
    return Collection(memories=memories, cases=cases, notes=tuple(notes))


def _without_absent(
    judged: Mapping[str, Mapping[str, float]], asked: Texts[str], known: Texts[str]
) -> tuple[Mapping[str, Mapping[str, float]], int]:
    """The judgments without what is not relevant and not in the corpus, and how many these were.

    A query of which nothing would be left keeps its own, for without any it would be one that nothing answers.
    """
    kept, left_out = {}, 0
    for id in asked:
        there = {document: grade for document, grade in judged[id].items() if grade > 0 or document in known}
        kept[id] = there or judged[id]
        left_out += len(judged[id]) - len(kept[id])
    return kept, left_out


def _notes(judged: Mapping[str, Mapping[str, float]], queries: Texts[str]) -> Iterator[str]:
    unjudged = [id for id in queries if id not in judged]
    if unjudged:
        all_of_them = count(len(queries), "query", "queries")
        yield f"{len(unjudged):,} of {all_of_them} left out, without judgments: {listing(unjudged)}"
    unknown = [topic for topic in judged if topic not in queries]
    if unknown:
        yield f"judgments of {count(len(unknown), 'topic')} without a query left out: {listing(unknown)}"
    negative = sum(grade < 0 for topic in judged if topic in queries for grade in judged[topic].values())
    if negative:
        yield f"{count(negative, 'negative grade')} written as 0: judged, and not relevant"


def kimetsu_fixture(source: Source) -> Collection:
    """The memories and cases of a fixture. A query that is asked again gets an id with a number.

    Raises:
        FormatError: the fixture can't be read.
        RecallError: a memory ends at no moment.
    """
    fixture = EvalFixture.read(source)
    asked: dict[str, int] = {}
    cases = []
    for case in fixture.cases:
        asked[case.query] = times = asked.get(case.query, 0) + 1
        cases.append(_case(case, case.query if times == 1 else f"{case.query} ({times})"))
    repeated = [query for query, times in asked.items() if times > 1]
    notes = (f"asked more than once, so their cases have ids with a number: {listing(repeated)}",)
    return Collection(
        memories=tuple(map(_memory, fixture.memories)), cases=tuple(cases), notes=notes if repeated else ()
    )


def _case(case: EvalCase, id: str) -> Case:
    return Case(
        id=id,
        query=case.query,
        relevant=dict.fromkeys(case.relevant, 1.0),
        stale=tuple(dict.fromkeys(case.stale)),
        kind=case.kind,
        family=case.family,
    )


def _memory(memory: EvalMemory) -> Memory:
    valid_to = None if memory.valid_to is None else parse_moment(memory.valid_to)
    if memory.valid_to is not None and valid_to is None:
        raise RecallError(
            f"valid_to of the memory {memory.key!r:.80} must be an RFC 3339 date and time such as "
            f"2024-05-01T00:00:00Z, got {memory.valid_to!r:.80}"
        )
    return Memory(id=memory.key, text=memory.text, valid_to=valid_to, superseded_by=memory.superseded_by_key)
