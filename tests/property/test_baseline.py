from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_recall.baseline import Baseline, Entry, RecordedCase, RecordedMetric, read_baseline, render
from pytest_recall.evaluation import MemoriesDigest, Policy

if TYPE_CHECKING:
    from pathlib import Path

# Every character, lone surrogates too. A pair of them is read back as the one character it stands for.
PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
TEXTS = st.text(st.characters(exclude_categories=()), max_size=8).filter(lambda text: not PAIR.search(text))
FINITE = st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.integers(0, 10**9)

VALUES = {
    "mrr": st.none() | st.floats(0, 1),
    "recall@5": st.none() | st.floats(0, 1),
    "mean_noise": st.none() | st.floats(0, 1e300),
    "users_own": st.none() | FINITE,
}
METRICS = st.fixed_dictionaries(
    {},
    optional={
        name: st.builds(
            RecordedMetric, value=value, aggregate=st.sampled_from(["mean", "max"]), scored=COUNTS, undefined=COUNTS
        )
        for name, value in VALUES.items()
    },
)
CASES = st.builds(
    RecordedCase,
    fingerprint=TEXTS,
    ranks=st.none() | st.dictionaries(TEXTS, st.none() | st.integers(1, 10**6), max_size=3),
    scores=st.fixed_dictionaries({}, optional=VALUES),
)
POLICIES = st.builds(
    Policy,
    undefined=st.sampled_from(["exclude", "zero", "one", "error"]),
    duplicates=st.sampled_from(["error", "first"]),
    gain=st.sampled_from(["linear", "exponential"]),
    relevance_threshold=FINITE,
    id_from=st.none() | TEXTS,
    min_score=st.none() | FINITE,
    repeat=st.integers(1, 100),
)
ENTRIES = st.builds(
    Entry,
    k=st.integers(1, 10**6),
    policy=POLICIES,
    memories=st.none() | st.builds(MemoriesDigest, count=COUNTS, sha256=TEXTS),
    metrics=METRICS,
    cases=st.dictionaries(TEXTS, CASES, max_size=3),
)
BASELINES = st.builds(Baseline, entries=st.dictionaries(st.tuples(TEXTS, TEXTS), ENTRIES, max_size=3))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("baseline") / "baseline.json"


@given(baseline=BASELINES)
def test_write_read_write_gives_the_same_values_and_bytes(baseline: Baseline, path: Path) -> None:
    data = render(baseline).encode()
    path.write_bytes(data)
    read = read_baseline(path)
    assert read == baseline
    assert render(read).encode() == data
