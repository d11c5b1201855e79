"""Queries and their judgments in files of their own, as BEIR and TREC have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall._json import plain
from pytest_recall._text import count
from pytest_recall.errors import FormatError
from pytest_recall.formats.qrels import lines_of_judgments, read_qrels
from pytest_recall.suites import getters
from pytest_recall.suites.cases import MOST_GRADE, NO_CASES, WrittenCases
from pytest_recall.suites.keys import QUERY_LINE_KEYS
from pytest_recall.suites.lines import read_lines
from pytest_recall.suites.model import Case
from pytest_recall.suites.nodes import line_of, quote
from pytest_recall.suites.plain import plain_queries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_recall.metrics import Gain
    from pytest_recall.suites.files import OtherFile
    from pytest_recall.suites.nodes import Node
    from pytest_recall.suites.problems import Problems

__all__ = ["JudgedQueries"]


class JudgedQueries:
    """Reads queries and judgments against what the rest of their suite says.

    Args:
        known: ids of the memories, None where nobody can tell.
        gain: what a grade is worth.
        problems: where mistakes are noted.
    """

    def __init__(self, known: frozenset[str] | None, gain: Gain, problems: Problems) -> None:
        self._known = known
        self._gain = gain
        self._problems = problems
        self._judged: Mapping[str, Mapping[str, float]] = {}
        self._lines: dict[str, int] = {}

    def read(self, queries: OtherFile, qrels: OtherFile) -> WrittenCases:
        """A case for each query that has judgments; those without are left out and counted."""
        for file in (queries, qrels):
            self._problems.expect_file(file.name)
        try:
            self._judged = read_qrels(qrels.path, name=qrels.name)
        except FormatError as error:
            qrels.tell_error(self._problems, error)
        entries = read_lines(queries, "queries", self._plain, self._read, self._problems)
        if entries == []:
            queries.tell(self._problems, NO_CASES)
        if entries is not None and self._judged:
            self._tell_mistakes(qrels)
        cases = [case for case in entries or () if case is not None]
        notes = (*_left_out(len(entries or ()) - len(cases), queries, qrels), *_below_zero(cases, qrels))
        return WrittenCases(cases=cases, file=queries.name, notes=notes)

    def _plain(self, lines: Sequence[bytes], first: int) -> list[Case | None] | None:
        queries = plain_queries(lines)
        if queries is None:
            return None
        numbers = {id: first + index for index, (id, _) in enumerate(queries)}
        if len(numbers) < len(queries) or not self._lines.keys().isdisjoint(numbers):
            return None
        self._lines.update(numbers)
        return [self._case(id, text, numbers[id]) for id, text in queries]

    def _read(self, node: Node) -> Case | None:
        """The case of one query, None where nothing is judged; it must be the next of the file."""
        fields = QUERY_LINE_KEYS.read(node, self._problems)
        id = getters.required_text(node, fields, "id", self._problems)
        text = getters.required_text(node, fields, "text", self._problems)
        line = line_of(node)
        first = self._lines.setdefault(id, line)
        if first != line and id:
            self._problems.add(fields["id"][1], f"the id {quote(id)} is here twice, first on line {first}")
        return self._case(id, text, line)

    def _case(self, id: str, text: str, line: int) -> Case | None:
        grades = self._judged.get(id)
        return None if grades is None else Case(id=id, query=text, relevant=grades, line=line)

    def _tell_mistakes(self, qrels: OtherFile) -> None:
        mistakes = [*self._mistakes()]
        lines = lines_of_judgments(qrels.path, name=qrels.name) if mistakes else {}
        for topic, document, message in mistakes:
            line = lines.get((topic, document))
            told = message if line is not None else f"topic {quote(topic)}: {message}"
            qrels.tell(self._problems, told, line)

    def _mistakes(self) -> Iterator[tuple[str, str, str]]:
        """Topic, document and message of what is wrong with the judgments, a topic without a query once."""
        most = MOST_GRADE[self._gain]
        under = " under gain: exponential" if self._gain == "exponential" else ""
        for topic, grades in self._judged.items():
            # Where the id of a query is missing nobody knows which it was.
            if topic not in self._lines and "" not in self._lines:
                hint = self._problems.did_you_mean(topic, self._lines)
                yield topic, next(iter(grades), ""), f"unknown query {quote(topic)}{hint}"
                continue
            for id, grade in grades.items():
                if grade > most:
                    yield topic, id, f"the grade of {quote(id)} must be at most {most:,}{under}, got {plain(grade):,}"
                # What was judged and found wanting may be missing: nobody can find less of it.
                if grade > 0 and self._known is not None and id not in self._known:
                    hint = self._problems.did_you_mean(id, self._known)
                    yield topic, id, f"unknown memory {quote(id)}{hint}"


def _left_out(amount: int, queries: OtherFile, qrels: OtherFile) -> Iterator[str]:
    if amount:
        yield f"{count(amount, 'query', 'queries')} of {queries.name} left out: no judgments in {qrels.name}"


def _below_zero(cases: Sequence[Case], qrels: OtherFile) -> Iterator[str]:
    amount = sum(grade < 0 for case in cases for grade in (case.relevant or {}).values())
    if amount:
        yield f"{count(amount, 'judgment')} of {qrels.name} with a grade below 0, taken for judged and not relevant"
