from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.suites import load_suite
from pytest_recall.suites.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLAIN = {"source": "a.pdf", "pages": [3, {"line": 4}]}

CHANGES: list[tuple[str, Callable[[Any], object]]] = [
    ("dict", lambda value: value.__setitem__("source", "")),
    ("dict", lambda value: value.__delitem__("source")),
    ("dict", lambda value: value.__ior__({"x": 1})),
    ("dict", lambda value: value.clear()),
    ("dict", lambda value: value.pop("source")),
    ("dict", lambda value: value.popitem()),
    ("dict", lambda value: value.setdefault("x", 1)),
    ("dict", lambda value: value.update(x=1)),
    ("dict", lambda value: value["pages"][1].update(x=1)),
    ("list", lambda value: value["pages"].__setitem__(0, 1)),
    ("list", lambda value: value["pages"].__delitem__(0)),
    ("list", lambda value: value["pages"].__iadd__([1])),
    ("list", lambda value: value["pages"].__imul__(2)),
    ("list", lambda value: value["pages"].append(1)),
    ("list", lambda value: value["pages"].clear()),
    ("list", lambda value: value["pages"].extend([1])),
    ("list", lambda value: value["pages"].insert(0, 1)),
    ("list", lambda value: value["pages"].pop()),
    ("list", lambda value: value["pages"].remove(3)),
    ("list", lambda value: value["pages"].reverse()),
    ("list", lambda value: value["pages"].sort()),
]


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_every_change_is_refused(kind: str, change: Callable[[Any], object]) -> None:
    value = frozen(PLAIN)
    with pytest.raises(TypeError) as raised:
        change(value)
    message = f"a suite's values can't be changed, for others are handed them too: change a copy, {kind}(...)"
    assert str(raised.value) == message
    assert value == PLAIN


@pytest.mark.parametrize(
    "copied",
    [dict, copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), lambda value: {**value}],  # noqa: S301
)
def test_copy_can_be_changed(copied: Callable[[Any], Any]) -> None:
    value = frozen(PLAIN)
    changed = copied(value)
    assert changed == PLAIN
    changed["source"] = "b.pdf"
    assert value == PLAIN


def test_deep_copy_can_be_changed_in_its_depth() -> None:
    value = frozen(PLAIN)
    copy.deepcopy(value)["pages"][1]["line"] = 5
    assert value == PLAIN


def test_for_readers_it_is_a_dict() -> None:
    value = frozen(PLAIN)
    assert isinstance(value, dict)
    assert isinstance(value["pages"], list)
    assert json.loads(json.dumps(value)) == PLAIN
    assert frozen("text") == "text"


def test_what_a_suite_hands_out_is_frozen_wherever_it_was_written(tmp_path: Path) -> None:
    memory = {"id": "a", "text": "alpha", "metadata": {"tags": ["x"]}}
    case = {"query": "q", "relevant": ["a"], "args": {"filters": ["x"]}}
    (tmp_path / "memories.jsonl").write_text(f"{json.dumps(memory)}\n", encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(f"{json.dumps(case)}\n", encoding="utf-8")
    listed = json.dumps({"memories": [memory], "cases": [case]})
    in_files = json.dumps({"memories": {"path": "memories.jsonl"}, "cases": {"path": "cases.jsonl"}})
    for name, text in {"listed.eval.json": listed, "listed.eval.yaml": listed, "in_files.eval.yaml": in_files}.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        suite = load_suite(path, root=tmp_path)
        for handed in (suite.memories[0].metadata["tags"], suite.cases[0].args["filters"]):
            assert handed == ["x"]
            with pytest.raises(TypeError, match="can't be changed"):
                handed.append("y")
