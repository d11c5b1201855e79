"""A run without suites pays for none of them."""

from __future__ import annotations

import pytest

PROBE = """\
import sys

def test_nothing(): pass

def pytest_sessionfinish():
    print("loaded:", sorted({"yaml", "orjson", "sqlite3"} & set(sys.modules)))
    print("ours:", sorted(name for name in sys.modules if name.startswith("pytest_recall")))
"""


@pytest.mark.usefixtures("unmeasured")
def test_a_run_without_suites_prints_and_loads_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PROBE)
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_subprocess("-s", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*loaded: [[][]]",
            (
                "ours: [[]'pytest_recall', 'pytest_recall.plugin', 'pytest_recall.plugin.fixtures', "
                "'pytest_recall.plugin.hookspecs', 'pytest_recall.plugin.options'[]]"
            ),
        ]
    )
    assert "eval" not in result.stdout.str().replace("pytest_recall", "")
    assert sorted(path.name for path in pytester.path.iterdir() if path.suffix) == [
        "conftest.py",
        "test_a_run_without_suites_prints_and_loads_nothing.py",
    ]


def test_a_quiet_run_gives_one_line(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".eval.yaml", notes="metrics: [mrr, map]\nthresholds: {map: 1}\ncases: [{query: q, relevant: [a]}]\n"
    )
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef retriever(): return lambda query: ['a']\n")
    result = pytester.runpytest_inprocess("-q", "-p", "no:randomly")
    assert [line for line in result.outlines if line.startswith("eval")] == [
        "eval: 1 suite, 1 gate passed, 0 failed, 1 value without a gate"
    ]
