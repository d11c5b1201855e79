"""A suite and a retriever make an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from pytest_recall._text import shorten
from pytest_recall.case_scores import CaseScores, score_raised
from pytest_recall.diagnosis import mismatch, near_misses
from pytest_recall.errors import DegradedError, RecallError
from pytest_recall.evaluation import CaseResult, Evaluation
from pytest_recall.metrics import JudgedRanking
from pytest_recall.retrieval import Caller, Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.evaluation import Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import Adapt
    from pytest_recall.suites import Case, Suite

__all__ = ["Asked", "Run", "evaluate", "results_of", "run_suite"]

_LONGEST_ERROR = 500

# A failing test shows the user's own lines.
__tracebackhide__ = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An evaluation, with the exceptions of the retriever by case id, their tracebacks whole."""

    evaluation: Evaluation
    exceptions: Mapping[str, Exception] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What became of a case.

    Attributes:
        reading: what came back; no ranking where there was none.
        latency_ms: milliseconds of the user's call, None where it was not measured.
        exception: what was raised instead.
    """

    case: Case
    reading: Reading = field(default_factory=Reading)
    latency_ms: float | None = None
    exception: Exception | None = None


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
    asked = [asking.ask(case) for case in suite.cases]
    results, exceptions = results_of(asked, suite.scored, suite.policy)
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

    def ask(self, case: Case) -> Asked:
        """What became of a case; whatever the user's code raises belongs to it."""
        start = perf_counter()
        try:
            returned = self.caller(case.query, self.k, case.args)
            if isinstance(returned, Iterator):
                # A generator does its work while it is read, so reading it is part of the call.
                reading = self.reader.read(returned, case.query)
                return Asked(case=case, reading=reading, latency_ms=(perf_counter() - start) * 1000)
            latency_ms = (perf_counter() - start) * 1000
            return Asked(case=case, reading=self.reader.read(returned, case.query), latency_ms=latency_ms)
        except DegradedError as error:
            return Asked(case=case, reading=Reading(status=error.status), exception=error)
        except Exception as error:  # noqa: BLE001  # as above
            return Asked(case=case, exception=error)


def results_of(
    asked: Sequence[Asked], metrics: Sequence[Metric], policy: Policy
) -> tuple[list[CaseResult], dict[str, Exception]]:
    """Cases with their scores, and the exceptions by case id, those of the user's own metrics among them.

    Of a case that raised, each metric that it would have defined is None.
    """
    judged = [
        JudgedRanking(policy.judgments(each.case.relevant, each.case.stale), each.reading.ranking) for each in asked
    ]
    scores = CaseScores(metrics, judged, policy.undefined)
    results: list[CaseResult] = []
    exceptions: dict[str, Exception] = {}
    for place, each in enumerate(asked):
        error = each.exception
        if error is None:
            try:
                results.append(_result(each, scores.of(place, each.latency_ms)))
                continue
            except Exception as raised:  # noqa: BLE001  # a metric of the user's own
                error = raised
        exceptions[each.case.id] = error
        raised_scores = score_raised(metrics, judged[place].judgments, policy.undefined)
        results.append(_result(replace(each, exception=error), raised_scores))
    return results, exceptions


def _result(asked: Asked, scores: Mapping[str, float | None]) -> CaseResult:
    case, reading, error = asked.case, asked.reading, asked.exception
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
        ranking=reading.ranking if error is None else (),
        status=reading.status,
        answer=reading.answer,
        scores=scores,
        latency_ms=asked.latency_ms if error is None else None,
        error=None if error is None else _sentence(error),
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
