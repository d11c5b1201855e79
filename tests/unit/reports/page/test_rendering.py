"""The page as HTML."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from pytest_recall.gates import Verdict
from pytest_recall.reports import page
from pytest_recall.reports.page.view import page_of
from tests.searches import RAISED, passing, regressed
from tests.unit.reports.builders import evaluation, full_case, report

if TYPE_CHECKING:
    from pytest_recall.reports import SuiteReport
    from tests.conftest import Require

VOID = {"meta", "link", "input", "br", "img"}
HOSTILE = ["<script>alert(1)</script>", "</script><b>", "<!--", "\"' onload='x", "&lt;", "{{ 1 }}", "</style>"]


@dataclass
class Parsed(HTMLParser):
    """The elements of a page, and its texts by element."""

    names: Counter[str] = field(default_factory=Counter)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))

    def of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]

    def values(self, tag: str, attribute: str) -> list[str]:
        return [value for name, key, value in self.attributes if (name, key) == (tag, attribute)]


@pytest.fixture(autouse=True)
def _needs_jinja(require: Require) -> None:
    require.library("jinja2")


def parsed(*reports: SuiteReport) -> Parsed:
    parser = Parsed()
    parser.feed(page.render(reports).decode())
    parser.close()
    assert parser.open == []
    return parser


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_lets_in_the_style_and_the_script_that_are_there_and_nothing_else() -> None:
    found = parsed(regressed(5))
    (policy,) = [value for value in found.values("meta", "content") if value.startswith("default-src")]
    (style,) = found.of("style")
    *_, script = found.of("script")
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {hash_of(style)}",
        f"script-src {hash_of(script)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


@pytest.mark.parametrize("reports", [[], [regressed(5, RAISED)], [passing(3), passing(3, system="other")], [report()]])
def test_nothing_in_a_page_needs_more_than_the_policy_lets_in(reports: list[SuiteReport]) -> None:
    found = parsed(*reports)
    names = {name for _, name, _ in found.attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"style", "src", "action", "srcset"}
    assert not found.names.keys() & {"img", "iframe", "object", "embed", "form", "base"}
    assert {link for link in found.values("a", "href") if not link.startswith("#")} == set()
    assert found.values("link", "href") == ["data:,"]


def test_a_page_is_a_document_with_headings_captions_and_labels() -> None:
    found = parsed(regressed(5), passing(5, system="other"))
    assert found.values("html", "lang") == ["en"]
    assert found.names["h1"] == 1
    # The table of what is known of a case has no row until it is looked at, but is one.
    assert found.names["caption"] == found.names["table"]
    assert found.names["select"] + found.values("input", "type").count("search") == found.names["label"]
    drawings = found.values("svg", "role").count("img")
    assert drawings == len([text for text in found.values("svg", "aria-label") if text])
    assert drawings + len(found.values("svg", "aria-hidden")) == found.names["svg"]
    ids = [value for _, name, value in found.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in found.values("a", "href")} <= set(ids)


def test_the_verdict_is_the_first_thing_that_is_said() -> None:
    found = parsed(regressed(10))
    assert found.of("title") == ["eval failed: 1 suite, 0 gates passed, 3 failed"]
    assert found.of("h1") == ["✗ Failed"]
    assert parsed(passing(5)).of("h1") == ["✓ Passed"]
    assert parsed(report(verdicts=())).of("h1") == ["Evaluation"]
    assert parsed().of("h1") == ["Nothing was evaluated"]


def test_marks_have_their_words_beside_them_and_are_told_again() -> None:
    found = parsed(regressed(10))
    # recall@3 without a threshold, mrr with one, mrr:legal with one; each beside a baseline.
    assert Counter(found.of("text"))["baseline"] == 3 + 1
    assert Counter(found.of("text"))["at least"] == 2
    assert found.values("svg", "aria-label")[1] == ("mrr 0.417 on a scale from 0 to 1, baseline 1.000, at least 0.9")


def of_text(text: str) -> SuiteReport:
    """A report in which everything that others write is one text."""
    case = full_case(id=text, query=text, tags=(text,), ranking=(text,), args={text: text}, error=text)
    failed = Verdict(metric="mrr", tag=text, value=0.5, outcome="failed", reason=text)
    return report(evaluation=evaluation([case], suite=text, system=text, notes=(text,)), verdicts=(failed,))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(text: str) -> None:
    found = parsed(of_text(text))
    assert found.names == parsed(of_text("harmless")).names
    assert "".join(found.of("h2")) == text
    data = json.loads(found.of("script")[0])
    assert (data["id"], data["query"], data["error"]) == ([text], [text], {"0": text})


def test_what_can_not_be_seen_is_shown_escaped() -> None:
    rendered = page.render([of_text("a\0\x1b[31m\u202e\u2028\ud800b")]).decode()
    assert not re.search(r"[\0\x1b\u202e\u2028]", rendered)
    # Once as JSON has it, too.
    assert rendered.count(r"a\x00\x1b[31m\u202e\u2028\ud800b") >= 5
    assert r"a\\x00\\x1b[31m\\u202e\\u2028\\ud800b" in rendered


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page.render([regressed(20)]) == page.render([regressed(20)])


def test_reports_of_one_suite_stand_together() -> None:
    reports = [passing(3, suite=suite, system=system) for suite, system in ("ax", "bx", "ay")]
    found = parsed(*reports)
    assert found.of("h2") == ["a", "b"]
    assert [text for text in found.of("h3") if len(text) == 1] == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("repeat", "facts"),
    [(1, ("2 cases", "k = 3", "2 memories")), (3, ("2 cases", "k = 3", "2 memories", "each asked 3 times"))],
)
def test_facts_of_a_system_are_how_it_was_asked(repeat: int, facts: tuple[str, ...]) -> None:
    asked = evaluation()
    settings = replace(asked.settings, policy=replace(asked.settings.policy, repeat=repeat))
    (system,) = page_of([report(evaluation=replace(asked, settings=settings))]).systems
    assert system.facts == facts


def test_what_is_wrong_with_all_numbers_is_said_once() -> None:
    found = parsed(report(evaluation=evaluation(problem="no returned id is a memory", notes=())))
    assert found.of("li").count("no returned id is a memory") == 1


def test_ten_thousand_cases_stay_small() -> None:
    # 8 MB is far above; without columns and numbers for ids it would be more.
    assert len(page.render([regressed(10_000)])) < 8_000_000
