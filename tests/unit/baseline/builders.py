from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_recall.baseline import Baseline, Entry, RecordedCase, RecordedMetric, render
from pytest_recall.evaluation import MemoriesDigest, Policy

if TYPE_CHECKING:
    from pytest_recall.baseline import Key

KEY = ("tests/support.eval.yaml", "retriever")


def entry(mrr: float | None = 0.5, **more: Any) -> Entry:
    """One case that found its first answer at rank 2 and its second not at all."""
    scored = mrr is not None
    return Entry(
        **{
            "k": 10,
            "policy": Policy(),
            "memories": MemoriesDigest(count=40, sha256="a5" * 32),
            "metrics": {
                "mrr": RecordedMetric(value=mrr, aggregate="mean", scored=int(scored), undefined=int(not scored))
            },
            "cases": {
                "lease-end": RecordedCase(
                    fingerprint="0123456789abcdef", ranks={"lease-2": 2, "lease-1": None}, scores={"mrr": mrr}
                )
            },
            **more,
        }
    )


def text_of(entries: dict[Key, Entry]) -> str:
    return render(Baseline(entries=entries))


def record() -> dict[str, Any]:
    """The plain values of a file with one entry, to be spoilt."""
    values: dict[str, Any] = json.loads(text_of({KEY: entry()}))
    return values


def entry_of_record(values: dict[str, Any]) -> dict[str, Any]:
    suite, system = KEY
    found: dict[str, Any] = values["suites"][suite]["systems"][system]
    return found
