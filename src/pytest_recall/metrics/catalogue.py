"""Every metric there is, by name, and how a text becomes one."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from pytest_recall.errors import MetricError, nearest
from pytest_recall.metrics import answer, label, memory, ranking
from pytest_recall.metrics.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_recall.metrics.judged import Judgments

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "MAX_CUTOFF",
    "default_metrics",
    "forget_metrics",
    "known_metric",
    "nearest_metric",
    "register_metrics",
]

MAX_CUTOFF = 1_000_000

ALIASES = {"success": "hit_rate"}


def _has_relevant(judgments: Judgments) -> bool:
    return bool(judgments.relevant)


def _is_graded(judgments: Judgments) -> bool:
    return judgments.graded


def _has_stale(judgments: Judgments) -> bool:
    return bool(judgments.stale)


def _has_both(judgments: Judgments) -> bool:
    return bool(judgments.stale and judgments.relevant)


def _has_answers(judgments: Judgments) -> bool:
    return bool(judgments.answers)


def _never(_: Judgments) -> bool:
    return False


def _is_negative(judgments: Judgments) -> bool:
    return judgments.negative


def _has_label(judgments: Judgments) -> bool:
    return judgments.expected is not None


_RANKING = (
    Metric(name="hit_rate", column=ranking.hit_rate, defined=_has_relevant, takes_cutoff="required", whole=True),
    Metric(name="precision", column=ranking.precision, defined=_has_relevant, takes_cutoff="required"),
    Metric(name="recall", column=ranking.recall, defined=_has_relevant, takes_cutoff="required"),
    Metric(name="capped_recall", column=ranking.capped_recall, defined=_has_relevant, takes_cutoff="required"),
    Metric(name="mrr", column=ranking.reciprocal_rank, defined=_has_relevant),
    Metric(name="map", column=ranking.average_precision, defined=_has_relevant),
    Metric(name="r_precision", column=ranking.r_precision, defined=_has_relevant, takes_cutoff="none"),
    Metric(name="ndcg", column=ranking.ndcg, defined=_is_graded),
    Metric(name="judged", per_case=ranking.judged_share, takes_cutoff="required", family="diagnostic"),
)
_MEMORY = (
    Metric(
        name="stale_hit_rate",
        per_case=memory.stale_hit_rate,
        defined=_has_stale,
        better="lower",
        takes_cutoff="required",
        family="memory",
        whole=True,
    ),
    Metric(
        name="resolution_accuracy",
        per_case=memory.resolution_accuracy,
        defined=_has_both,
        takes_cutoff="none",
        family="memory",
        whole=True,
    ),
    Metric(
        name="negative_accuracy",
        per_case=memory.negative_accuracy,
        defined=_is_negative,
        takes_cutoff="none",
        family="memory",
        whole=True,
    ),
    Metric(
        name="false_injection_rate",
        per_case=memory.false_injection_rate,
        defined=_is_negative,
        better="lower",
        takes_cutoff="none",
        family="memory",
        whole=True,
    ),
    Metric(
        name="mean_noise",
        per_case=memory.noise,
        defined=_is_negative,
        better="lower",
        maximum=inf,
        takes_cutoff="none",
        family="memory",
        whole=True,
    ),
)
_ANSWER = tuple(
    Metric(
        name=per_case.__name__,
        per_case=per_case,
        defined=_has_answers,
        takes_cutoff="none",
        family="answer",
        whole=per_case is answer.exact_match,
    )
    for per_case in (answer.exact_match, answer.token_f1, answer.anls, answer.edit_similarity)
)
_LABEL = (
    Metric(
        name="accuracy",
        per_case=label.accuracy,
        defined=_has_label,
        takes_cutoff="none",
        family="label",
        whole=True,
    ),
    Metric(
        name="macro_f1",
        per_case=label.macro_f1,
        defined=_has_label,
        takes_cutoff="none",
        family="label",
        aggregate="macro_f1",
    ),
    Metric(
        name="label_recall",
        per_case=label.label_recall,
        defined=_has_label,
        takes_cutoff="none",
        takes_label=True,
        family="label",
        whole=True,
    ),
    Metric(
        name="label_precision",
        per_case=label.label_precision,
        defined=_has_label,
        takes_cutoff="none",
        takes_label=True,
        family="label",
        aggregate="label_precision",
    ),
)
# No case of a suite defines them: replaying a recorded run scores it.
_REPLAY = (
    Metric(name="reproduced", defined=_never, takes_cutoff="none", family="replay", whole=True),
    Metric(name="mean_similarity", defined=_never, takes_cutoff="none", family="replay"),
)
_LATENCY = tuple(
    Metric(
        name=f"latency_{aggregate}_ms",
        better="lower",
        maximum=inf,
        takes_cutoff="none",
        family="latency",
        aggregate=aggregate,
    )
    for aggregate in ("mean", "p50", "p95", "max")
)

CATALOGUE = {metric.name: metric for metric in (*_RANKING, *_MEMORY, *_ANSWER, *_LABEL, *_REPLAY, *_LATENCY)}


_DEFAULTS = (
    "hit_rate@{k}",
    "precision@{k}",
    "recall@{k}",
    "mrr",
    "ndcg@{k}",
    "stale_hit_rate@{k}",
    "resolution_accuracy",
    "negative_accuracy",
    "exact_match",
    "token_f1",
    "accuracy",
    "macro_f1",
)


def default_metrics(k: int) -> list[Metric]:
    """What is reported where nobody names metrics, each only where some case defines it."""
    return [parse_metric(text.format(k=k)) for text in _DEFAULTS]


def known_metric(text: str) -> Metric | None:
    """The metric that the text of one begins with, as the catalogue has it; None where it is a user's that is gone."""
    return CATALOGUE.get(text.partition("@")[0].partition(".")[0])


def register_metrics(metrics: Iterable[Metric]) -> None:
    """Make further metrics known by their names, to the whole process.

    Raises:
        MetricError: no metric, a name that is none or is taken, a cutoff, or nothing to score with.
    """
    new: dict[str, Metric] = {}
    for metric in metrics:
        if not isinstance(metric, Metric):
            raise MetricError(f"a metric is a pytest_recall.Metric, not {type(metric).__name__}")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", metric.name):
            raise MetricError(f"metric {metric.name!r:.80}: a name is small letters, digits and _, such as 'my_metric'")
        if metric.name in CATALOGUE or metric.name in ALIASES or metric.name in new:
            raise MetricError(f"metric {metric.name!r}: the name is taken")
        if metric.cutoff is not None:
            raise MetricError(f"metric {metric.name!r}: register it without a cutoff; a suite names one as it needs")
        if metric.per_case is None:
            raise MetricError(f"metric {metric.name!r} needs per_case, a function of a judged ranking and a cutoff")
        new[metric.name] = metric
    CATALOGUE.update(new)
    parse_metric.cache_clear()


def forget_metrics(metrics: Iterable[Metric]) -> None:
    """Undo `register_metrics`."""
    for metric in metrics:
        CATALOGUE.pop(metric.name, None)
    parse_metric.cache_clear()


@lru_cache(maxsize=1024)
def parse_metric(text: str) -> Metric:
    """The metric a text such as ``recall@5`` or ``mrr`` names; an alias gives the metric it stands for.

    Raises:
        MetricError: an unknown name, a cutoff that is missing, not allowed or no whole number from 1, a label that is
            missing.

    >>> str(parse_metric("ndcg@10")), parse_metric("recall@5").cutoff
    ('ndcg@10', 5)
    """
    name, dot, of = text.partition(".")
    if name in CATALOGUE and CATALOGUE[name].takes_label:
        return _of_label(CATALOGUE[name], of if dot else "")
    name, at, cutoff = text.partition("@")
    metric = CATALOGUE.get(ALIASES.get(name, name))
    if metric is None:
        near = nearest_metric(text)
        hint = f" (did you mean {near!r}?)" if near else ""
        raise MetricError(f"unknown metric {text!r:.80}{hint}")
    if not at:
        if metric.takes_cutoff == "required":
            raise MetricError(f"metric {text!r} needs a cutoff, such as '{name}@10'")
        return metric
    if metric.takes_cutoff == "none":
        raise MetricError(f"metric {text!r:.80}: {name!r} takes no cutoff")
    if not re.fullmatch(r"[1-9][0-9]{0,6}", cutoff) or int(cutoff) > MAX_CUTOFF:
        raise MetricError(f"metric {text!r:.80}: the cutoff must be a whole number from 1 to {MAX_CUTOFF:,}")
    return replace(metric, cutoff=int(cutoff))


def _of_label(metric: Metric, of: str) -> Metric:
    if not of.strip():
        raise MetricError(f"metric {metric.name!r} needs a label, such as '{metric.name}.LABEL'")
    defined = label.Expects(of) if metric.name == "label_recall" else metric.defined
    return replace(metric, label=of, defined=defined)


def nearest_metric(text: str) -> str | None:
    """The metric a misspelt text most likely means, with the user's own cutoff or label where it takes one."""
    name, _, cutoff = text.lower().partition("@")
    spelt = re.fullmatch(r"(.*?[a-z])[-_ ]?(?:at)?[-_ ]?([0-9]+)", name)
    if spelt is not None and spelt[1] in (*CATALOGUE, *ALIASES):
        name, cutoff = spelt.groups()
    near = nearest(name.partition(".")[0], (*CATALOGUE, *ALIASES))
    if near is None:
        return None
    known = CATALOGUE[ALIASES.get(near, near)]
    if known.takes_label:
        return f"{near}.{text.partition('.')[2] or 'LABEL'}"
    takes = known.takes_cutoff
    if takes == "required" or (takes == "optional" and cutoff):
        near += f"@{cutoff if re.fullmatch(r'[1-9][0-9]{0,5}', cutoff) else 10}"
    return near
