from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from pytest_recall.errors import RetrievalError
from pytest_recall.labels import LabelSpec
from pytest_recall.retrieval import LabelReader, Reading

LABELS = [LabelSpec("refund", ("money back",)), LabelSpec("shipping")]


class Intent(str, Enum):
    REFUND = "refund"


def read(returned: object) -> Reading:
    return LabelReader(LABELS).read(returned, "q")


@pytest.mark.parametrize(
    ("returned", "reading"),
    [
        ("refund", Reading(ranking=("refund",))),
        (Intent.REFUND, Reading(ranking=("refund",))),
        ("Refund.", Reading(ranking=("refund",), answer="Refund.")),
        ("wants the money  back", Reading(ranking=("refund",), answer="wants the money  back")),
        ("refund or shipping", Reading(answer="refund or shipping")),
        ("refunded", Reading(answer="refunded")),
        ("", Reading(answer="")),
        (None, Reading()),
    ],
)
def test_label_stands_where_a_ranking_would(returned: object, reading: Reading) -> None:
    assert read(returned) == reading


@pytest.mark.parametrize(
    ("returned", "kind"), [(["refund"], "list"), (0, "int"), (b"refund", "bytes"), ({"label": "refund"}, "dict")]
)
def test_anything_but_text_is_refused(returned: object, kind: str) -> None:
    with pytest.raises(RetrievalError) as raised:
        read(returned)
    assert str(raised.value) == (
        f"the classifier returned an object of type {kind}; accepted are a text that names a label, and None for none"
    )


def test_coroutine_is_told_from_a_wrong_type() -> None:
    async def classify() -> str:
        return "refund"

    with pytest.raises(RetrievalError) as raised:
        read(classify())
    assert str(raised.value) == (
        "the classifier is asynchronous (it returned an object of type coroutine): "
        "declare `async: true` in the suite, or await it where it is called"
    )


def test_hook_reads_what_the_team_returns() -> None:
    def adapt(returned: Any, query: str) -> Any:
        return returned["label"] if query == "q" else None

    assert LabelReader(LABELS, adapt).read({"label": "shipping"}, "q") == Reading(ranking=("shipping",))


def test_outputs_that_name_several_labels_are_counted_and_the_first_is_told() -> None:
    reader = LabelReader(LABELS)
    for output in ("neither", "shipping, or money back?", "refund or shipping"):
        reader.read(output, "q")
    assert reader.notes == (
        "2 outputs name several labels, which counts as none: 'shipping, or money back?' names refund, shipping",
    )
