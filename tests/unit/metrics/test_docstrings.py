"""The worked lines of the docstrings: ``Ranking a, x with a and b relevant: recall@2 = 1/2.``

And of answers: ``Answer "b" with "a" or "b" expected: exact_match = 1.``
"""

from __future__ import annotations

import inspect
import re
from fractions import Fraction
from typing import NamedTuple

import pytest

from pytest_recall.metrics import CATALOGUE, JudgedRanking, Judgments, parse_metric

_LINE = re.compile(r"Ranking ([^:.]+) with ([^:.]+): (.+?)\.(?= |$)")
_ANSWER_LINE = re.compile(r'Answer "([^"]+)" with ("[^:]+") expected: (.+?)\.(?= |$)')
_LABEL = re.compile(r"(\w+(?:(?:, | and )\w+)*?) (relevant|judged|stale|expected|of grade \d+)")
_CLAIM = re.compile(r"([a-z_0-9]+(?:@\d+|\.\w+)?) = (?:[^,]* = )?([\d./]+)(?:, |$)")


class Worked(NamedTuple):
    judged: JudgedRanking
    metric: str
    value: str


def docstring(name: str) -> str:
    metric = CATALOGUE[name]
    return " ".join((inspect.getdoc(metric.column or metric.per_case) or "").split())


def worked_lines(name: str) -> list[Worked]:
    return [
        Worked(JudgedRanking(judgments(labels), ids(ranking)), metric, value)
        for ranking, labels, claims in _LINE.findall(docstring(name))
        for metric, value in _CLAIM.findall(claims)
    ] + [
        Worked(
            JudgedRanking(Judgments(grades={}, answers=tuple(re.findall('"(.+?)"', expected))), (), text), metric, value
        )
        for text, expected, claims in _ANSWER_LINE.findall(docstring(name))
        for metric, value in _CLAIM.findall(claims)
    ]


def ids(text: str) -> tuple[str, ...]:
    return tuple(re.split(", | and ", text))


def judgments(text: str) -> Judgments:
    grades: dict[str, float] = {}
    stale: tuple[str, ...] = ()
    for named, label in _LABEL.findall(text):
        if label == "stale":
            stale = ids(named)
        elif named != "nothing":
            grades.update(dict.fromkeys(ids(named), float(label.rpartition(" ")[2]) if "grade" in label else 1.0))
    expected = next(iter(grades)) if "expected" in text else None
    return Judgments(grades=grades, stale=stale, expected=expected)


@pytest.mark.parametrize(
    "name", [name for name, metric in CATALOGUE.items() if metric.column is not None or metric.per_case is not None]
)
def test_worked_line_holds(name: str) -> None:
    lines = worked_lines(name)
    assert any(parse_metric(line.metric).name == name for line in lines), "no worked line"
    assert len(lines) == len(re.findall(r"[a-z]1?(?:[@.]?\w+)? = ", docstring(name))), "a claim is not read"
    for line in lines:
        metric = parse_metric(line.metric)
        assert metric.defined(line.judged.judgments), line
        value = metric.score(line.judged)
        assert value == pytest.approx(float(Fraction(line.value)), abs=5e-4 if "." in line.value else 1e-15), line
