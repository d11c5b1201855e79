"""Whatever a file holds, reading it gives a suite or located mistakes."""

from __future__ import annotations

import string
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_recall.errors import SuiteError
from pytest_recall.suites import load_suite

SEEDS = [path.read_bytes() for path in sorted(Path(__file__).parents[1].glob("suites/valid/*.eval.*"))]

# What means something to YAML, JSON or the loader.
TOKENS = [
    *("[", "]", "{", "}", ":", ",", "-", "?", "#", "|", ">", "'", '"', "%", "@", "`", "[[[[[[[[", "{a: {a: {a: "),
    *(
        "&a ",
        "*a",
        "<<: *a, ",
        "!!str ",
        "!!int ",
        "!x ",
        "---\n",
        "...\n",
        "\n",
        "\n- ",
        "  ",
        "\t",
        "\r",
        "\x85",
        "\0",
    ),
    *("~", "null", "true", ".nan", ".inf", "1e999", "012", "-1", "5%", "\\ud83d", "\\u0000"),
    *(
        "id",
        "key",
        "_id",
        "query",
        "relevant",
        "stale",
        "tags",
        "args",
        "expect",
        "each",
        "metrics",
        "k",
        "recall@5",
        "x-",
    ),
]
INSERTED = st.one_of(
    st.sampled_from(TOKENS).map(str.encode),
    st.text(string.printable, max_size=8).map(str.encode),
    st.binary(max_size=4),
)
# Where (a share of the text), how many bytes go, what comes instead.
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), INSERTED), min_size=1, max_size=6)


def edited(data: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for share, removed, inserted in edits:
        at = int(share * len(data))
        data = data[:at] + inserted + data[at + removed :]
    return data


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.sampled_from(SEEDS), edits=EDITS, suffix=st.sampled_from(["yaml", "yml", "json"]))
def test_edited_suite_loads_or_tells_its_mistakes(
    tmp_path: Path, seed: bytes, edits: list[tuple[float, int, bytes]], suffix: str
) -> None:
    path = tmp_path / f"notes.eval.{suffix}"
    path.write_bytes(edited(seed, edits))
    try:
        assert load_suite(path, root=tmp_path).gates
    except SuiteError as error:
        unlocated = [problem for problem in error.problems if not (problem.line and problem.column)]
        assert error.problems  # noqa: PT017 - both outcomes are right
        assert not unlocated
