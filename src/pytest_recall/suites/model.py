"""What a suite file says, as frozen values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import orjson

from pytest_recall import _json
from pytest_recall.asking import Plan
from pytest_recall.evaluation import MemoriesDigest, Policy, Settings, groups_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from pytest_recall.bounds import Gate, Threshold, Tolerance
    from pytest_recall.labels import LabelSpec
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import OnDegraded

__all__ = ["Case", "LoopScope", "Mark", "Memory", "Suite"]

LoopScope = Literal["function", "module", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One stored text with an id, handed to the retriever as it is.

    Attributes:
        valid_from, valid_to: aware moments, as RFC 3339 has them; scoring does not filter by them.
        superseded_by: id of the memory that replaced this one.
        line: line in the file that holds it.

    >>> Memory(id="lease-1", text="the lease ends in May", superseded_by="lease-2").superseded_by
    'lease-2'
    """

    id: str
    text: str = ""
    title: str = ""
    metadata: Any = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One query with what is expected of it.

    Attributes:
        query: the query, or what a classifier is given.
        relevant: id → grade; empty for a negative, None where nothing says what should come back, and of a classifier's
            case the expected label alone.
        expected: the label that a classifier should give, None of a case for a retriever.
        stale: ids that must not come back.
        answers: texts that would do as an answer; empty where the answer is not judged.
        args: keyword arguments for the retriever, this case only.
        expect: the case's own bounds.
        line: line in the file that holds it.

    >>> case = Case(id="lease", query="when does the lease end?", relevant={"lease-2": 1}, tags=("legal",), kind="fact")
    >>> case.groups, len(case.fingerprint)
    (('legal', 'kind=fact'), 16)
    """

    id: str
    query: str
    relevant: Mapping[str, float] | None
    stale: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kind: str | None = None
    family: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    expect: tuple[Threshold, ...] = ()
    expected: str | None = None
    line: int | None = field(default=None, compare=False)
    _fingerprint: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def groups(self) -> tuple[str, ...]:
        return groups_of(self.tags, self.kind, self.family)

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change when the question changes: query, grades, stale ids, args, answers."""
        # Once, for every repeat of every system asks for it.
        if self._fingerprint is None:
            object.__setattr__(self, "_fingerprint", self._digest())
        return self._fingerprint  # type: ignore[return-value]  # just set

    def _digest(self) -> str:
        relevant = self.relevant
        grades = None if relevant is None else [(id, _json.plain(grade)) for id, grade in sorted(relevant.items())]
        question = [self.query, grades, sorted(self.stale), dict(self.args)]
        # Only where there are some, so that every other question keeps its digest.
        if self.answers:
            question.append(sorted(self.answers))
        return hashlib.sha256(_canonical(question)).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A pytest mark that a suite puts on all its items, with literal arguments, and its line."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    line: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One suite, checked and complete.

    Attributes:
        name: POSIX path from the root, as messages and baselines show it.
        path: where the file is.
        retriever: name of the fixture that is asked, None where the suite leaves it open.
        k: results asked for per query.
        metrics: metrics to report, in the order of their items.
        scored: these, those that only a case's own bounds name, and ``judged@k`` or, with labels, ``accuracy``.
        on_degraded: what a response is that says it is no success.
        max_drop, alpha: tolerance for every metric without its own.
        memories: empty where the retriever has its own index.
        gates: what the suite's items judge, in item order.
        notes: what a reader of the scores should know of how its files were read.
        labels: what a classifier tells apart; empty where the suite is a retriever's.
        plan: how the queries are asked.
        loop_scope: how long the event loop of an asynchronous retriever lives, None where the retriever is none.

    >>> from pytest_recall import load_suite
    >>> from pathlib import Path
    >>> text = "{metrics: [mrr], cases: [{id: lease, query: when does the lease end?, relevant: [lease-2]}]}"
    >>> _ = Path("notes.eval.yaml").write_text(text, encoding="utf-8")
    >>> suite = load_suite("notes.eval.yaml")
    >>> suite.name, [str(metric) for metric in suite.metrics], suite.settings.k
    ('notes.eval.yaml', ['mrr'], 10)
    """

    name: str
    path: Path
    k: int
    metrics: tuple[Metric, ...]
    scored: tuple[Metric, ...]
    memories: tuple[Memory, ...]
    cases: tuple[Case, ...]
    gates: tuple[Gate, ...]
    retriever: str | None = None
    policy: Policy = field(default_factory=Policy)
    on_degraded: OnDegraded = "error"
    max_drop: Tolerance | None = None
    alpha: float | None = None
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    plan: Plan = field(default_factory=Plan)
    loop_scope: LoopScope | None = None
    labels: tuple[LabelSpec, ...] = ()

    @property
    def role(self) -> Literal["retriever", "classifier"]:
        """What is asked."""
        return "classifier" if self.labels else "retriever"

    def planned(self, plan: Plan) -> Suite:
        """The suite with another plan; how often a query is asked is also part of the policy."""
        return replace(self, plan=plan, policy=replace(self.policy, repeat=plan.repeat or 1))

    @property
    def ranked(self) -> bool:
        """Some case says what should come back."""
        return any(case.relevant is not None for case in self.cases)

    @property
    def answered(self) -> bool:
        """Some case says what should be answered."""
        return any(case.answers for case in self.cases)

    @property
    def settings(self) -> Settings:
        return Settings(k=self.k, policy=self.policy, memories=self._digest())

    def _digest(self) -> MemoriesDigest | None:
        if not self.memories:
            return None
        digest = hashlib.sha256()
        for memory in self.memories:
            digest.update(_json.canonical([memory.id, memory.title, memory.text, memory.metadata]).encode())
            digest.update(b"\n")
        return MemoriesDigest(count=len(self.memories), sha256=digest.hexdigest())


def _canonical(question: list[Any]) -> bytes:
    """The canonical JSON of a question; orjson writes texts and small whole numbers alike, several times as fast."""
    _, grades, _, args, *_ = question
    if not args and {type(grade) for _, grade in grades or ()} <= {int}:
        try:
            return orjson.dumps(question)
        except orjson.JSONEncodeError:  # half of a surrogate pair, or a number of more than 64 bits
            pass
    return _json.canonical(question).encode("utf-8", "surrogatepass")
