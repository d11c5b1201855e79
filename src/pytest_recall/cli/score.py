"""``pytest-recall score``: the numbers of ``trec_eval -c``."""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pytest_recall._text import count, listing
from pytest_recall.bounds import check_bound
from pytest_recall.cli.output import note, say, standard_input
from pytest_recall.cli.progress import shown_progress
from pytest_recall.errors import MetricError, RecallError
from pytest_recall.formats import read_qrels
from pytest_recall.formats.runs import iter_encoded_run
from pytest_recall.metrics import Gain, parse_metric
from pytest_recall.scoring.options import metrics_named
from pytest_recall.scoring.runs import score_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_recall.scoring.runs import RunScores

__all__ = ["DEFAULT_METRICS", "configure"]

DEFAULT_METRICS = ("map", "mrr", "ndcg@10", "precision@10", "recall@100", "r_precision")

_STANDARD_INPUT = "-"
_GATE_FAILED = 1
# A bound is met within this, as everywhere.
_ROUNDING = 1e-9


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "Score a run against judgments, with the numbers of 'trec_eval -c': a judged query that the run leaves out "
        "scores 0, a query without judgments counts for nothing. Prints metric, query ('all' for the mean) and value, "
        "separated by tabs."
    )
    parser.add_argument("qrels", metavar="QRELS", help="judgments: TREC or BEIR qrels, or JSON; gzipped or not")
    parser.add_argument(
        "run_file", metavar="RUN", help="results: a TREC run or JSON, gzipped or not; - for standard input"
    )
    parser.add_argument(
        "-m",
        "--metric",
        dest="metrics",
        nargs="+",
        action="extend",
        type=_metric,
        metavar="METRIC",
        help=f"such as ndcg@10; without any: {', '.join(DEFAULT_METRICS)}",
    )
    parser.add_argument("--depth", type=_depth, metavar="N", help="read only the first N results of a query")
    parser.add_argument("--per-query", action="store_true", help="print the value of each query too")
    parser.add_argument(
        "--min",
        dest="bounds",
        action="append",
        default=[],
        type=_bound,
        metavar="METRIC=VALUE",
        help="exit with 1 when a mean is below this; may be given once for each metric",
    )
    parser.add_argument(
        "--relevance-threshold", type=_threshold, default=1, metavar="GRADE", help="the smallest relevant grade (1)"
    )
    parser.add_argument(
        "--gain", choices=get_args(Gain), default="linear", help="what a grade is worth to nDCG (linear)"
    )
    parser.set_defaults(run=_run)


def _metric(written: str) -> str:
    try:
        (metric,) = metrics_named([written]).values()
    except MetricError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(metric)


def _depth(written: str) -> int:
    if not written.isascii() or not written.isdigit() or int(written) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {written!r:.80}")
    return int(written)


def _threshold(written: str) -> float:
    try:
        value = float(written)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a finite number above 0, got {written!r:.80}")
    return value


def _bound(written: str) -> tuple[str, float]:
    name, _, value = written.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"must be METRIC=VALUE such as mrr=0.3, got {written!r:.80}")
    metric = _metric(name)
    try:
        bound = float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be METRIC=VALUE such as mrr=0.3, got {written!r:.80}") from None
    problem = check_bound(parse_metric(metric), "min", bound)
    if problem is not None:
        raise argparse.ArgumentTypeError(problem)
    return metric, bound


def _run(given: argparse.Namespace) -> int:
    if given.qrels == _STANDARD_INPUT:
        raise RecallError("QRELS must be a file; only RUN can be standard input")
    metrics = given.metrics or DEFAULT_METRICS
    bounds = _bounds(given.bounds)
    # What is bounded is computed, whether it was asked for or not.
    named = dict.fromkeys((*metrics, *bounds))
    scores = _score(given, named)
    _print(scores, per_query=given.per_query)
    _tell(scores)
    missed = [(metric, bound) for metric, bound in bounds.items() if scores.means[metric] < bound - _ROUNDING]
    for metric, bound in missed:
        note(f"{metric} {scores.means[metric]:.4f}, needs {bound:g}")
    return _GATE_FAILED if missed else 0


def _bounds(given: Sequence[tuple[str, float]]) -> dict[str, float]:
    """The bound of each metric; two of one can't both be meant."""
    bounds: dict[str, float] = {}
    for metric, bound in given:
        if metric in bounds:
            raise RecallError(f"--min names {metric} twice, with {bounds[metric]:g} and {bound:g}: leave one out")
        bounds[metric] = bound
    return bounds


def _score(given: argparse.Namespace, metrics: Mapping[str, None]) -> RunScores[str]:
    qrels = {
        topic.encode(): {id.encode(): grade for id, grade in grades.items()}
        for topic, grades in read_qrels(given.qrels).items()
    }
    with _opened(given.run_file) as (source, name), shown_progress(source) as told:
        scores = score_run(
            qrels,
            told(iter_encoded_run(source, name=name)),
            metrics=metrics,
            depth=given.depth,
            relevance_threshold=given.relevance_threshold,
            gain=given.gain,
        )
    return scores.renamed(bytes.decode)


@contextmanager
def _opened(path: str) -> Iterator[tuple[Any, str]]:
    """What to read the run from, and what messages call it."""
    if path == _STANDARD_INPUT:
        yield standard_input(), "<stdin>"
    elif Path(path).is_file():
        with Path(path).open("rb") as stream:
            yield stream, path
    else:
        # A pipe can be read; what can't be is told by whoever reads it.
        yield path, path


def _print(scores: RunScores[str], *, per_query: bool) -> None:
    for metric, values in scores.per_query.items():
        if per_query:
            for topic, value in values.items():
                say(metric, topic, f"{value:.4f}")
        say(metric, "all", f"{scores.means[metric]:.4f}")


def _tell(scores: RunScores[str]) -> None:
    if scores.missing:
        missing = listing(scores.missing)
        note(f"{count(len(scores.missing), 'judged query', 'judged queries')} not in the run, scored 0: {missing}")
    if scores.unjudged:
        note(f"{count(scores.unjudged, 'query', 'queries')} of the run without judgments, ignored")
