"""However the queries are asked, a retriever that answers the same gets the same bytes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_recall.asking import Plan
from pytest_recall.baseline import Baseline, entry_of, render
from pytest_recall.running import evaluate
from tests.builders import case, suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_recall.evaluation import Evaluation

IDS = st.sampled_from("abcdef")
OBJECTS = st.fixed_dictionaries({}, optional={"id": IDS, "key": IDS, "metadata": st.fixed_dictionaries({"id": IDS})})
RESULTS = st.one_of(
    st.lists(IDS, max_size=6),
    st.lists(IDS, max_size=6, unique=True),
    st.lists(st.tuples(IDS, st.floats(0, 1)), max_size=4),
    st.lists(OBJECTS, max_size=3),
    st.dictionaries(IDS, st.floats(0, 1)),
    st.none(),
)
ANSWERS = st.lists(st.tuples(RESULTS, st.sampled_from(["plain", "lazy", "raises"])), min_size=1, max_size=12)


@dataclass(frozen=True)
class Answers:
    """Returns what is written down, some of it as a generator, or raises."""

    written: Sequence[tuple[Any, str]]

    def search(self, query: str) -> Any:
        results, manner = self.written[int(query)]
        if manner == "raises":
            raise LookupError(query)
        return iter(results) if manner == "lazy" and isinstance(results, list) else results


@dataclass(frozen=True)
class Batches(Answers):
    def batch(self, queries: list[str]) -> list[Any]:
        return [self.search(query) for query in queries]


@pytest.fixture(scope="module")
def executors() -> Iterator[Mapping[str, Executor]]:
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        yield {"threads": threads, "processes": processes}


def baseline(evaluation: Evaluation) -> str:
    # What raised is not recorded; here it is, to be compared.
    return render(Baseline(entries={("s", "r"): entry_of(evaluation)}))


def told(evaluation: Evaluation) -> list[object]:
    return [*evaluation.notes, evaluation.problem, *((each.ranking, each.error) for each in evaluation.cases)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(written=ANSWERS, duplicates=st.sampled_from(["error", "first"]), repeat=st.integers(1, 3))
def test_every_way_of_asking_gives_the_same_bytes(
    executors: Mapping[str, Executor], written: Sequence[tuple[Any, str]], duplicates: str, repeat: int
) -> None:
    cases = [case(str(number), ["a"]) for number in range(len(written))]
    asked = suite(cases, ["mrr", "recall@3"], k=3, duplicates=duplicates).planned(Plan(repeat=repeat))
    serial = evaluate(asked, Answers(written))
    ways = {
        "concurrency": evaluate(asked.planned(Plan(repeat=repeat, concurrency=3)), Answers(written)),
        "timeout": evaluate(asked.planned(Plan(repeat=repeat, timeout=60)), Answers(written)),
        **{name: evaluate(asked, Answers(written), executor=executor) for name, executor in executors.items()},
    }
    if not any(manner == "raises" for _, manner in written):
        ways["batch"] = evaluate(asked.planned(Plan(repeat=repeat, batch=4)), Batches(written))
    for name, evaluation in ways.items():
        assert told(evaluation) == told(serial), name
        assert baseline(evaluation) == baseline(serial), name
