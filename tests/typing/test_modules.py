"""Users' code over the modules beside the package, as type checkers see it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.typing.conftest import Check

TYPED = """\
from pathlib import Path

from typing_extensions import assert_type

from pytest_recall import kimetsu, labels, recall_at_k
from pytest_recall.answers import anls_score, token_f1_score
from pytest_recall.formats import read_qrels, read_run, write_run
from pytest_recall.replay import Capture, EvalMetrics, Llm, Tools, eval_capture_determinism
from pytest_recall.sklearn import RetrievalScorer, get_retrieval_scorer, make_retrieval_scorer

assert_type(token_f1_score(["Paris"], ["paris"]), float)
assert_type(anls_score([["Paris", "City of Paris"]], ["paris"], average=None), list[float])

specs = [labels.LabelSpec("refund", ["money back"])]
assert_type(labels.extract_label("a refund", specs), str | None)
cases = [labels.ClassificationCase("x", "refund")]
assert_type(labels.score_classification(cases, ["refund"], specs), labels.ClassificationReport)

assert_type(kimetsu.recall_at_k(["a"], ["a"], 1), float)
assert_type(make_retrieval_scorer(recall_at_k, k=5), RetrievalScorer)
assert_type(get_retrieval_scorer("mrr", response_method="search"), RetrievalScorer)

recall_at_k(read_qrels(Path("qrels")), read_run("run.gz"))
write_run({"q": ["a"]}, "run")


def agent(input: str, llm: Llm, tools: Tools) -> str:
    return input


capture = Capture.read("lease.eval.capture.json")
assert_type(capture, Capture)
assert_type(eval_capture_determinism(capture, agent), EvalMetrics)

token_f1_score("Paris", 5)  # type: ignore[call-overload]
labels.score_classification([], [1])  # type: ignore[list-item]
"""


def test_modules_over_typed_code(check: Check) -> None:
    check(TYPED)


@pytest.mark.skipif(not hasattr(pytest, "TerminalReporter"), reason="this pytest leaves a type of its hooks private")
def test_every_public_type_is_known(pyright: Sequence[str]) -> None:
    command = [*pyright, "--verifytypes", "pytest_recall", "--ignoreexternal"]
    # It verifies what the first Python on the path has, whatever it is told.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    verified = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert "Type completeness score: 100%" in verified.stdout, verified.stdout
    assert verified.returncode == 0
