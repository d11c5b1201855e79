from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import tracemalloc
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall.asking import Plan
from pytest_recall.bounds import Tolerance
from pytest_recall.errors import SuiteError
from pytest_recall.evaluation import Policy
from pytest_recall.suites import Mark, Memory, load_suite
from tests.unit.suites.builders import CASES, MEMORIES, load

if TYPE_CHECKING:
    from collections.abc import Iterator

VALID = Path(__file__).parents[2] / "suites" / "valid"


@pytest.fixture
def collector() -> Iterator[None]:
    yield
    gc.enable()


def test_cases_with_answers_may_leave_open_what_comes_back() -> None:
    suite = load_suite(VALID / "answers.eval.yaml", root=VALID.parent)
    assert [(case.relevant, case.answers) for case in suite.cases] == [
        (None, ("Paris", "City of Paris")),
        (None, ("1789",)),
        ({}, ("no",)),
        (None, ("",)),
        ({"paris": 1}, ()),
    ]
    assert (suite.ranked, suite.answered) == (True, True)
    named = ["token_f1", "exact_match"]
    defaults = ["hit_rate@10", "precision@10", "recall@10", "mrr", "ndcg@10"]
    memory = ["stale_hit_rate@10", "negative_accuracy"]
    assert [*map(str, suite.metrics)] == [*named, *defaults, *memory]
    assert [gate.name for gate in suite.gates][:4] == [
        "case:the-capital-of-France",
        "token_f1",
        "exact_match",
        "exact_match:capitals",
    ]


def test_every_key_reaches_the_suite() -> None:
    suite = load_suite(VALID / "every-key.eval.yaml", root=VALID.parent)

    assert suite.name == "valid/every-key.eval.yaml"
    assert suite.retriever == "memory_search"
    assert suite.k == 10
    assert suite.on_degraded == "warn"
    assert suite.policy == Policy(duplicates="first", gain="exponential", id_from="^([^#]*)", min_score=-0.5, repeat=3)
    assert suite.plan == Plan(repeat=3, warmup=0, timeout=2.5, concurrency=8, batch=64)
    assert (suite.max_drop, suite.alpha) == (Tolerance(0.01, relative=True), 0.01)
    assert suite.marks == (
        Mark(name="slow"),
        Mark(name="timeout", args=(5,)),
        Mark(name="owner", args=("search", 2)),
        Mark(name="xfail", kwargs={"condition": False, "reason": "being worked on"}),
    )
    assert suite.memories == (
        Memory(
            id="lease-2",
            title="Lease",
            text="The lease ends on 31 May.",
            metadata={"source": "lease.pdf"},
            valid_from=datetime(2024, 5, 1, tzinfo=timezone.utc),
        ),
        Memory(
            id="lease-1",
            text="The lease ends on 30 April.",
            valid_to=datetime(2024, 5, 1, tzinfo=timezone(timedelta(hours=2))),
            superseded_by="lease-2",
        ),
        Memory(id="rent-1", text="Rent is due on the 1st."),
    )
    assert suite.loop_scope == "session"
    lease, rent, cup = suite.cases
    assert (lease.id, lease.query, lease.line) == ("lease-end", "when does the lease end?", 35)
    assert (lease.relevant, lease.stale) == ({"lease-2": 2, "rent-1": 1}, ("lease-1",))
    assert lease.groups == ("legal", "kind=date", "family=lease")
    assert lease.args == {"user": "alice", "limit": 3}
    assert (lease.answers, rent.answers) == (("31 May", "the last of May"), ())
    assert [(str(threshold), threshold.line) for threshold in lease.expect] == [("hit_rate@1", 43), ("mrr", 43)]
    assert (rent.id, rent.relevant) == ("when is rent due?", {"rent-1": 1})
    assert (cup.relevant, cup.tags, cup.args, cup.expect) == ({}, (), {}, ())


def test_ids_texts_and_queries_are_as_written() -> None:
    suite = load_suite(VALID / "ids-as-written.eval.yaml")

    ids = ["no", "on", "012", "1_000", "0x1F", "2024-01-01", "12:30", "3.10", ".inf", "1e3", "08", "null", "~"]
    assert [memory.id for memory in suite.memories] == ids
    assert [memory.text for memory in suite.memories[-2:]] == ["42", "null"]
    assert (suite.cases[0].id, suite.cases[0].query) == ("42", "2024-01-01")
    assert list(suite.cases[0].relevant or ()) == ids
    assert suite.cases[1].relevant == {"012": 1, "no": 2}


def test_byte_order_mark_and_carriage_returns_leave_no_trace() -> None:
    (memory,) = load_suite(VALID / "bom-and-crlf.eval.yaml").memories
    assert memory == Memory(id="a", text="two\nlines\n")


def test_merge_keys_give_way_to_own_keys_and_earlier_mappings() -> None:
    one, two = load_suite(VALID / "anchors-and-merge-keys.eval.yaml").cases
    assert (one.tags, one.kind, one.family) == (("smoke",), "fact", None)
    assert (two.tags, two.kind, two.family) == (("slow",), "date", "lease")
    assert one.relevant == two.relevant == {"a": 1, "b": 1}


def test_json_is_read_as_json_whatever_its_file_is_called() -> None:
    (memory,) = load_suite(VALID / "json-in-a-yaml-file.eval.yaml").memories
    assert memory.text == "a face 😀"


def test_json_holds_what_libyaml_can_not() -> None:
    suite = load_suite(VALID / "surrogates-and-long-keys.eval.json")
    first, second = suite.memories
    assert first.text == "😀 \x85 \x85 \u2028"
    assert first.metadata == {"k" * 2000: [1, 2.5, "1", None, True]}
    assert second.id == "12"
    assert suite.cases[0].line == 8


def test_null_is_nothing() -> None:
    suite = load_suite(VALID / "nulls.eval.yaml")
    assert suite.memories == (Memory(id="a"),)
    assert (suite.retriever, suite.k, suite.max_drop, suite.marks) == (None, 10, None, ())
    assert (suite.policy, suite.plan) == (Policy(), Plan())
    (case,) = suite.cases
    assert (case.id, case.stale, case.tags, case.kind, case.args, case.expect) == ("nothing", (), (), None, {}, ())


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("", 10),
        ("metrics: [recall@5]\n", 10),
        ("metrics: [recall@50]\n", 50),
        ("thresholds: {recall@60: 0.5}\n", 60),
        ("each: {recall@70: 0.5}\n", 70),
        ("metrics: [recall@5]\nk: 7\n", 7),
    ],
)
def test_k_covers_every_cutoff_unless_it_is_given(tmp_path: Path, text: str, k: int) -> None:
    assert load(tmp_path, text + MEMORIES + CASES).k == k


def test_k_covers_the_cutoffs_of_single_cases(tmp_path: Path) -> None:
    assert load(tmp_path, "cases: [{query: q, relevant: [a], expect: {hit_rate@30: 1}}]").k == 30


@pytest.mark.parametrize(
    ("root", "name"), [(".", "tests/notes.eval.yaml"), ("tests", "notes.eval.yaml"), ("docs", "tests/notes.eval.yaml")]
)
def test_name_is_the_path_below_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    load(tmp_path / "tests", CASES)
    assert load_suite("tests/notes.eval.yaml", root=root).name == name


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("text", [CASES, "nonsense"])
def test_garbage_collector_is_left_as_it_was(tmp_path: Path, text: str, enabled: bool) -> None:  # noqa: FBT001
    (gc.enable if enabled else gc.disable)()
    path = tmp_path / "notes.eval.yaml"
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(SuiteError):
        load_suite(path)
    assert gc.isenabled() is enabled


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as raised:
        load_suite(tmp_path / "notes.eval.yaml", root=tmp_path)
    assert str(raised.value) == "notes.eval.yaml: can't be read: No such file or directory"


TOO_LARGE = (
    "notes.eval.yaml: larger than 64 MiB, the most a suite may be; move its memories or cases into a file of JSON lines"
)


def test_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "notes.eval.yaml"
    with path.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    tracemalloc.start()
    try:
        with pytest.raises(SuiteError) as raised:
            load_suite(path, root=tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert str(raised.value) == TOO_LARGE
    assert peak < 2**20


PEAK = """
import sys
from pytest_recall.suites import load_suite
(memory,) = load_suite(sys.argv[1]).memories
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(memory.text), peak)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for the memory")
def test_a_text_of_another_file_takes_memory_in_proportion(tmp_path: Path) -> None:
    suite = tmp_path / "notes.eval.yaml"
    suite.write_text("memories: {path: corpus.jsonl}\n" + CASES, encoding="utf-8")
    kilobytes = []
    for length in (2**20, 2**25):
        tmp_path.joinpath("corpus.jsonl").write_text(f'{{"_id": "a", "text": "{"x" * length}"}}\n', encoding="utf-8")
        command = [sys.executable, "-c", PEAK, str(suite)]
        done = subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, text=True)
        read, peak = map(int, done.stdout.split())
        assert read == length
        kilobytes.append(peak)
    assert (kilobytes[1] - kilobytes[0]) * 1024 < 5 * (2**25 - 2**20)


def test_suite_that_is_a_link_is_opened(tmp_path: Path) -> None:
    tmp_path.joinpath("elsewhere").write_text(CASES, encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    (root / "notes.eval.yaml").symlink_to(tmp_path / "elsewhere")
    assert load_suite(root / "notes.eval.yaml", root=root).name == "notes.eval.yaml"


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "notes.eval.yaml")
    with pytest.raises(SuiteError) as raised:
        load_suite(path, root=tmp_path)
    assert str(raised.value) == "notes.eval.yaml: a suite is a file, and this is a pipe or a device"


@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("notes.eval.yaml", "memories: [{id: a, text: @}]\n" + CASES),
        ("notes.eval.yaml", "memories: [{id: a, text: '@'}]\n" + CASES),
        ("notes.eval.yaml", "memories:\n- id: a\n  text: |-\n    @\n" + CASES),
        ("notes.eval.json", '{"memories": [{"id": "a", "text": "@"}], "cases": [{"query": "q", "relevant": ["a"]}]}'),
    ],
    ids=["plain", "quoted", "block", "json"],
)
def test_text_of_megabytes_is_read(tmp_path: Path, name: str, template: str) -> None:
    (memory,) = load(tmp_path, template.replace("@", "x" * 5_000_000), name).memories
    assert len(memory.text) == 5_000_000
