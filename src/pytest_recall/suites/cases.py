"""The cases of a suite."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_recall.drafts import fast
from pytest_recall.suites import getters
from pytest_recall.suites.frozen import frozen
from pytest_recall.suites.keys import CASE_KEYS
from pytest_recall.suites.lines import never_plain, read_lines
from pytest_recall.suites.literals import arguments
from pytest_recall.suites.model import Case
from pytest_recall.suites.nodes import MappingNode, ScalarNode, SequenceNode, describe, is_missing, line_of, quote
from pytest_recall.suites.plain import plain_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_recall.metrics import Gain
    from pytest_recall.suites.files import OtherFile
    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems
    from pytest_recall.suites.thresholds import BoundsReader, Named

__all__ = ["MOST_GRADE", "NO_CASES", "CaseReader", "WrittenCases"]

# The gain of an exponential grade is a power of two.
MOST_GRADE: Mapping[Gain, int] = {"linear": 1_000_000, "exponential": 100}

NO_CASES = "no cases, so there is nothing to ask"

_Case = fast(Case)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCases:
    """The cases of a suite, with the places that checks of the whole suite may have to name.

    Attributes:
        cases: in file order.
        nodes: id → where the case is written, for those that stand in the suite itself.
        expect: id → the bounds of a case, for those that have their own.
        file: name of the file that they stand in, None for the suite itself.
        notes: what a reader of the scores should know of how they were read.
    """

    cases: Sequence[Case] = ()
    nodes: Mapping[str, Node] = field(default_factory=dict)
    expect: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)
    file: str | None = None
    notes: tuple[str, ...] = ()


class CaseReader:
    """Reads cases against what the rest of their suite says.

    Args:
        known: ids of the memories, None where nobody can tell.
        gain: what a grade is worth.
        bounds: reader of ``expect``.
        problems: where mistakes are noted.

    Attributes:
        keys: what a case may hold.
        question, judged: the two of them that it must hold, what is asked and what is expected of it.
    """

    keys = CASE_KEYS
    question = "query"
    judged = "relevant"

    def __init__(self, known: frozenset[str] | None, gain: Gain, bounds: BoundsReader, problems: Problems) -> None:
        self._known = known
        self._gain = gain
        self._problems = problems
        self._first: dict[str, Case] = {}
        self._expect: dict[str, tuple[Named, ...]] = {}
        self._optional = {
            "id": lambda node: getters.text(node, problems),
            "answers": self._answers,
            "stale": lambda node: tuple(dict.fromkeys(self._ids(node))),
            "tags": lambda node: tuple(dict.fromkeys(getters.texts(node, problems))),
            "kind": lambda node: getters.text(node, problems),
            "family": lambda node: getters.text(node, problems),
            "args": lambda node: frozen(arguments(node, problems)),
            "expect": bounds.of_cases,
        }

    def of_list(self, nodes: Sequence[Node]) -> WrittenCases:
        """The cases that a suite lists."""
        cases = [self._read(node) for node in nodes]
        by_id = {case.id: node for case, node in zip(cases, nodes, strict=True)}
        return WrittenCases(cases=cases, nodes=by_id, expect=self._expect)

    def of_lines(self, file: OtherFile) -> WrittenCases:
        """The cases of a JSON lines file, which are written as in a suite."""
        cases = read_lines(file, "cases", self._plain, self._read, self._problems)
        if cases == []:
            file.tell(self._problems, NO_CASES)
        if cases and len({case.id for case in cases}) < len(cases):
            self._first.clear()
            read_lines(file, "cases", never_plain, self._read, self._problems)
        return WrittenCases(cases=cases or (), expect=self._expect, file=file.name)

    def _plain(self, lines: Sequence[bytes], first: int) -> list[Case] | None:
        return plain_cases(lines, first, self._known, MOST_GRADE[self._gain])

    def _read(self, node: Node) -> Case:
        """One case; it must be the next of the file."""
        fields = self.keys.read(node, self._problems)
        query = getters.required_text(node, fields, self.question, self._problems)
        given: dict[str, Any] = {"id": query, **self._judgments(node, fields)}
        for key, (_, value) in fields.items():
            if key not in (self.question, self.judged) and not is_missing(value):
                given[key] = self._optional[key](value)
        expect = given.pop("expect", ())
        bounds = tuple(named.threshold for named in expect)
        case = _Case(query=query, expect=bounds, line=line_of(node), **given)
        if expect:
            self._expect[case.id] = expect
        self._check_id(case, fields)
        if case.stale:
            self._check_stale(case, fields["stale"][1])
        return case

    def _judgments(self, node: Node, fields: Mapping[str, Pair]) -> dict[str, Any]:
        """What is expected, as fields of the case; one with answers may leave open what should come back."""
        if _is_given(fields, "answers") and not _is_given(fields, self.judged):
            return {"relevant": None}
        judged = getters.required(node, fields, self.judged, self._problems)
        return {"relevant": {} if judged is None else self._grades(judged)}

    def _answers(self, node: Node) -> tuple[str, ...]:
        answers = getters.texts(node, self._problems)
        if isinstance(node, SequenceNode) and not answers:
            self._problems.add(node, "must hold a text that would do as an answer, got an empty list")
        return tuple(dict.fromkeys(answers))

    def _grades(self, node: Node) -> dict[str, float]:
        if isinstance(node, SequenceNode):
            return dict.fromkeys(self._ids(node), 1.0)
        if not isinstance(node, MappingNode):
            self._problems.add(node, f"must be a list of ids, or a mapping from id to grade, got {describe(node)}")
            return {}
        graded = getters.mapping(node, self._problems)
        if not self._knows(graded):
            self._refuse_unknown([key for key, _ in graded.values()])
        return {id: self._grade(id, value) for id, (_, value) in graded.items()}

    def _grade(self, id: str, node: Node) -> float:
        grade, most = getters.number(node, self._problems), MOST_GRADE[self._gain]
        if not 0 <= grade <= most:
            under = " under gain: exponential" if self._gain == "exponential" else ""
            self._problems.add(
                node, f"the grade of {quote(id)} must be from 0 to {most:,}{under}, got {describe(node)}"
            )
        return grade

    def _ids(self, node: Node) -> list[str]:
        ids = getters.texts(node, self._problems)
        if not self._knows(ids):
            self._refuse_unknown(node.value)
        return ids

    def _knows(self, ids: Iterable[str]) -> bool:
        return self._known is None or self._known.issuperset(ids)

    def _refuse_unknown(self, nodes: list[Node]) -> None:
        known = self._known or frozenset()
        for node in nodes:
            # What is no text has been told already.
            if isinstance(node, ScalarNode) and not is_missing(node) and node.value not in known:
                hint = self._problems.did_you_mean(node.value, known)
                self._problems.add(node, f"unknown memory {quote(node.value)}{hint}")

    def _check_stale(self, case: Case, node: Node) -> None:
        if case.relevant is None and case.answers:
            message = "needs 'relevant' beside it, for without it nothing judges what comes back; write relevant: []"
            self._problems.add(node, message)
        for child in node.value:
            if isinstance(child, ScalarNode) and (case.relevant or {}).get(child.value, 0) > 0:
                self._problems.add(child, f"{quote(child.value)} is relevant to this case, so it can't be stale")

    def _check_id(self, case: Case, fields: Mapping[str, Pair]) -> None:
        first = self._first.setdefault(case.id, case)
        named = _is_given(fields, "id")
        if named and not case.id.strip():
            self._problems.add(fields["id"][1], "id is blank")
        elif first is not case and case.id:
            key, advice = ("id", "") if named else (self.question, "; give both cases an id")
            node = fields[key][1]
            self._problems.add(node, f"the {key} {quote(case.id)} is here twice, first on line {first.line}{advice}")


def _is_given(fields: Mapping[str, Pair], key: str) -> bool:
    return key in fields and not is_missing(fields[key][1])
