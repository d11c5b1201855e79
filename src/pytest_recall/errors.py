"""The errors of the package, and the one shape a mistake in a file has."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AnswererError",
    "AsynchronousError",
    "BaselineError",
    "DegradedError",
    "FormatError",
    "MetricError",
    "MissingExtraError",
    "NoRankingError",
    "Problem",
    "RecallError",
    "ReportError",
    "RetrievalError",
    "SuiteError",
    "did_you_mean",
    "nearest",
]


class RecallError(Exception):
    """Anything that is wrong with what a user handed in; its text is one clear sentence.

    >>> from pytest_recall import evaluate_retrieval
    >>> try:
    ...     evaluate_retrieval(lambda query: [], {"q1": "when does the lease end?"}, {"q1": "lease-2"})
    ... except RecallError as error:
    ...     print(error)
    query 'q1' in qrels: a bare str 'lease-2' is no list of ids
    """


class MetricError(RecallError, ValueError):
    """A metric name, a cutoff or a bound that means nothing.

    >>> from pytest_recall import parse_metric
    >>> try:
    ...     parse_metric("nddcg@5")
    ... except MetricError as error:
    ...     print(error)
    unknown metric 'nddcg@5' (did you mean 'ndcg@5'?)
    """


class RetrievalError(RecallError):
    """A retriever that can't be called, or that returned something which is no ranking.

    >>> from pytest_recall import evaluate_retrieval
    >>> evaluate_retrieval(lambda query: None, ["when does the lease end?"], [["a"]]).cases[0].error.partition(";")[0]
    'the retriever returned None (missing return?)'
    """


class NoRankingError(RetrievalError):
    """What came back is no ranking.

    Its argument is what it is made of again in another process.
    """

    def __init__(self, what: str) -> None:
        self.what: str = what
        super().__init__(what)

    def __str__(self) -> str:
        return f"the retriever returned {self.what}"


class AnswererError(RetrievalError):
    """An answerer that can't be called at all."""


class AsynchronousError(RetrievalError):
    """What only an event loop can read, where there is none.

    Its arguments are what it is made of again in another process.
    """

    def __init__(self, noun: str, kind: str) -> None:
        self.noun: str = noun
        self.kind: str = kind
        super().__init__(noun, kind)

    def __str__(self) -> str:
        return (
            f"the {self.noun} is asynchronous (it returned an object of type {self.kind}): "
            f"declare `async: true` in the suite, or await it where it is called"
        )


class DegradedError(RetrievalError):
    """A response that says of itself that it is no success."""

    def __init__(self, status: str) -> None:
        self.status = status
        super().__init__(status)

    def __str__(self) -> str:
        return (
            f"the response is degraded: its status is {self.status!r:.80}, not 'success' "
            f"(on_degraded 'warn' scores it all the same)"
        )


class BaselineError(RecallError):
    """A baseline file that can't be read or written.

    >>> from pytest_recall import read_baseline
    >>> try:
    ...     read_baseline("missing.json")
    ... except BaselineError as error:
    ...     print(error)
    missing.json: there is no such file
    """


class MissingExtraError(RecallError, ImportError):
    """A feature whose library is not installed.

    >>> print(MissingExtraError(".toml reports", "toml"))
    .toml reports need what is not installed: pip install 'pytest-recall[toml]'
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} need what is not installed: pip install 'pytest-recall[{extra}]'")


class ReportError(RecallError):
    """A report file that can't be read or written.

    >>> from pytest_recall import read_report
    >>> try:
    ...     read_report("missing.json")
    ... except ReportError as error:
    ...     print(error)
    missing.json: there is no such file
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One mistake in a file.

    Attributes:
        path: the file, relative to the root the user thinks in.
        line: counted from 1; None when the whole file is meant.
        column: counted from 1.
        where: the place in the document, such as ``cases[3].relevant``; empty for the whole file.
        message: what is wrong and what would be right.

    >>> print(Problem(path="notes.eval.yaml", line=3, column=5, where="cases[0]", message="query is missing"))
    notes.eval.yaml:3:5: cases[0]: query is missing
    """

    path: str
    line: int | None = None
    column: int | None = None
    where: str = ""
    message: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.where, self.message) if part)


class SuiteError(RecallError):
    """Every mistake of one suite, in file order.

    >>> from pytest_recall import load_suite
    >>> try:
    ...     load_suite("missing.eval.yaml")
    ... except SuiteError as error:
    ...     print(error.problems[0].message)
    can't be read: No such file or directory
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class FormatError(RecallError):
    """A file of queries, judgments or rankings that can't be read, or can't hold what is to be written.

    >>> import io
    >>> from pytest_recall.formats import read_qrels
    >>> try:
    ...     read_qrels(io.StringIO("q1 0 d1 high"), name="qrels.txt")
    ... except FormatError as error:
    ...     print(error)
    qrels.txt:1: the grade must be a finite number, got 'high'
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a misspelt `word` most likely means, None when none is near."""
    near = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.6)
    return near[0] if near else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """The suggestion that ends a message about an unknown `word`: ``" (did you mean 'x'?)"`` or nothing."""
    near = nearest(word, candidates)
    return f" (did you mean {near!r}?)" if near else ""
