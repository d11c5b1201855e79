from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"

NEEDS = """
    def test_data(shared_data):
        assert (shared_data / "cases").is_dir()

    def test_library(require):
        require.library("no_such_library")

    def test_program(require):
        require.program("no-such-program")
"""


@pytest.fixture
def tests(pytester: pytest.Pytester) -> pytest.Pytester:
    """The layout of this repository: the conftest lies in the folder that `testpaths` names."""
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    pytester.mkdir("shared").joinpath("cases").mkdir()
    directory = pytester.mkdir("tests")
    directory.joinpath("conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    pytester.makepyfile(**{"tests/test_needs": NEEDS})
    return pytester


def test_what_is_missing_skips_with_its_reason(tests: pytest.Pytester) -> None:
    result = tests.runpytest_inprocess("-rs")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines_random(
        ["*: needs --shared-data=DIR", "*: no_such_library is not installed", "*: no no-such-program on PATH"]
    )


def test_require_all_fails_instead(tests: pytest.Pytester) -> None:
    result = tests.runpytest_inprocess("--require-all")
    # A fixture that fails is pytest's error.
    result.assert_outcomes(errors=1, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "needs --shared-data=DIR, which --require-all forbids",
            "no_such_library is not installed, which --require-all forbids",
            "no no-such-program on PATH, which --require-all forbids",
        ]
    )


def test_shared_data_is_found_from_where_pytest_was_called(tests: pytest.Pytester) -> None:
    tests.runpytest_inprocess("--require-all", "--shared-data=shared", "-k", "data").assert_outcomes(
        passed=1, deselected=2
    )


def test_shared_data_that_is_not_there_is_a_usage_error(tests: pytest.Pytester) -> None:
    result = tests.runpytest_inprocess("--shared-data=elsewhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --shared-data={tests.path / 'elsewhere'}: not a directory with cases/ in it"])
