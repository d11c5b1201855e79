"""Suites of classifiers, from collection to the baseline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

INTENTS = """\
labels: {refund: [money back], shipping: [], other: }
thresholds:
  accuracy: 0.6
  label_precision.refund: 0.5
each: {accuracy: 0}
cases:
  - {id: money, input: I want my money back, expected: refund}
  - {id: parcel, input: where is my parcel, expected: shipping, tags: [urgent]}
  - {id: hours, input: when are you open, expected: other}
"""
GATES = 6
"""Items: three cases, accuracy, label_precision.refund, macro_f1."""

RIGHT = {"I want my money back": "refund", "where is my parcel": "It is shipping.", "when are you open": "other"}

CLASSIFIER = """\
import json
from pathlib import Path
import pytest

OUTPUTS = json.loads(Path(__file__).with_name("outputs.json").read_text())

@pytest.fixture{scope}
def {name}():
    {definition} classify(text):
        output = OUTPUTS[text]
        if output == "raise":
            raise RuntimeError("model is down")
        return output
    return classify
"""


def outputs(
    project: Project, name: str = "classifier", definition: str = "def", scope: str = "", **more: object
) -> None:
    """The classifier of the project; its outputs by the first word of the input."""
    by_input = {text: more.get(text.partition(" ")[0], label) for text, label in RIGHT.items()}
    project.write("conftest.py", CLASSIFIER.format(name=name, definition=definition, scope=scope))
    project.write("outputs.json", json.dumps(by_input))


@pytest.fixture
def intents(project: Project) -> Project:
    """The project with a classifier that is right in every case."""
    project.write("intents.eval.yaml", INTENTS)
    outputs(project)
    return project


def test_items_and_summary(intents: Project) -> None:
    result = intents.run("-v")
    result.assert_outcomes(passed=GATES)
    names = [line.partition("::")[2].split()[0] for line in result.outlines if " PASSED" in line]
    assert names == ["case:money", "case:parcel", "case:hours", "accuracy", "label_precision-refund", "macro_f1"]
    result.stdout.fnmatch_lines(["intents.eval.yaml  classifier  3 cases", "  accuracy * 1.000 *>= 0.6  passed"])


@pytest.mark.parametrize(
    ("argument", "passed"), [("label_precision", 1), ("urgent", 1), ("case", 3), ("macro_f1 or accuracy", 2)]
)
def test_items_are_chosen_by_label_metric_and_tag(intents: Project, argument: str, passed: int) -> None:
    intents.run("-k", argument).assert_outcomes(passed=passed, deselected=GATES - passed)


def test_regression_is_red_until_it_is_recorded(intents: Project) -> None:
    recorded = intents.run(BASELINE, "--eval-update")
    recorded.assert_outcomes(passed=GATES)
    intents.run(BASELINE).assert_outcomes(passed=GATES)
    outputs(intents, where="money back, or shipping?")
    result = intents.run(BASELINE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=4, failed=2)
    assert failure(result, "accuracy") == [
        "accuracy 0.667, baseline 1.000, dropped 0.333 (1 of 3 cases differs, too few to decide)",
        "  3 cases",
        "  lost    parcel  expected shipping  got no single label in 'money back, or shipping?'",
        "  1 output names several labels, which counts as none: 'money back, or shipping?' names refund, shipping",
    ]
    intents.run(BASELINE, "--eval-update").assert_outcomes(passed=GATES)
    intents.run(BASELINE).assert_outcomes(passed=GATES)


def test_recording_twice_changes_no_byte(intents: Project) -> None:
    intents.run(BASELINE, "--eval-update")
    before = intents.baseline()
    intents.run(BASELINE, "--eval-update")
    assert intents.baseline() == before
    (entry,) = json.loads(before)["suites"]["intents.eval.yaml"]["systems"].values()
    assert entry["cases"]["money"]["ranks"] == {"refund": 1}
    assert entry["metrics"]["macro_f1"] == {"aggregate": "macro_f1", "scored": 3, "undefined": 0, "value": 1}


@pytest.mark.parametrize("arguments", [["-n2"], ["-n2", "--dist=loadfile"], ["-n0"]])
def test_workers_change_no_byte(intents: Project, require: Require, arguments: list[str]) -> None:
    require.library("xdist")
    outputs(intents, where="refund")
    intents.run(BASELINE, "--eval-update")
    serial = intents.baseline()
    (intents.path / "baseline.json").unlink()
    intents.run(BASELINE, "--eval-update", *arguments, own_process=True).assert_outcomes(passed=GATES)
    assert intents.baseline() == serial


@pytest.mark.parametrize(("plugin", "other"), [("asyncio", "anyio"), ("anyio", "asyncio")])
def test_asynchronous_classifier(intents: Project, require: Require, plugin: str, other: str) -> None:
    require.library("pytest_asyncio" if plugin == "asyncio" else "anyio")
    intents.write("intents.eval.yaml", f"async: true\ntimeout: 10\nconcurrency: 2\n{INTENTS}")
    outputs(intents, definition="async def", scope='(scope="module")')
    backend = (
        "" if plugin == "asyncio" else '\n@pytest.fixture(scope="module")\ndef anyio_backend(): return "asyncio"\n'
    )
    conftest = intents.path / "conftest.py"
    intents.write("conftest.py", conftest.read_text(encoding="utf-8") + backend)
    intents.run("-p", f"no:{other}", own_process=True).assert_outcomes(passed=GATES)


def test_asynchronous_classifier_of_a_suite_that_is_not_is_told(intents: Project) -> None:
    outputs(intents, definition="async def")
    assert failure(intents.run("-k", "macro_f1"), "macro_f1") == [
        (
            "macro_f1 has no value: 3 of 3 cases raised, first money: the classifier is asynchronous (it returned an "
            "object of type coroutine): declare `async: true` in the suite, or await it where it is called"
        )
    ]


@pytest.mark.parametrize("output", ["delivery", "SHIPPINGS", None])
def test_output_without_one_label_is_no_label(intents: Project, output: str | None) -> None:
    outputs(intents, where=output)
    intents.write("intents.eval.yaml", INTENTS.replace("accuracy: 0.6", "accuracy: 1"))
    said = "no label" if output is None else f"no single label in {output!r}"
    assert failure(intents.run("-k", "accuracy and not case"), "accuracy") == [
        "accuracy 0.667, needs 1.000 (intents.eval.yaml:3)",
        "  3 cases",
        f"  missed  parcel  expected shipping  got {said}",
    ]


def test_classifier_that_raises_fails_what_the_case_counts_for_with_its_traceback(intents: Project) -> None:
    outputs(intents, where="raise")
    result = intents.run()
    result.assert_outcomes(passed=2, failed=4)
    lines = failure(result, "case:parcel")
    assert lines[0] == "case parcel raised: RuntimeError: model is down"
    assert 'raise RuntimeError("model is down")' in "\n".join(lines)
    assert failure(result, "accuracy") == [
        "accuracy has no value: 1 of 3 cases raised, first parcel: RuntimeError: model is down",
        "  traceback: see the first failure for case parcel",
    ]


def test_wrong_type_is_told(intents: Project) -> None:
    outputs(intents, where=["shipping"])
    assert failure(intents.run("-k", "macro_f1"), "macro_f1") == [
        (
            "macro_f1 has no value: 1 of 3 cases raised, first parcel: the classifier returned an object of type list; "
            "accepted are a text that names a label, and None for none"
        )
    ]


def test_unknown_label_is_a_mistake_of_the_suite(intents: Project) -> None:
    intents.write("intents.eval.yaml", INTENTS.replace("expected: shipping", "expected: shiping"))
    result = intents.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    message = "intents.eval.yaml:8:55: cases[1].expected (parcel): unknown label 'shiping' (did you mean 'shipping'?)"
    assert message in result.outlines


def test_without_a_classifier_every_item_fails_and_the_first_says_what_to_write(intents: Project) -> None:
    (intents.path / "conftest.py").unlink()
    result = intents.run("-k", "not case")
    result.assert_outcomes(failed=3, deselected=3)
    assert failure(result, "accuracy") == [
        (
            "no classifier for intents.eval.yaml: write this fixture in conftest.py; "
            "it is called as classify(input) and returns a label, or a text that names one:"
        ),
        '    @pytest.fixture(scope="module")',
        "    def classifier():",
        "        return MyModel().classify",
    ]
    assert failure(result, "macro_f1") == ["no classifier for intents.eval.yaml: see the first failure of this suite"]


def test_suite_names_its_fixture_and_no_option_does(intents: Project) -> None:
    intents.write("intents.eval.yaml", f"retriever: router\n{INTENTS}")
    outputs(intents, name="router")
    result = intents.run("--eval-retriever=bm25", "-o", "eval_retriever=other")
    result.assert_outcomes(passed=GATES)
    result.stdout.fnmatch_lines(["intents.eval.yaml  router  3 cases"])


def test_fixture_that_is_not_there_is_told_in_words_of_classifiers(intents: Project) -> None:
    intents.write("intents.eval.yaml", f"retriever: router\n{INTENTS}")
    result = intents.run("-k", "macro_f1")
    result.assert_outcomes(errors=1, deselected=5)
    assert "    def router():" in result.outlines


def test_each_repeat_counts(intents: Project) -> None:
    intents.write(
        "conftest.py",
        "import pytest\nfrom itertools import cycle\n\n@pytest.fixture(scope='module')\ndef classifier():\n"
        "    labels = cycle(['refund', 'shipping'])\n    return lambda text: next(labels)\n",
    )
    intents.write("intents.eval.yaml", INTENTS.replace("accuracy: 0.6", "accuracy: 0.3"))
    result = intents.run("--eval-repeat=2")
    assert "  accuracy                         0.333                       >= 0.3  passed" in result.outlines
    result.stdout.fnmatch_lines(["*the label of 3 of 3 cases changed from repeat to repeat: money (2 labels), *"])


def test_mark_holds_a_classifier_to_bounds(intents: Project) -> None:
    intents.write("intents.eval.yaml", INTENTS.replace("accuracy: 0.6", "accuracy: 0.1"))
    outputs(intents, where="refund")
    intents.write(
        "test_intents.py",
        "import pytest\n\n"
        "@pytest.mark.recall('intents.eval.yaml', min_accuracy=0.9, thresholds={'label_recall.refund': 1})\n"
        "def test_marked(recall):\n    assert recall.evaluation['label_precision.refund'] == 0.5\n\n"
        "def test_free(recall, classifier):\n"
        "    assert recall.evaluate('intents.eval.yaml', classifier).system == 'classifier'\n",
    )
    result = intents.run("test_intents.py")
    result.assert_outcomes(passed=1, failed=1)
    assert failure(result, "test_marked") == [
        "accuracy 0.667, needs 0.900 (moves in steps of 0.333)",
        "  3 cases",
        "  missed  parcel  expected shipping  got refund",
    ]


def test_colon_of_a_label_is_no_tag_in_a_mark(intents: Project) -> None:
    suite = "labels: {'a:b': [refund], shipping: [], other: }\n" + INTENTS.partition("\n")[2]
    suite = suite.replace("label_precision.refund", "label_precision.a:b")
    intents.write("intents.eval.yaml", suite.replace("expected: refund", "expected: 'a:b'"))
    intents.write(
        "test_intents.py",
        "import pytest\n\n"
        "BOUNDS = {'label_recall.a:b': 0.9, 'label_recall.a:b:untagged': 0.8, 'label_recall.shipping:urgent': 1}\n\n"
        "@pytest.mark.recall('intents.eval.yaml', thresholds=BOUNDS)\n"
        "def test_marked(recall): pass\n",
    )
    lines = [" ".join(line.split()) for line in intents.run("test_intents.py").outlines if "label_recall" in line]
    assert lines == [
        "label_recall.a:b 1.000 >= 0.9 passed",
        "label_recall.a:b:untagged 1.000 >= 0.8 passed",
        "label_recall.shipping 1.000 no gate",
        "label_recall.shipping:urgent 1.000 >= 1 passed",
    ]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ("k=5", "k is for retrievers, and intents.eval.yaml has labels"),
        ("min_mrr=0.5", "mrr is for retrievers, and intents.eval.yaml has labels"),
        (
            "min_label_recall=0.5",
            "min_label_recall: label_recall is that of a label, so write thresholds={'label_recall.LABEL': {'min': …}}",
        ),
    ],
)
def test_mark_of_another_kind_is_refused(intents: Project, keywords: str, message: str) -> None:
    intents.write(
        "test_intents.py",
        f"import pytest\n\n@pytest.mark.recall('intents.eval.yaml', {keywords})\ndef test_marked(recall):\n    pass\n",
    )
    assert f"@pytest.mark.recall: {message}" in "\n".join(intents.run("test_intents.py").outlines)


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml", "md", "html", "jsonl"])
def test_every_kind_of_report_holds_labels(intents: Project, require: Require, suffix: str) -> None:
    for library in {"toml": ("tomli_w",), "html": ("jinja2",)}.get(suffix, ()):
        require.library(library)
    intents.write("intents.eval.yaml", INTENTS.replace("accuracy: 0.6", "accuracy: 1"))
    outputs(intents, where="refund")
    intents.run(f"--eval-report=now.{suffix}")
    text = (intents.path / f"now.{suffix}").read_text(encoding="utf-8")
    assert "label_precision.refund" in text
    assert "shipping" in text
