"""Which fixture is the retriever, and what it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.project import Project


def test_without_a_retriever_every_item_fails_and_the_first_says_what_to_write(notes: Project) -> None:
    (notes.path / "conftest.py").unlink()
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "recall-at-3") == [
        (
            "no retriever for notes.eval.yaml: write this fixture in conftest.py; "
            "it is called as search(query, k) and returns ids, best first:"
        ),
        '    @pytest.fixture(scope="module")',
        "    def retriever(eval_memories):",
        "        return MyIndex(eval_memories).search",
    ]
    assert failure(result, "mrr") == ["no retriever for notes.eval.yaml: see the first failure of this suite"]


def test_what_can_not_be_called_is_told_with_the_fixture(notes: Project) -> None:
    notes.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): pass\n")
    result = notes.run()
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        (
            "notes.eval.yaml: fixture 'retriever': a retriever is a callable or an object with search, invoke or "
            "retrieve, not NoneType (missing return?)"
        )
    ]


def test_a_name_that_is_no_fixture_is_told_without_the_suite_as_code(notes: Project) -> None:
    result = notes.run("--eval-retriever=bm25")
    result.assert_outcomes(errors=2)
    lines = [line for line in result.outlines if line.startswith("no fixture")]
    assert lines == [
        (
            "no fixture 'bm25' for notes.eval.yaml: write this fixture in conftest.py; "
            "it is called as search(query, k) and returns ids, best first:"
        ),
        "no fixture 'bm25' for notes.eval.yaml: see the first failure of this suite",
    ]
    assert "memories:" not in result.stdout.str()


def test_a_class_instead_of_an_instance_is_told(notes: Project) -> None:
    notes.write(
        "conftest.py",
        "import pytest\nclass Index:\n    def search(self, query): return []\n"
        "@pytest.fixture\ndef retriever(): return Index\n",
    )
    assert failure(notes.run(), "mrr") == [
        "notes.eval.yaml: fixture 'retriever': a retriever is an instance, and this is the class Index itself"
    ]


FOUR = """\
import pytest

def constant(*ids):
    return lambda query, k: ids

@pytest.fixture
def retriever(): return constant("d", "d2", "a")
@pytest.fixture
def from_ini(): return constant("d", "a")
@pytest.fixture
def from_suite(): return constant("a")
@pytest.fixture
def from_option(): return constant("b")
"""


def test_the_option_wins_then_the_suite_then_ini(project: Project) -> None:
    suite = "metrics: [mrr]\ncases: [{query: q, relevant: [a]}]\n"
    project.write("conftest.py", FOUR)
    project.write("n.eval.yaml", suite)

    def system(*arguments: str) -> str:
        line = next(line for line in project.run(*arguments).outlines if line.startswith("n.eval.yaml  "))
        return line.split()[1]

    assert system() == "retriever"
    project.write("pytest.ini", "[pytest]\neval_retriever = from_ini\n")
    assert system() == "from_ini"
    project.write("n.eval.yaml", suite + "retriever: from_suite\n")
    assert system() == "from_suite"
    assert system("--eval-retriever=from_option") == "from_option"


def test_the_retriever_may_ask_for_the_memories_of_its_suite(project: Project) -> None:
    project.write(
        "n.eval.yaml",
        """\
metrics: [mrr]
memories:
  - {id: a, text: Alpha, title: T, metadata: {source: x.pdf, page: 3}, valid_to: 2024-05-01T00:00:00Z, superseded_by: b}
  - {id: b}
cases: [{query: q, relevant: [b]}]
""",
    )
    project.write(
        "conftest.py",
        """\
from datetime import datetime, timezone
import pytest

@pytest.fixture(scope="module")
def retriever(eval_memories):
    a, b = eval_memories
    assert (a.id, a.text, a.title, a.superseded_by) == ("a", "Alpha", "T", "b")
    assert a.metadata == {"source": "x.pdf", "page": 3}
    assert a.valid_to == datetime(2024, 5, 1, tzinfo=timezone.utc)
    return lambda query, k: [b.id]
""",
    )
    project.run().assert_outcomes(passed=1)


def test_no_retriever_can_change_what_the_next_one_is_handed(project: Project) -> None:
    project.write(
        "n.eval.yaml",
        "metrics: [mrr, recall@1]\nmemories: [{id: a, metadata: {seen: []}}]\ncases: [{query: q, relevant: [a]}]\n",
    )
    project.write(
        "conftest.py",
        """\
import pytest

@pytest.fixture
def retriever(eval_memories):
    assert eval_memories[0].metadata == {"seen": []}
    eval_memories[0].metadata["seen"].append("here")
""",
    )
    result = project.run()
    result.assert_outcomes(errors=2)
    message = "a suite's values can't be changed, for others are handed them too: change a copy, list(...)"
    assert [line for line in result.outlines if line.startswith("E ")] == [f"E       TypeError: {message}"] * 2


def test_memories_outside_of_a_suite_are_an_error(project: Project) -> None:
    project.write(
        "test_x.py", "def test_x(eval_memories): pass\ndef test_y(retriever): pass\ndef test_z(classifier): pass\n"
    )
    result = project.run()
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(
        [
            (
                "no suite for the fixtures of this module, for they don't see the mark of a test: "
                "write pytestmark = pytest.mark.recall('FILE.eval.yaml') in it"
            ),
            "no retriever: write this fixture in conftest.py; *",
            "no classifier: write this fixture in conftest.py; *",
        ]
    )


def test_the_lexical_retriever_searches_the_memories(project: Project) -> None:
    project.write(
        "n.eval.yaml",
        "metrics: [mrr]\nmemories: [{id: x, text: the rent is due}, {id: lease, text: a lease ends}]\n"
        "cases: [{query: when does the lease end?, relevant: [lease]}]\n",
    )
    result = project.run("--eval-retriever=lexical_retriever")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  mrr                              1.000*"])


def test_case_arguments_go_by_name(project: Project) -> None:
    project.write(
        "n.eval.yaml",
        "metrics: [mrr]\ncases:\n"
        "  - {id: mine, query: q, relevant: [alice], args: {user: alice}}\n"
        "  - {id: all, query: q, relevant: [everyone]}\n",
    )
    project.write(
        "conftest.py",
        "import pytest\n@pytest.fixture\ndef retriever():\n"
        "    return lambda query, top_k, user='everyone': [user] * (top_k == 10)\n",
    )
    project.run().assert_outcomes(passed=1)
    project.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever():\n    return lambda query: ['x']\n")
    assert failure(project.run(), "mrr")[0].startswith(
        "mrr has no value: 1 of 2 cases raised, first mine: the retriever takes no argument 'user'"
    )


def test_a_suite_is_evaluated_once_a_process(notes: Project) -> None:
    notes.write(
        "conftest.py",
        """\
import pytest

CALLS = []

@pytest.fixture
def retriever():
    def search(query):
        CALLS.append(query)
        return ["a", "b"]
    return search

def pytest_sessionfinish():
    print("calls:", CALLS)
""",
    )
    result = notes.run("-s")
    result.stdout.fnmatch_lines(["*calls: [[]'q1', 'q2'[]]"])
