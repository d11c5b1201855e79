"""A question has the fingerprint that its canonical JSON gives, whichever way that is written."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_recall import _json
from pytest_recall.suites import Case

# Every character that JSON escapes, and halves of surrogate pairs.
CONTROLS = "".join(map(chr, range(160))) + "\u2028\ufeff\ud800\U0001f600"
texts = st.text() | st.text(st.sampled_from(CONTROLS))
grades = st.dictionaries(texts, st.integers(0, 10**6) | st.floats(0, 1e6) | st.sampled_from([2.0**53, 1e22, 5e-324]))
arguments = st.dictionaries(texts, st.none() | texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False))


@example(query=CONTROLS, relevant={CONTROLS: 1.0}, stale=[CONTROLS], args={}, answers=[CONTROLS])
@given(
    query=texts,
    relevant=st.none() | grades,
    stale=st.lists(texts),
    args=st.just({}) | arguments,
    answers=st.lists(texts, max_size=2),
)
def test_fingerprint_is_that_of_the_canonical_json(
    query: str, relevant: dict[str, float] | None, stale: list[str], args: dict[str, Any], answers: list[str]
) -> None:
    case = Case(id="c", query=query, relevant=relevant, stale=tuple(stale), args=args, answers=tuple(answers))

    judged = None if relevant is None else [[id, grade] for id, grade in sorted(relevant.items())]
    question = [query, judged, sorted(stale), args, *([sorted(answers)] if answers else [])]
    canonical = _json.canonical(question).encode("utf-8", "surrogatepass")
    assert case.fingerprint == hashlib.sha256(canonical).hexdigest()[:16]
