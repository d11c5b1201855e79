"""A suite and a retriever make an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from pytest_recall._text import shorten
from pytest_recall.diagnosis import mismatch, near_misses
from pytest_recall.errors import DegradedError, RecallError
from pytest_recall.evaluation import CaseResult, Evaluation, score_case, score_raised
from pytest_recall.metrics import JudgedRanking
from pytest_recall.retrieval import Caller, Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import Adapt
    from pytest_recall.suites import Case, Suite

__all__ = ["Run", "evaluate", "result_of", "run_suite"]

_LONGEST_ERROR = 500

# A failing test shows the user's own lines.
__tracebackhide__ = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An evaluation, with the exceptions of the retriever by case id, their tracebacks whole."""

    evaluation: Evaluation
    exceptions: Mapping[str, Exception] = field(default_factory=dict)


def evaluate(suite: Suite, retriever: object, *, system: str = "retriever", adapt: Adapt | None = None) -> Evaluation:
    """What `retriever` scores on `suite`; a case that raises is part of the result, and nothing is retried.

    Args:
        suite: what to ask, and what is expected.
        retriever: anything that a fixture `retriever` may be.
        system: its name in reports and baselines.
        adapt: asked first, with what came back and the query; gives what a retriever may return, or None.

    Raises:
        RetrievalError: `retriever` can't be called at all.
    """
    return run_suite(suite, retriever, system=system, adapt=adapt).evaluation


def run_suite(suite: Suite, retriever: object, *, system: str, adapt: Adapt | None = None) -> Run:
    """As `evaluate`, with the exceptions too."""
    asking = _Asking(Caller.of(retriever), suite, adapt)
    exceptions: dict[str, Exception] = {}
    results = []
    for case in suite.cases:
        try:
            reading, latency_ms = asking.ask(case)
            result = result_of(case, suite.scored, suite.policy, reading, latency_ms=latency_ms)
        except Exception as error:  # noqa: BLE001  # whatever the user's code raises belongs to its case
            exceptions[case.id] = error
            # Its status is counted, whatever became of it.
            failed = Reading(status=error.status if isinstance(error, DegradedError) else None)
            result = result_of(case, suite.scored, suite.policy, failed, error=_sentence(error))
        results.append(result)
    evaluation = Evaluation.of(
        suite.name,
        system,
        suite.settings,
        suite.scored,
        results,
        problem=mismatch(results, [memory.id for memory in suite.memories]),
        notes=(*asking.reader.notes, *near_misses(results), *_short_windows(suite)),
    )
    return Run(evaluation=evaluation, exceptions=exceptions)


class _Asking:
    """Asks one retriever the queries of one suite."""

    def __init__(self, caller: Caller, suite: Suite, adapt: Adapt | None) -> None:
        self.caller, self.k = caller, suite.k
        self.reader = Reader(suite.k, suite.policy, on_degraded=suite.on_degraded, adapt=adapt)

    def ask(self, case: Case) -> tuple[Reading, float]:
        """What came back, and the milliseconds of the user's call."""
        start = perf_counter()
        returned = self.caller(case.query, self.k, case.args)
        if isinstance(returned, Iterator):
            # A generator does its work while it is read, so reading it is part of the call.
            reading = self.reader.read(returned, case.query)
            return reading, (perf_counter() - start) * 1000
        latency_ms = (perf_counter() - start) * 1000
        return self.reader.read(returned, case.query), latency_ms


def result_of(
    case: Case,
    metrics: Sequence[Metric],
    policy: Policy,
    reading: Reading,
    *,
    latency_ms: float | None = None,
    error: str | None = None,
) -> CaseResult:
    """A case with its scores; of one that raised, each metric that it would have defined is None."""
    judgments = policy.judgments(case.relevant, case.stale)
    if error is None:
        scores = score_case(metrics, JudgedRanking(judgments, reading.ranking), policy.undefined, latency_ms)
    else:
        scores = dict(score_raised(metrics, judgments, policy.undefined))
    return CaseResult(
        id=case.id,
        query=case.query,
        args=case.args,
        fingerprint=case.fingerprint,
        tags=case.tags,
        kind=case.kind,
        family=case.family,
        relevant=case.relevant,
        stale=case.stale,
        ranking=reading.ranking,
        status=reading.status,
        answer=reading.answer,
        scores=scores,
        latency_ms=latency_ms,
        error=error,
        line=case.line,
    )


def _sentence(error: Exception) -> str:
    """The error on one line; its type is told where the text is not ours."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # the user's code again
        text = ""
    line = shorten(text.strip().split("\n", 1)[0], _LONGEST_ERROR)
    return line if isinstance(error, RecallError) else f"{type(error).__name__}: {line}".removesuffix(": ")


def _short_windows(suite: Suite) -> Iterator[str]:
    if not any(metric.name == "r_precision" for metric in suite.scored):
        return
    larger = [case.id for case in suite.cases if len(suite.policy.judgments(case.relevant).relevant) > suite.k]
    if larger:
        yield f"r_precision of {larger[0]!r:.80} looks further than k = {suite.k}, for it has more relevant memories"
