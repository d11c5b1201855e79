"""A suite that is written loads as it was, and its text is one that any reader of YAML types the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_recall.bounds import Bounds, Threshold
from pytest_recall.suites import Case, Memory, load_suite
from pytest_recall.suites.writing import WIDTH, render_suite
from tests.unit.suites.documents import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What means something to YAML, to JSON or to whoever reads lines.
NASTY = [
    *("no", "Yes", "on", "~", "null", "NULL", "true", "1", "012", "0o7", "0x1F", "1e3", "1_000", "1.0", ".5", ".inf"),
    *(
        ".nan",
        "12:30",
        "2024-01-01",
        "2024-05-01T00:00:00Z",
        "=",
        "<<",
        "---",
        "...",
        "- x",
        "-x",
        "? x",
        "x?",
        ": ",
        "x:",
    ),
    *(
        "a: b",
        "a #b",
        "a#b",
        "a:b",
        "#",
        "&a",
        "*a",
        "!x",
        "!!str",
        "|",
        ">",
        "%x",
        "@x",
        "`x",
        "'x'",
        '"x"',
        "\\",
        "\\n",
    ),
    *(
        "{a}",
        "[a]",
        "a, b",
        " leading",
        "trailing ",
        " ",
        "",
        "\t",
        "a\tb",
        "\n",
        "a\n",
        "a\n\n",
        "\na",
        "a\nb",
        "a\n\nb\n",
    ),
    *(
        "a\n b",
        " a\nb",
        "a \nb",
        "a\n \nb",
        "a\r\nb",
        "a\rb",
        "\x85",
        "a\x85b",
        "\u2028",
        "\xa0",
        "\u3000",
        "\ufeff",
        "\x00",
    ),
    *("\x1b[31m", "\x7f", "\x9f", "\u202e", "\u200b", "\uffff", "\ue000", "😀", "👩\u200d👧", "名前", "é", "e\u0301"),
    *("k" * 1500, "x-", "it's", "50%", "doctor's note", "C:\\tmp", "http://a.b/c?d=e&f#g", "<b>"),
]
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
NOT_BLANK = TEXTS.filter(str.strip)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**64), st.floats(allow_nan=False, allow_infinity=False), TEXTS
    ),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=8,
)
MOMENTS = st.none() | st.datetimes(min_value=datetime(1000, 1, 1)).map(lambda m: m.replace(tzinfo=timezone.utc))  # noqa: DTZ001
GRADES = st.one_of(st.just(1.0), st.integers(0, 5).map(float), st.floats(0, 1_000_000))


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[Memory], list[Case]]:
    ids = draw(st.lists(NOT_BLANK, min_size=1, max_size=4, unique=True))
    memories = [
        Memory(id=id, text=draw(TEXTS), title=draw(TEXTS), metadata=draw(VALUES), valid_to=draw(MOMENTS)) for id in ids
    ]
    known = st.sampled_from(ids)
    cases = []
    for id in draw(st.lists(NOT_BLANK, min_size=1, max_size=3, unique=True)):
        answers = tuple(draw(st.lists(TEXTS, max_size=2, unique=True)))
        judged = st.dictionaries(known, GRADES, max_size=3)
        relevant = draw(judged if not answers else st.none() | judged)
        some = st.sets(known, max_size=0 if relevant is None else 2)
        stale = tuple(draw(some) - {id for id, grade in (relevant or {}).items() if grade})
        tags, kind, args = draw(
            st.tuples(st.sets(TEXTS, max_size=2), st.none() | TEXTS, st.dictionaries(TEXTS, VALUES))
        )
        cases.append(
            Case(
                id=id,
                query=draw(NOT_BLANK),
                relevant=relevant,
                stale=stale,
                answers=answers,
                tags=(*tags,),
                kind=kind,
                args=args,
            )
        )
    return memories, cases


@pytest.fixture(params=[True, False], ids=["libyaml", "pure"])
def parser(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and not yaml.__with_libyaml__:
        pytest.skip("no libyaml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", request.param)
        yield


@pytest.mark.usefixtures("parser")
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(collection=collections())
def test_written_suite_loads_as_it_was(tmp_path: Path, collection: tuple[list[Memory], list[Case]]) -> None:
    memories, cases = collection
    path = tmp_path / "notes.eval.yaml"
    path.write_text(render_suite(cases, memories, {"k": 3, "metrics": ["mrr"]}), encoding="utf-8")
    suite = load_suite(path)
    assert [*suite.memories] == memories
    assert [*suite.cases] == cases
    assert suite.k == 3


@settings(max_examples=300)
@given(text=TEXTS)
def test_text_is_text_to_every_reader(text: str) -> None:
    written = render_suite(
        [], (), {"x-one": text, "x-list": [text], "x-long": [text, "y" * WIDTH], "x-map": {text: text}}
    )
    for version in VERSIONS:
        read = yaml.load(written, version)  # noqa: S506 - a safe loader with other resolvers
        assert read == {
            "x-one": text,
            "x-list": [text],
            "x-long": [text, "y" * WIDTH],
            "x-map": {text: text},
            "cases": [],
        }


def test_own_bounds_of_a_case_are_written(tmp_path: Path) -> None:
    expect = (
        Threshold(metric="mrr", bounds=Bounds(min=0.5)),
        Threshold(metric="stale_hit_rate@1", bounds=Bounds(max=0)),
        Threshold(metric="recall@5", bounds=Bounds(min=0.25, max=1)),
    )
    case = Case(id="q", query="q", relevant={"a": 1.0}, stale=("b",), expect=expect)
    path = tmp_path / "notes.eval.yaml"
    path.write_text(render_suite([case]), encoding="utf-8")
    (read,) = load_suite(path).cases
    assert [replace(threshold, line=None) for threshold in read.expect] == [*expect]
