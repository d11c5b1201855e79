"""The page in a real browser: what it shows, how it is used, what it lets in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.evaluation import CaseResult
from pytest_recall.reports import SuiteReport
from pytest_recall.steps import StepPair
from tests.replays import ADDED, ASKED, CHANGED, FINAL, LEFT_OUT, OTHER_FINAL, replayed
from tests.searches import NEGATIVE, RAISED, STALE, case, judged, passing, regressed, searched
from tests.unit.reports.page.test_labels import classified

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Opened
    from tests.conftest import Require

# Minutes, most of them axe's.
pytestmark = pytest.mark.thorough

NARROW = {"width": 400, "height": 800}

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "<!--<script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"'&lt;`${1}{{ 1 }}",
    "verylongword" * 40,
]
# What can't be seen is shown escaped.
HIDDEN = {"nul\0nul": r"nul\x00nul", "\x1b[31mred": r"\x1b[31mred", "\u202eevil": r"\u202eevil", "a\nb": r"a\nb"}


def several() -> list[SuiteReport]:
    systems = [regressed(12), *(passing(12, system=f"retriever[{name}]") for name in ("dense", "hybrid"))]
    return [*systems, passing(3, suite="tests/products.eval.yaml")]


def hostile() -> list[SuiteReport]:
    texts = [*HOSTILE, *HIDDEN]
    cases = [
        replace(
            case(0, 1),
            id=text,
            query=text,
            tags=(text,),
            relevant={text: 1.0},
            stale=(f"{text}!",),
            ranking=(f"{text}!", text),
            args={text: text},
            error=text if number % 2 else None,
        )
        for number, text in enumerate(texts)
    ]
    named: list[dict[str, Any]] = [
        {"suite": text, "system": text, "notes": (text,), "problem": text} for text in texts[:3] + texts[-4:]
    ]
    steps = [StepPair(kind="tool", recorded=text, now=f"{text}!", answer=text) for text in texts]
    return [*(judged(searched(0, *cases, **names)) for names in named), replayed(*steps, FINAL, suite=texts[0])]


PAGES = {
    "nothing": list,
    "failed beside a baseline": lambda: [regressed(10, RAISED, NEGATIVE, STALE)],
    "passed without one": lambda: [passing(5)],
    "several systems": several,
    "a run that diverged": lambda: [replayed(ASKED, CHANGED, LEFT_OUT, ADDED, OTHER_FINAL, compared=True)],
    "a run that is the same": lambda: [replayed(ASKED, FINAL)],
    "hostile texts": hostile,
}


def rows(page: Page) -> Locator:
    return page.locator(".cases tbody > tr:has(> .case)")


def shown(page: Page) -> list[str]:
    return page.locator(".cases .expand").all_inner_texts()


def status(page: Page) -> str:
    return page.locator(".cases .status").inner_text()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_nothing_to_its_console_and_asks_for_nothing(opened: Opened, said: list[str], name: str) -> None:
    page = opened(*PAGES[name]())
    for button in page.locator(".expand").all()[:5]:
        button.click()
    assert said == []


def test_the_verdict_comes_first(opened: Opened) -> None:
    page = opened(regressed(10))
    assert page.locator("h1").inner_text() == "✗ Failed"
    # Of 1, 1/2, 1/3, 1/4, 0, twice, the mean is 0.417; the legal ones are the cases 0, 3, 6, 9.
    assert page.locator(".reasons li").all_inner_texts()[1] == (
        "mrr 0.417, needs 0.900 (tests/handbook.eval.yaml:4), baseline 1.000, dropped 0.583"
        " (p = 0.008, 8 of 10 cases differ)"
    )
    assert opened(passing(5)).locator("h1").inner_text() == "✓ Passed"
    assert opened().locator("h1").inner_text() == "Nothing was evaluated"


def test_the_worst_cases_come_first(opened: Opened) -> None:
    page = opened(regressed(5, NEGATIVE, STALE, RAISED))
    assert shown(page) == ["raised", "case-1", "case-2", "case-3", "case-4", "stale", "negative", "case-0"]
    assert status(page) == "8 cases"


def test_a_header_sorts_and_sorts_the_other_way(opened: Opened) -> None:
    page = opened(regressed(11, NEGATIVE))
    head = page.get_by_role("table", name="Cases of retriever").locator("thead")
    for header, order, first in [
        ("Case", "ascending", "case-0"),
        ("Case", "descending", "negative"),
        ("Score", "ascending", "case-3"),
        ("Score", "descending", "case-0"),
        ("Expected", "ascending", "case-0"),
        ("Expected", "descending", "case-4"),
        ("Outcome", "ascending", "case-1"),
    ]:
        head.get_by_role("button", name=header).click()
        assert shown(page)[0] == first, header
        sorted_by = page.locator(".cases [aria-sort]")
        assert sorted_by.count() == 1
        assert sorted_by.get_attribute("aria-sort") == order
        if header in {"Score", "Expected"}:
            # It has neither.
            assert shown(page)[-1] == "negative"
    head.get_by_role("button", name="Case").click()
    assert shown(page)[1:3] == ["case-1", "case-2"], "numbers in ids count as numbers"


def test_cases_are_filtered_by_text_tag_and_outcome(opened: Opened) -> None:
    page = opened(regressed(10, NEGATIVE, STALE, RAISED))
    search, outcome, tag = page.get_by_label("Search"), page.get_by_label("Outcome"), page.get_by_label("Tag")
    search.fill("NOTE 7")
    assert shown(page) == ["case-7", "negative"], "its ranking holds note-7"
    assert status(page) == "2 of 13 cases"
    search.fill("no answer")
    assert shown(page) == ["raised"]
    search.fill("")
    outcome.select_option("outcome missed")
    assert shown(page) == ["case-4", "case-9"]
    tag.select_option(label="legal (4)")
    assert shown(page) == ["case-9"]
    outcome.select_option("change lost")
    assert shown(page) == ["case-3", "case-6", "case-9"]
    outcome.select_option("")
    tag.select_option("")
    assert len(shown(page)) == 13


def test_a_case_unfolds_to_all_that_is_known_of_it(opened: Opened) -> None:
    page = opened(regressed(5, RAISED, replace(STALE, status="partial", answer="28 days")))
    button = page.get_by_role("button", name="case-1")
    button.click()
    details = page.locator(f"#{button.get_attribute('aria-controls')}")
    text = details.inner_text()
    for part in ("where is note 1?", '{"user": "ann"}', "travel", "1.5 ms", "11 of the suite"):
        assert part in text
    ranking, scores = (table.locator("tbody tr").all_inner_texts() for table in details.locator("table").all())
    assert [row.split() for row in ranking[:3]] == [["1", "other-1-1"], ["2", "note-1", "hit"], ["3", "other-1-3"]]
    assert len(ranking) == 6
    assert [row.split() for row in scores] == [["recall@3", "1.000", "1.000"], ["mrr", "0.500", "1.000"]]
    button.click()
    assert details.count() == 0
    page.get_by_role("button", name="raised").click()
    assert "TimeoutError: no answer" in page.locator(".details").inner_text()
    page.get_by_role("button", name="stale").click()
    assert {"partial", "28 days"} <= {*page.locator(".details").last.locator("dd").all_inner_texts()}


def test_a_row_tells_ranks_before_and_now_hits_and_stale_ids(opened: Opened) -> None:
    page = opened(regressed(5, STALE))
    row = rows(page).filter(has_text="where is note 3?")
    assert row.locator(".ranks li").all_inner_texts() == ["note-3 1 → 4"]
    assert row.locator(".hit").inner_text().split() == ["note-3", "hit"]
    assert rows(page).filter(has_text="note 4?").locator(".ranks li").all_inner_texts() == ["note-4 1 → missing"]
    stale = rows(page).filter(has_text="how many days?")
    assert stale.locator(".ranks li").all_inner_texts() == ["days-2025 2", "days-2024 stale 1"]
    assert [text.split() for text in stale.locator(".results li").all_inner_texts()] == [
        ["days-2024", "stale"],
        ["days-2025", "hit"],
    ]


def test_a_row_tells_what_was_expected_as_an_answer_and_what_was_answered(opened: Opened) -> None:
    wrong = CaseResult(
        id="capital",
        query="capital of France?",
        relevant=None,
        answers=("Paris", "<i>City</i> of Paris", ""),
        answer="Lyon <b>",
        scores={"exact_match": 0.0},
    )
    page = opened(regressed(5, wrong))
    row = rows(page).filter(has_text="capital of France?")
    expected, returned = (cell.locator(".answers li").all_inner_texts() for cell in row.locator("td").all()[:2])
    assert (expected, returned) == (["Paris", "<i>City</i> of Paris", "(empty)"], ["Lyon <b>"])
    assert "wrong answer" in row.inner_text()
    page.get_by_label("Search").fill("lyon city")
    assert len(shown(page)) == 1
    row.get_by_role("button").click()
    details = page.locator(".details").inner_text()
    assert "expected answers" in details
    assert "Lyon <b>" in details


def test_steps_stand_side_by_side_with_the_first_divergence_marked(opened: Opened) -> None:
    page = opened(replayed(ASKED, CHANGED, LEFT_OUT, ADDED, OTHER_FINAL, compared=True))
    table = page.get_by_role("table", name="Steps")
    cells = [
        [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]
        for row in table.locator("tbody tr").all()
    ]
    assert cells == [
        ["model", '1 llm request aa → {"text": "look"}', "1 llm request aa", "same"],
        ["tool", '2 tool find({"id":"a17"}) → 68.0', '2 tool find({"id":"A17"})', "differs first divergence"],
        ["tool", "3 tool refund({}) → raised OSError: off", "–", "left out"],
        ["model", "–", "3 llm request bb", "added"],
        ["final text", "68.00", "–", "differs"],
    ]
    assert page.locator(".facts").inner_text().replace(" · ", " ").startswith("3 steps recorded")
    assert page.locator(".cases, .charts").count() == 0
    sides = table.locator("tr.first td.side").evaluate_all("them => them.map(it => it.getBoundingClientRect().top)")
    assert sides[0] == sides[1]


def test_a_metric_is_chosen_for_the_scores(opened: Opened) -> None:
    page = opened(regressed(5))
    page.get_by_label("Score").select_option("mrr")
    row = rows(page).filter(has_text="where is note 1?")
    assert row.locator("td").nth(2).inner_text().split() == ["0.500", "was", "1.000"]


def test_many_cases_come_by_and_by(opened: Opened) -> None:
    page = opened(passing(130))
    assert (len(shown(page)), status(page)) == (50, "130 cases, the first 50 shown")
    page.get_by_role("button", name="Show 50 more").click()
    more = page.get_by_role("button", name="Show 30 more")
    more.click()
    assert (len(shown(page)), status(page), more.is_visible()) == (130, "130 cases", False)
    assert page.evaluate("document.activeElement.innerText") == "case-100"


def test_the_keyboard_is_enough(opened: Opened) -> None:
    page = opened(regressed(10))
    seen = []
    for _ in range(14):
        page.keyboard.press("Tab")
        focus = page.evaluate(
            "(it => [it.name || it.innerText, getComputedStyle(it).outlineStyle])(document.activeElement)"
        )
        seen.append(focus)
        if focus[0] == "text":
            page.keyboard.type("note-2")
        elif focus[0].startswith("Score"):
            page.keyboard.press("Enter")
            assert page.locator("[aria-sort]").inner_text().startswith("Score")
        elif focus[0] == "case-2":
            page.keyboard.press("Space")
            break
    assert [name.split("\n")[0].split(",")[0] for name, _ in seen] == [
        "Metrics by tag",
        "As a table",
        "text",
        "outcome",
        "tag",
        "metric",
        "Case",
        "Expected",
        "Score",
        "Outcome",
        "case-2",
    ]
    assert {outline for _, outline in seen} == {"solid"}
    assert page.locator(".details").is_visible()


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_page_does_not_scroll_sideways(opened: Opened, name: str) -> None:
    page = opened(*PAGES[name](), viewport=NARROW)
    for details in page.locator("summary").all()[:6]:
        details.click()
    for button in page.locator(".expand").all()[:6]:
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 400


OVERLAPS = """rows => rows.flatMap(row => {
    const boxes = [...row.children].map(cell => cell.getBoundingClientRect()).filter(box => box.width);
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
        a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
}).length"""


@pytest.mark.parametrize("viewport", [NARROW, {"width": 700, "height": 900}, {"width": 1280, "height": 900}])
@pytest.mark.parametrize(
    "name", ["failed beside a baseline", "passed without one", "several systems", "a run that diverged"]
)
def test_nothing_stands_on_top_of_another(opened: Opened, name: str, viewport: Any) -> None:
    page = opened(*PAGES[name](), viewport=viewport)
    # Rows that only a screen reader meets are a point.
    rows = page.locator("tbody tr, .cases > table > thead tr")
    assert rows.evaluate_all(OVERLAPS) == 0


def test_hostile_texts_are_shown_as_text(opened: Opened) -> None:
    page = opened(*hostile())
    wanted = {text: HIDDEN.get(text, text) for text in [*HOSTILE, *HIDDEN]}
    assert {*page.locator("h2").all_inner_texts()} < {*wanted.values()}
    first = page.locator("[data-cases]").first
    first.scroll_into_view_if_needed()
    first.locator(".expand").first.wait_for()
    assert sorted(first.locator(".expand").all_inner_texts()) == sorted(wanted.values())
    assert sorted(first.locator(".query").all_text_contents()) == sorted(wanted.values())
    for button in first.locator(".expand").all():
        button.click()
    assert sorted(page.locator(".steps td:nth-child(3) bdi").all_text_contents()) == sorted(
        [*(f"{text}!" for text in wanted.values()), "68.00"]
    )
    assert page.evaluate("window.hacked") is None
    assert page.locator("main script:not([type='application/json']), main img").count() == 0


INJECTED = """<script>window.hacked = 1</script><img src="data:," onerror="window.hacked = 1">
<p id="styled" style="color: red">x</p><iframe src="https://example.org"></iframe></main>"""


def test_the_policy_refuses_what_is_injected(opened: Opened, said: list[str]) -> None:
    page = opened(passing(5), spoilt=("</main>", INJECTED))
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") != "rgb(255, 0, 0)"
    refused = [text for text in said if "Content Security Policy" in text]
    assert len(refused) >= 4, said
    assert len(shown(page)) == 5, "its own script still runs"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {"color_scheme": "light"}) for name in PAGES),
        ("several systems", {"color_scheme": "dark"}),
        ("failed beside a baseline", {"color_scheme": "dark"}),
        ("failed beside a baseline", {"color_scheme": "dark", "viewport": NARROW}),
        ("a run that diverged", {"color_scheme": "dark"}),
        ("a run that diverged", {"color_scheme": "dark", "viewport": NARROW}),
    ],
)
def test_assistive_software_finds_its_way(opened: Opened, require: Require, name: str, options: dict[str, Any]) -> None:
    axe = require.library("axe_playwright_python.sync_playwright").Axe()
    page = opened(*PAGES[name](), **options)
    for details in page.locator("summary").all()[:4]:
        details.click()
    for button in page.locator(".expand").all()[:3]:
        button.click()
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    violations = axe.run(page, options={"runOnly": rules}).response["violations"]
    assert [(each["id"], each["nodes"][0]["failureSummary"], each["nodes"][0]["html"]) for each in violations] == []


def test_without_scripts_the_cases_behind_the_numbers_are_still_there(opened: Opened) -> None:
    page = opened(regressed(5), java_script_enabled=False)
    text = page.locator(".cases").inner_text()
    assert "The table of cases needs scripts" in text
    assert "case-4  note-4: rank 1 -> not in 6" in text
    assert not page.locator(".controls").is_visible()


def test_a_printed_page_holds_a_table_of_every_suite(opened: Opened) -> None:
    page = opened(*(passing(3, suite=f"s{number}.eval.yaml") for number in range(8)))
    assert len(shown(page)) < 24, "the last are far below"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert len(shown(page)) == 24
    assert not page.locator(".controls").first.is_visible()


def test_a_negative_with_answers_expects_nothing_to_come_back(opened: Opened) -> None:
    negative = replace(NEGATIVE, ranking=(), answers=("not known",), answer="not known")
    page = opened(judged(searched(0, negative)))
    assert rows(page).locator("td").first.inner_text().split("\n") == ["nothing", "not known"]


def test_labels_do_not_break_within_words(opened: Opened) -> None:
    page = opened(SuiteReport(evaluation=classified(), verdicts=()), viewport=NARROW)
    cells = page.locator(".labels th.text").all()
    assert cells
    for cell in cells:
        size: dict[str, float] = cell.evaluate(
            "cell => { const range = document.createRange(); range.selectNodeContents(cell); "
            "return { lines: range.getClientRects().length, words: cell.textContent.trim().split(/\\s+/).length }; }"
        )
        assert size["lines"] <= size["words"]
