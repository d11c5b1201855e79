from __future__ import annotations

import pytest

from pytest_recall.baseline import Baseline, RecordedCase, render
from pytest_recall.evaluation import Policy
from tests.unit.baseline.builders import KEY, entry, text_of

ONE_ENTRY = """\
{
  "format": 1,
  "suites": {
    "tests/support.eval.yaml": {
      "systems": {
        "retriever": {
          "cases": {
            "lease-end": {"fingerprint": "0123456789abcdef", "ranks": {"lease-1": null, "lease-2": 2}, "scores": {"mrr": 0.5}}
          },
          "k": 10,
          "memories": {
            "count": 40,
            "sha256": "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"
          },
          "metrics": {
            "mrr": {
              "aggregate": "mean",
              "scored": 1,
              "undefined": 0,
              "value": 0.5
            }
          },
          "policy": {
            "definitions": 1,
            "duplicates": "error",
            "gain": "linear",
            "id_from": null,
            "min_score": null,
            "relevance_threshold": 1,
            "repeat": 1,
            "undefined": "exclude"
          }
        }
      }
    }
  }
}
"""  # noqa: E501


def test_one_case_a_line_and_the_rest_indented() -> None:
    assert text_of({KEY: entry()}) == ONE_ENTRY


def test_no_entry() -> None:
    assert render(Baseline()) == '{\n  "format": 1,\n  "suites": {}\n}\n'


def test_order_of_entries_does_not_matter() -> None:
    first, second = ("a.eval.yaml", "z"), ("b.eval.yaml", "a")
    assert text_of({first: entry(0.1), second: entry(0.2)}) == text_of({second: entry(0.2), first: entry(0.1)})


def test_ten_thousand_cases_of_five_metrics_stay_below_four_megabytes() -> None:
    metrics = ["mrr", "recall@5", "recall@10", "ndcg@10", "hit_rate@1"]
    cases = {
        f"case-{number}": RecordedCase(
            fingerprint="0123456789abcdef",
            ranks={f"memory-{number}": number % 10 + 1},
            scores=dict.fromkeys(metrics, 1 / (number % 10 + 1)),
        )
        for number in range(10_000)
    }
    assert len(text_of({KEY: entry(cases=cases)}).encode()) < 4_000_000


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.0, "0"), (-0.0, "0"), (0.1, "0.1"), (1 / 3, "0.3333333333333333"), (None, "null")],
)
def test_numbers_are_as_short_as_they_can_be(value: float | None, text: str) -> None:
    assert f'"scores": {{"mrr": {text}}}' in text_of({KEY: entry(value)})


def test_integral_settings_are_written_without_a_fraction() -> None:
    assert '"relevance_threshold": 2,' in text_of({KEY: entry(policy=Policy(relevance_threshold=2.0))})


def test_cases_under_names_of_the_format_stay_one_a_line() -> None:
    case = RecordedCase(fingerprint="f", ranks=None, scores={})
    text = text_of({("cases", "cases"): entry(cases={"cases": case})})
    assert '\n            "cases": {"fingerprint": "f", "ranks": null, "scores": {}}\n' in text


@pytest.mark.parametrize(
    ("id", "text"),
    [
        pytest.param("für 名前 😀", '"für 名前 😀"', id="letters stay readable"),
        pytest.param("a\nb\t\x07\x1b[31m", r'"a\nb\t\u0007\u001b[31m"', id="controls"),
        pytest.param("\x7f\x85\u2028\ufeff", r'"\u007f\u0085\u2028\ufeff"', id="further controls"),
        pytest.param("\u202egnp.exe\u200b", r'"\u202egnp.exe\u200b"', id="what a reviewer can't see"),
        pytest.param("\ud800 \udfff", r'"\ud800 \udfff"', id="lone surrogates"),
        pytest.param("\ud83d\ude00", '"😀"', id="surrogates that make a pair"),
        pytest.param('"\\', r'"\"\\"', id="quotes"),
    ],
)
def test_hostile_ids(id: str, text: str) -> None:
    case = RecordedCase(fingerprint="f", ranks={id: 1}, scores={})
    written = text_of({KEY: entry(cases={id: case})})
    assert f'            {text}: {{"fingerprint": "f", "ranks": {{{text}: 1}}, "scores": {{}}}}\n' in written
