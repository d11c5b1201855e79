"""The summary for a pull request."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pytest_recall.baseline import entry_of
from pytest_recall.gates import Verdict
from pytest_recall.pairing import Pairing
from pytest_recall.reports import SuiteReport, markdown
from tests.unit.reports.builders import BARE_CASE, BROKEN_CASE, FREE, OF_A_CASE, evaluation, full_case, report


def text_of(*reports: SuiteReport) -> str:
    return markdown.render(reports).decode()


def test_the_verdict_comes_first() -> None:
    assert text_of(report()).startswith(
        "## eval failed\n\n1 suite, 1 gate passed, 1 failed, 1 value without a gate\n\n"
    )
    assert text_of(report(verdicts=(OF_A_CASE,))).startswith("## eval passed\n\n1 suite, 1 gate passed, 0 failed\n\n")
    assert text_of() == "## eval: nothing was evaluated\n"


def test_metrics_stand_in_a_table_and_reasons_below() -> None:
    failing_case = replace(OF_A_CASE, outcome="failed", reason="case lease-end: mrr 0.500, needs 1.000")
    assert text_of(report(verdicts=(failing_case, FREE, report().verdicts[0]))) == (
        """\
## eval failed

1 suite, 0 gates passed, 2 failed, 1 value without a gate

### `tests/support.eval.yaml` `retriever[bm25]`, 2 cases

| metric | value | baseline | change | bound | verdict |
|:--|--:|--:|--:|:--|:--|
| `mrr:legal` | 0.500 | 0.750 | -0.250 | >= 0.85 | **failed** |
| `stale_hit_rate@3` | – |  |  |  | no gate |

```text
mrr:legal 0.500, needs 0.850 (tests/support.eval.yaml:5)
case lease-end: mrr 0.500, needs 1.000

missed  lease-end  lease-1: not in 3, lease-2: rank 2  got rent-9, lease-2

note: a note
note: mrr:legal: the repeats lie on both sides of 0.850: 1.000, 0.000
```
"""
    )


def test_what_was_lost_and_gained_is_shown_though_all_passed() -> None:
    before = evaluation([full_case(id="a", ranking=("lease-2",)), full_case(id="b", ranking=(), scores={"mrr": 0.0})])
    before = replace(before, cases=(replace(before.cases[0], scores={"mrr": 1.0}), before.cases[1]))
    now = evaluation([full_case(id="a"), full_case(id="b", ranking=("lease-2",), scores={"mrr": 1.0})], notes=())
    passed = Verdict(metric="mrr", value=0.75, baseline=0.5, change=0.25)
    text = text_of(SuiteReport(evaluation=now, verdicts=(passed,), pairing=Pairing(now, entry_of(before))))
    assert text.partition("```text\n")[2] == (
        """\
lost    a  lease-2: rank 1 -> 2         got rent-9, lease-2
gained  b  lease-2: not in 3 -> rank 1  got lease-2

note: better than the baseline: mrr; record it with --eval-update
```
"""
    )


def test_an_evaluation_that_nothing_judged_shows_its_values() -> None:
    assert text_of(report(evaluation=evaluation(notes=()), verdicts=())) == (
        """\
## eval

### `tests/support.eval.yaml` `retriever[bm25]`, 2 cases

| metric | value | baseline | change | bound | verdict |
|:--|--:|--:|--:|:--|:--|
| `mrr` | 0.500 | | | | |
| `stale_hit_rate@3` | – | | | | |
"""
    )


def test_what_is_wrong_with_all_numbers_is_said_once() -> None:
    text = text_of(report(evaluation=evaluation(problem="no returned id is a memory", notes=())))
    assert text.partition("```text\n")[2] == "no returned id is a memory\n```\n"


def test_much_is_cut() -> None:
    cases = [full_case(id=f"case-{n}") for n in range(30)]
    failed = Verdict(metric="mrr", value=0.5, outcome="failed", reason="mrr 0.500, needs 0.850")
    text = text_of(report(evaluation=evaluation(cases), verdicts=(failed,)))
    assert text.count("missed  case-") == 20
    assert "\n… 10 more\n" in text


HOSTILE = [
    "a|b",
    "a`b",
    "``` \n# x",
    "a\\|b",
    "<script>alert(1)</script>",
    "<!-- ",
    "@alice",
    "#1",
    "[x](http://x)",
    "![x](x)",
    "*a* _b_ ~c~",
    " a ",
    "\u202eevil",
    "$x$",
    ":smile:",
    "&lt;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_as_text(text: str) -> None:
    metric = f"mrr:{text}"
    failed = Verdict(metric="mrr", tag=text, value=0.5, outcome="failed", reason=f"{metric} failed")
    cases = [full_case(id=text, tags=(text,), ranking=(text,)), BARE_CASE, BROKEN_CASE]
    shown = text_of(report(evaluation=evaluation(cases, suite=text, system=text, notes=(text,)), verdicts=(failed,)))
    lines = shown.split("\n")
    heading, row = next(line for line in lines if line.startswith("### ")), lines[8]
    # Without the code in them nothing of the text is left.
    code = re.compile(r"`[^`|\\]*`|<code>[\w\s&#;]*</code>")
    assert code.sub("", heading) == "###  , 3 cases"
    assert code.sub("", row) == "|  | 0.500 |  |  |  | **failed** |"
    # The block of code ends where it should.
    fence = lines[10].removesuffix("text")
    assert set(fence) == {"`"}
    assert [at for at, line in enumerate(lines) if line.startswith(fence)] == [10, len(lines) - 2]
