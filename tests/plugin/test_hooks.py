"""The hooks of a conftest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.project import Project

METRIC = """\
import pytest
from pytest_recall import Metric

@pytest.fixture
def retriever():
    return {"q1": ["a", "b"], "q2": ["c", "b"]}.get

def first_is_relevant(judged, cutoff):
    return float(judged.ranking[0] in judged.judgments.relevant)

def pytest_recall_metrics(config):
    return [Metric(name="first_is_relevant", per_case=first_is_relevant, takes_cutoff="none")]
"""


@pytest.fixture
def custom(notes: Project) -> Project:
    suite = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("notes.eval.yaml", suite.replace("[recall@3, mrr]", "[first_is_relevant]"))
    notes.write("conftest.py", METRIC)
    return notes


def test_a_metric_of_the_users_own_is_named_gated_and_recorded(custom: Project) -> None:
    custom.run(BASELINE, "--eval-update").assert_outcomes(passed=1)
    assert '"first_is_relevant": {' in custom.baseline()
    custom.run(BASELINE).assert_outcomes(passed=1)
    result = custom.run("--eval-max-drop=first_is_relevant=0.1", BASELINE, "-n2", own_process=True)
    result.assert_outcomes(passed=1)
    suite = (custom.path / "notes.eval.yaml").read_text(encoding="utf-8")
    custom.write("notes.eval.yaml", suite + "thresholds: {first_is_relevant: 0.6}\n")
    assert failure(custom.run(), "first_is_relevant")[0] == (
        "first_is_relevant 0.500, needs 0.600 (notes.eval.yaml:11)"
    )


def test_the_metric_is_forgotten_with_the_run(custom: Project) -> None:
    custom.run().assert_outcomes(passed=1)
    custom.write("conftest.py", METRIC.partition("def pytest_recall_metrics")[0])
    result = custom.run()
    result.stdout.fnmatch_lines(["notes.eval.yaml:2:11: metrics: unknown metric 'first_is_relevant'"])


def test_a_value_out_of_range_is_an_error_of_its_case(custom: Project) -> None:
    custom.write("conftest.py", METRIC.replace("return float(", "return 2 * float("))
    assert failure(custom.run(), "first_is_relevant")[0] == (
        "first_is_relevant has no value: 1 of 2 cases raised, "
        "first one: first_is_relevant gave 2.0, outside of its range (0 to 1)"
    )


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        ('Metric(name="mrr", per_case=len)', "metric 'mrr': the name is taken"),
        ('Metric(name="My", per_case=len)', "metric 'My': a name is small letters, digits and _, such as 'my_metric'"),
        ('Metric(name="x")', "metric 'x' needs per_case, a function of a judged ranking and a cutoff"),
        ('Metric(name="x", cutoff=3, per_case=len)', "metric 'x': register it without a cutoff; *"),
        ('"mrr"', "a metric is a pytest_recall.Metric, not str"),
    ],
)
def test_what_is_no_metric_stops_the_run(custom: Project, metric: str, sentence: str) -> None:
    custom.write(
        "conftest.py", f"from pytest_recall import Metric\ndef pytest_recall_metrics(config): return [{metric}]\n"
    )
    result = custom.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"hook pytest_recall_metrics: {sentence}"])


ADAPT = """\
import pytest

class Page:
    def __init__(self, *ids): self.ids_of_page = ids

@pytest.fixture
def retriever():
    return {"q1": Page("a", "b"), "q2": Page("x", "b")}.get

def pytest_recall_adapt(returned, query, config):
    assert config.rootpath
    if isinstance(returned, Page):
        return (id for id in returned.ids_of_page if (query, id) != ("q2", "x"))
"""

MARKED = """\
import pytest
from conftest import Page

@pytest.mark.recall(min_mrr=1)
def test_recorded(recall):
    recall("q2", ["b"], Page("x", "b"))

@pytest.mark.recall("notes.eval.yaml", min_mrr=1)
def test_suite(recall):
    assert recall.evaluate("notes.eval.yaml", {"q1": Page("a"), "q2": Page("b")}.get)["mrr"] == 1
"""


def test_the_adapt_hook_reads_what_nothing_else_can(notes: Project) -> None:
    notes.write("conftest.py", ADAPT)
    notes.write("test_marked.py", MARKED)
    result = notes.run()
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["  mrr * 1.000 *"])


def test_what_the_adapt_hook_leaves_is_read_as_it_is(notes: Project) -> None:
    notes.write("conftest.py", ADAPT.replace('Page("a", "b")', '["a"]'))
    notes.run().assert_outcomes(passed=2)


def test_what_the_adapt_hook_raises_is_an_error_of_its_case(notes: Project) -> None:
    notes.write("conftest.py", ADAPT.replace("returned.ids_of_page", "returned.ids_of_pages"))
    assert failure(notes.run(), "mrr")[0] == (
        "mrr has no value: 2 of 2 cases raised, "
        "first one: AttributeError: 'Page' object has no attribute 'ids_of_pages'"
    )


def test_the_adapt_hook_of_a_folder_is_for_its_suites_alone(notes: Project) -> None:
    suite = (notes.path / "notes.eval.yaml").read_text(encoding="utf-8")
    notes.write("other/notes.eval.yaml", suite)
    notes.write("other/conftest.py", "def pytest_recall_adapt(returned): return ['x']\n")
    result = notes.run()
    assert failure(result, "mrr") == [
        "mrr: no returned id is a memory of this suite: returned 'x', memories look like 'a'"
    ]
    result.assert_outcomes(passed=2, failed=2)
