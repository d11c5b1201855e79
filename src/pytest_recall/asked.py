"""What became of the questions of a suite: replies read in file order, and a result for each case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_recall._text import count, listing
from pytest_recall.answering import answer_in
from pytest_recall.asking import Question, sentence_of
from pytest_recall.case_scores import CaseScores, score_raised
from pytest_recall.diagnosis import mismatch, near_misses, unlabelled
from pytest_recall.drafts import fast
from pytest_recall.errors import DegradedError, RetrievalError
from pytest_recall.evaluation import CaseResult, Evaluation
from pytest_recall.metrics.judged import fast_judged_ranking
from pytest_recall.repeats import over_repeats, unsteady
from pytest_recall.retrieval import NO_ANSWER, LabelReader, Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_recall.asking import Reply
    from pytest_recall.evaluation import CaseId, Policy
    from pytest_recall.metrics import Metric
    from pytest_recall.retrieval import Adapt
    from pytest_recall.suites import Case, Suite

__all__ = ["Asked", "Run", "RunReader", "results_of"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

# There is one for each query, of many fields.
_CaseResult = fast(CaseResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An evaluation, with the exceptions of the retriever by case id, their tracebacks whole."""

    evaluation: Evaluation
    exceptions: Mapping[CaseId, Exception] = field(default_factory=dict)


class Asked(NamedTuple):
    """What became of one question.

    Attributes:
        case: whose it is.
        reading: what came back; no ranking where there was none.
        latency_ms: milliseconds of the user's call, None where it was not measured; with an `error` the call was given
            up then.
        error: what was raised instead.
    """

    case: Case
    reading: Reading = Reading()
    latency_ms: float | None = None
    error: Exception | None = None


class RunReader:
    """Reads the replies to one suite, in file order, so that what finished first changes nothing."""

    def __init__(self, suite: Suite, adapt: Adapt | None = None) -> None:
        self._suite = suite
        self._reader: LabelReader | Reader = (
            LabelReader(suite.labels, adapt)
            if suite.labels
            else Reader(suite.k, suite.policy, on_degraded=suite.on_degraded, adapt=adapt)
        )
        self._asked: list[Asked] = []
        self._unanswered: Iterator[int] = iter(())
        self._retrieved = True

    def skip(self) -> None:
        """No retriever is asked."""
        self._retrieved = False
        self._asked = [Asked(case=case) for case in self._suite.cases for _ in range(self._suite.policy.repeat)]

    def unanswered(self) -> list[Question]:
        """What an answerer is to be asked: the questions whose answer is judged, unless they have failed already."""
        asked = self._asked
        places = [place for place, each in enumerate(asked) if each.case.answers and each.error is None]
        self._unanswered = iter(places)
        return [Question(asked[place].case.query, asked[place].case.args) for place in places]

    def add_answer(self, reply: Reply) -> None:
        """The reply to the next of the unanswered questions."""
        place = next(self._unanswered)
        asked = self._asked[place]
        # What is timed is the retriever, where there is one.
        latency_ms = asked.latency_ms if self._retrieved else reply.latency_ms
        try:
            reading = asked.reading._replace(answer=answer_in(reply))
        except Exception as error:  # noqa: BLE001  # whatever the user's code raises
            late = not self._retrieved and reply.error is not None
            self._asked[place] = asked._replace(error=error, latency_ms=reply.latency_ms if late else None)
        else:
            self._asked[place] = asked._replace(reading=reading, latency_ms=latency_ms)

    def add(self, case: Case, replies: Iterable[Reply]) -> None:
        """The replies to all repeats of the next case."""
        for reply in replies:
            self._asked.append(self._read(case, reply))

    def _read(self, case: Case, reply: Reply) -> Asked:
        if reply.error is not None:
            return Asked(case=case, latency_ms=reply.latency_ms, error=reply.error)
        try:
            reading = self._reader.read(reply.returned, case.query)
        except DegradedError as error:
            return Asked(case=case, reading=Reading(status=error.status), error=error)
        except Exception as error:  # noqa: BLE001  # what came back is the user's code too
            return Asked(case=case, error=error)
        return Asked(case=case, reading=reading, latency_ms=reply.latency_ms)

    def run(self, system: str) -> Run:
        """All of it, once every case was added."""
        suite = self._suite
        asked = [*map(_complete, self._asked)] if suite.answered else self._asked
        each, exceptions = results_of(asked, suite.scored, suite.policy)
        results = [over_repeats(repeats) for repeats in zip(*[iter(each)] * suite.policy.repeat, strict=True)]
        evaluation = Evaluation.of(
            suite.name,
            system,
            suite.settings,
            suite.scored,
            results,
            problem=_problem(suite, results),
            notes=(
                *suite.notes,
                *self._reader.notes,
                *_timed_out(results),
                *unsteady(results),
                *(() if suite.labels else (*near_misses(results), *_short_windows(suite))),
            ),
        )
        return Run(evaluation=evaluation, exceptions=exceptions)


def _complete(asked: Asked) -> Asked:
    """What became of a question, an error where its answer is judged and none came."""
    if not asked.case.answers or asked.reading.answer is not None or asked.error is not None:
        return asked
    kind = asked.reading.no_text
    told = NO_ANSWER if kind is None else f"the answer beside the results is of type {kind}; an answer is text"
    return asked._replace(latency_ms=None, error=RetrievalError(told))


def results_of(
    asked: Sequence[Asked], metrics: Sequence[Metric], policy: Policy
) -> tuple[list[CaseResult], dict[CaseId, Exception]]:
    """A result for each question, and the first exception of each case, those of the user's own metrics among them.

    Of a case that raised, each metric that it would have defined is None.
    """
    judged = [
        fast_judged_ranking(
            policy.judgments(
                each.case.relevant, each.case.stale, answers=each.case.answers, expected=each.case.expected
            ),
            each.reading.ranking,
            each.reading.answer,
        )
        for each in asked
    ]
    scores = CaseScores(metrics, judged, policy.undefined)
    results: list[CaseResult] = []
    exceptions: dict[CaseId, Exception] = {}
    for place, each in enumerate(asked):
        error = each.error
        if error is None:
            try:
                results.append(_result(each, scores.of(place, each.latency_ms)))
                continue
            except Exception as raised:  # noqa: BLE001  # a metric of the user's own
                error = raised
                each = each._replace(latency_ms=None, error=error)  # noqa: PLW2901  # the same question
        exceptions.setdefault(each.case.id, error)
        results.append(_result(each, score_raised(metrics, judged[place].judgments, policy.undefined)))
    return results, exceptions


def _result(asked: Asked, scores: Mapping[str, float | None]) -> CaseResult:
    case, reading, error = asked.case, asked.reading, asked.error
    return _CaseResult(
        id=case.id,
        query=case.query,
        args=case.args,
        fingerprint=case.fingerprint,
        tags=case.tags,
        kind=case.kind,
        family=case.family,
        relevant=case.relevant,
        stale=case.stale,
        answers=case.answers,
        ranking=reading.ranking if error is None else (),
        status=reading.status,
        answer=reading.answer,
        scores=scores,
        latency_ms=asked.latency_ms,
        error=None if error is None else sentence_of(error),
        line=case.line,
    )


def _problem(suite: Suite, results: Sequence[CaseResult]) -> str | None:
    if suite.labels:
        return unlabelled(results, [spec.canonical for spec in suite.labels])
    return mismatch(results, [memory.id for memory in suite.memories])


def _timed_out(cases: Sequence[CaseResult]) -> Iterator[str]:
    late = [case for case in cases if case.error is not None and case.latency_ms is not None]
    if late:
        limit_s = (late[0].latency_ms or 0) / 1000
        named = listing(str(case.id) for case in late)
        yield f"{count(len(late), 'case')} timed out, so the latency is ≥ {limit_s:g} s: {named}"


def _short_windows(suite: Suite) -> Iterator[str]:
    if not any(metric.name == "r_precision" for metric in suite.scored):
        return
    larger = [case.id for case in suite.cases if len(suite.policy.judgments(case.relevant).relevant) > suite.k]
    if larger:
        yield f"r_precision of {larger[0]!r:.80} looks further than k = {suite.k}, for it has more relevant memories"
