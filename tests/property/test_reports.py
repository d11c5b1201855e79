"""What is written is read back equal, and strict parsers take it."""

from __future__ import annotations

import importlib
import json
import re
import sys
from dataclasses import replace
from operator import attrgetter
from typing import Any, NoReturn

import orjson
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_recall.bounds import Bounds, Tolerance
from pytest_recall.evaluation import CaseResult, Evaluation, MemoriesDigest, Policy, Settings, Summary
from pytest_recall.gates import Verdict
from pytest_recall.metrics import known_metric
from pytest_recall.reports import SuiteReport, json_report, toml_report, yaml_report
from pytest_recall.reports.closing import closed
from pytest_recall.reports.record import from_record, to_record
from tests.unit.reports.builders import evaluation, full_case, report

tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

# Texts that parsers have taken for something else, or not at all.
HOSTILE = [
    *("no", "off", "y", "~", "null", "true", "1e3", "0x10", "0o7", "1_000", ".inf", "nan", "12:30:45", "=", "<<"),
    *("2024-01-31", "2024-01-31T10:00:00Z", "- a", "a: b", "# a", "&a", "*a", "!!str", "%", "@", "`", "'", '"', "\\"),
    *("\0", "\x1b[31m", "\x7f", "\x85", "\x9f", "\u2028", "\ufeff", "\ufffe", "\uffff", "\U0001f600", "\U0010ffff"),
    *("\u202eevil", "\t", "a\r\nb", " ", " a ", "", '"""', "'''", "]]>", "</script>", "\\u0041", "\\ud800", "{{x}}"),
]
TEXTS = st.sampled_from(HOSTILE) | st.text(max_size=6)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = FINITE | st.integers(0, 5)
SCORES = st.none() | FINITE
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | FINITE | TEXTS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(TEXTS, values, max_size=3),
    max_leaves=6,
)
# Of our own metrics a reader knows what they can be.
METRICS = TEXTS.filter(lambda text: known_metric(text) is None)
TUPLES = st.lists(TEXTS, max_size=3).map(tuple)

CASES = st.builds(
    CaseResult,
    id=TEXTS | st.integers(-(2**53), 2**53),
    query=TEXTS,
    args=st.dictionaries(TEXTS, JSON, max_size=3),
    fingerprint=TEXTS,
    tags=TUPLES,
    kind=st.none() | TEXTS,
    family=st.none() | TEXTS,
    relevant=st.none() | st.dictionaries(TEXTS, NUMBERS, max_size=3),
    stale=TUPLES,
    answers=TUPLES,
    ranking=TUPLES,
    answer=st.none() | TEXTS,
    scores=st.dictionaries(METRICS, SCORES, max_size=3),
    latency_ms=SCORES,
    error=st.none() | TEXTS,
    line=st.none() | st.integers(1, 10**6),
)
COUNTS = st.integers(0, 10**9)
SUMMARIES = st.builds(
    Summary,
    value=SCORES,
    scored=COUNTS,
    undefined=COUNTS,
    errors=COUNTS,
    better=st.sampled_from(["higher", "lower"]),
    aggregate=st.sampled_from(["mean", "p50", "p95", "max"]),
)
SETTINGS = st.builds(
    Settings,
    k=st.integers(1, 100),
    policy=st.builds(Policy, id_from=st.none() | TEXTS, min_score=SCORES, relevance_threshold=NUMBERS),
    memories=st.none() | st.builds(MemoriesDigest, count=COUNTS, sha256=TEXTS),
)
SHARES = st.floats(0, 1, exclude_max=True)
TOLERANCES = (
    st.none() | st.builds(Tolerance, NUMBERS.map(abs)) | st.builds(Tolerance, SHARES, relative=st.sampled_from([True]))
)
BOUNDS = st.builds(Bounds, min=SCORES, max=SCORES, max_drop=TOLERANCES, max_rise=TOLERANCES, alpha=SCORES)
VERDICTS = st.builds(
    Verdict,
    metric=METRICS,
    tag=st.none() | TEXTS,
    bounds=BOUNDS,
    line=st.none() | st.integers(1, 10**6),
    value=SCORES,
    baseline=SCORES,
    change=SCORES,
    p=SCORES,
    outcome=st.sampled_from(["passed", "failed", "no gate"]),
    reason=TEXTS,
)


@st.composite
def suite_reports(draw: st.DrawFn) -> SuiteReport:
    """A report whose verdicts are on metrics of it, some of them on one of its cases."""
    verdicts = draw(st.lists(VERDICTS, max_size=2))
    cases = draw(st.lists(CASES, max_size=2, unique_by=attrgetter("id")))
    named = [case.id for case in cases[:1] if isinstance(case.id, str)]  # a gate names none that is numbered
    verdicts = [replace(verdict, case=draw(st.sampled_from([None, *named]))) for verdict in verdicts]
    metrics = {verdict.metric: draw(SUMMARIES) for verdict in verdicts}
    evaluation = draw(
        st.builds(
            Evaluation,
            suite=TEXTS,
            system=TEXTS,
            settings=SETTINGS,
            metrics=st.just(metrics | draw(st.dictionaries(METRICS, SUMMARIES, max_size=2))),
            cases=st.just(tuple(cases)),
            problem=st.none() | TEXTS,
            notes=TUPLES,
        )
    )
    return SuiteReport(evaluation=evaluation, verdicts=tuple(verdicts))


REPORTS = st.lists(suite_reports(), max_size=2, unique_by=attrgetter("evaluation.suite", "evaluation.system")).map(
    tuple
)
EVERY_HOSTILE = (
    report(
        evaluation=evaluation(
            [
                full_case(id=text, query=text, args={text: [text, None]}, ranking=(text,), scores={text: None})
                for text in HOSTILE
            ]
        ),
        verdicts=(),
    ),
)


def refuse(constant: str) -> NoReturn:
    raise AssertionError(constant)


@given(REPORTS)
@example(EVERY_HOSTILE)
def test_json_is_read_back_equal(reports: tuple[SuiteReport, ...]) -> None:
    data = json_report.render(reports)
    assert from_record(json_report.parse(data)) == reports
    plain = json.loads(data, parse_constant=refuse)
    assert plain == to_record(reports)
    # orjson takes integers beyond 64 bits for floats.
    assert rounded(orjson.loads(data)) == rounded(plain)


@given(st.text(st.characters(exclude_categories=()), max_size=5))
def test_json_holds_halves_of_characters_too(text: str) -> None:
    if re.search("[\ud800-\udbff][\udc00-\udfff]", text):
        return
    reports = (report(evaluation=evaluation([full_case(ranking=(text,), id=text)]), verdicts=()),)
    assert from_record(json_report.parse(json_report.render(reports))) == reports


@given(REPORTS)
@example(EVERY_HOSTILE)
def test_yaml_is_read_back_equal(reports: tuple[SuiteReport, ...]) -> None:
    data = yaml_report.render(reports)
    assert from_record(yaml_report.parse(data)) == reports
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        assert yaml.load(data, loader) == closed(to_record(reports))  # noqa: S506 - both are safe


@given(REPORTS)
@example(EVERY_HOSTILE)
def test_toml_is_read_back_equal(reports: tuple[SuiteReport, ...]) -> None:
    data = toml_report.render(reports)
    assert from_record(toml_report.parse(data)) == reports
    tomllib.loads(data.decode())


@given(REPORTS)
def test_writing_what_was_read_gives_the_same_bytes(reports: tuple[SuiteReport, ...]) -> None:
    for kind in (json_report, yaml_report):
        data = kind.render(reports)
        assert kind.render(from_record(kind.parse(data))) == data


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(value) if type(value) is int else value
