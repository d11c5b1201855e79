"""Asynchronous retrievers, on the event loop that the user's asynchronous fixtures are on."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import NOTES
from tests.plugin.test_baseline import BASELINE
from tests.plugin.test_gates import failure

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

STRICT = ("-W", "error")
ALONE = {
    "asyncio": (*STRICT, "-p", "no:anyio"),
    # The key that every run here is given is then nobody's.
    "anyio": (*STRICT, "-W", "ignore:Unknown config option:pytest.PytestConfigWarning", "-p", "no:asyncio"),
}
"""Arguments that leave the plugin of a mark, and make errors of warnings."""

# A retriever that answers both queries of NOTES at rank 1.
SEARCH = """\
import asyncio
import pytest

@pytest.fixture
def retriever():
    async def search(query, k):
        await asyncio.sleep(0)
        return ["a", "b"] if query == "q1" else ["b", "a"]
    return search
"""

# The client is bound to the loop that it was made on, as connection pools are.
CLIENT = """\
import asyncio
import pytest

class Client:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.requests = asyncio.Queue()
        self.open = True

    async def search(self, query, k):
        assert self.open and asyncio.get_running_loop() is self.loop
        getter = asyncio.create_task(self.requests.get())
        await asyncio.sleep(0)
        await self.requests.put(query)
        return ["a", "b"] if await getter == "q1" else ["b", "a"]

    async def aclose(self):
        assert asyncio.get_running_loop() is self.loop
        await asyncio.sleep(0)
        self.open = False
"""
FIXTURES = {
    "asyncio": """\
import inspect
import pytest_asyncio

SCOPES = {"scope": SCOPE, "loop_scope": SCOPE}
if "loop_scope" not in inspect.signature(pytest_asyncio.fixture).parameters:
    del SCOPES["loop_scope"]  # before 0.24 a fixture's loop has the scope of the fixture

@pytest_asyncio.fixture(**SCOPES)
async def retriever():
    client = Client()
    yield client
    await client.aclose()
""",
    "anyio": """\
@pytest.fixture(scope=SCOPE)
def anyio_backend(): return "asyncio"

@pytest.fixture(scope=SCOPE)
async def retriever(anyio_backend):
    client = Client()
    yield client
    await client.aclose()
""",
}


@pytest.fixture(params=["asyncio", "anyio"])
def only(request: pytest.FixtureRequest, require: Require) -> str:
    """The mark of the plugin that is left."""
    require.library("pytest_asyncio")
    require.library("anyio")
    mark: str = request.param
    return mark


@pytest.fixture
def declared(notes: Project) -> Project:
    """The project with its suite declared asynchronous."""
    notes.write("notes.eval.yaml", f"async: true\n{NOTES}")
    notes.write("conftest.py", SEARCH)
    return notes


KINDS = """\
import asyncio
import pytest

@pytest.fixture(scope="module")
def anyio_backend(): return "asyncio"

RANKING = ["x", "b"]

async def search(query, k):
    await asyncio.sleep(0)
    return RANKING

async def generate(query, k):
    for id in RANKING:
        await asyncio.sleep(0)
        yield id

class Searching:
    async def search(self, query, k): return RANKING

class Invoking:
    async def invoke(self, query): return {"x": 0.9, "b": 0.5}

class Retrieving:
    async def retrieve(self, query, *, top_k): return [("x", 0.9), ("b", 0.5)]

class Called:
    async def __call__(self, query): return (id for id in RANKING)

class Cursor:
    def __init__(self): self.rest = iter(RANKING)
    def __aiter__(self): return self
    async def __anext__(self):
        for id in self.rest: return id
        raise StopAsyncIteration

class Request:
    def __await__(self): return search("", 0).__await__()

async def open_cursor(query): return Cursor()

@pytest.fixture(
    params=[
        search,
        generate,
        Searching(),
        Invoking(),
        Retrieving(),
        Called(),
        lambda query: search(query, 0),
        lambda query: asyncio.ensure_future(search(query, 0)),
        lambda query: Request(),
        lambda query: Cursor(),
        open_cursor,
        lambda query: RANKING,
        lambda query: iter(RANKING),
    ],
    ids="function generator search invoke retrieve called lambda task awaitable cursor opened list iterator".split(),
)
def retriever(request): return request.param
"""


def test_whatever_is_awaited_or_iterated_is_read(project: Project, only: str) -> None:
    # "b" is at rank 2.
    project.write(
        "n.eval.yaml",
        "async: true\nmetrics: []\nthresholds: {mrr: {min: 0.5, max: 0.5}}\ncases: [{query: q, relevant: [b]}]\n",
    )
    project.write("conftest.py", KINDS)
    project.run(*ALONE[only], own_process=True).assert_outcomes(passed=13)


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_asynchronous_fixtures_share_the_loop(declared: Project, only: str, scope: str) -> None:
    for name in ("m", "n") if scope == "session" else ("n",):
        declared.write(f"{name}.eval.yaml", f"async: {scope}\n{NOTES}")
    (declared.path / "notes.eval.yaml").unlink()
    declared.write("conftest.py", CLIENT + f"SCOPE = {scope!r}\n" + FIXTURES[only])
    result = declared.run(*ALONE[only], own_process=True)
    result.assert_outcomes(passed=4 if scope == "session" else 2)


@pytest.mark.parametrize("scope", ["true", "function", "session"])
def test_one_item_asks_for_all_whatever_the_scope_of_the_loop(declared: Project, only: str, scope: str) -> None:
    declared.write("notes.eval.yaml", f"async: {scope}\nthresholds: {{mrr: 1, recall@3: 1}}\n{NOTES}")
    declared.write(
        "conftest.py",
        """\
import pytest

ASKED = []

@pytest.fixture
def anyio_backend(): return "asyncio"

@pytest.fixture
def retriever():
    async def search(query):
        ASKED.append(query)
        return ["a"] if query == "q1" else ["b"]
    return search

def pytest_sessionfinish():
    print("asked:", *ASKED)
""",
    )
    result = declared.run("-s", *ALONE[only], own_process=True)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*asked: q1 q2"])


NO_LOOP = (
    "notes.eval.yaml: async: its tests need an event loop, and neither pytest-asyncio nor anyio is loaded: "
    "pip install pytest-asyncio"
)


def test_without_either_plugin_the_suite_is_not_collected(declared: Project) -> None:
    result = declared.run("-p", "no:asyncio", "-p", "no:anyio", own_process=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    assert failure(result, "notes.eval.yaml") == [NO_LOOP]


def test_a_plugin_is_known_by_whatever_name_it_was_loaded(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    result = declared.run("-p", "no:asyncio", "-p", "no:anyio", "-p", "pytest_asyncio.plugin", own_process=True)
    result.assert_outcomes(passed=2)


def test_where_both_are_loaded_a_mark_of_the_suite_chooses(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    require.library("anyio")
    fixtures = CLIENT + "SCOPE = 'module'\n"
    declared.write("conftest.py", fixtures + FIXTURES["asyncio"])
    declared.run(*STRICT, own_process=True).assert_outcomes(passed=2)
    declared.write("conftest.py", fixtures + FIXTURES["anyio"])
    declared.write("notes.eval.yaml", f"async: true\nmarks: [anyio]\n{NOTES}")
    declared.run(*STRICT, own_process=True).assert_outcomes(passed=2)


def test_the_loop_of_a_suite_may_be_described_by_its_own_mark(declared: Project, require: Require) -> None:
    fixture = require.library("pytest_asyncio").fixture
    keyword = "loop_scope" if "loop_scope" in inspect.signature(fixture).parameters else "scope"
    declared.write("notes.eval.yaml", f"async: true\nmarks: [asyncio: {{{keyword}: session}}]\n{NOTES}")
    declared.write("conftest.py", CLIENT + "SCOPE = 'session'\n" + FIXTURES["asyncio"])
    declared.run(*STRICT, own_process=True).assert_outcomes(passed=2)


def test_auto_mode_needs_no_decorator(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    declared.write(
        "conftest.py",
        CLIENT + "@pytest.fixture(scope='module')\nasync def retriever():\n    return Client()\n",
    )
    result = declared.run(
        *ALONE["asyncio"],
        "--asyncio-mode=auto",
        "-o",
        "asyncio_default_fixture_loop_scope=module",
        own_process=True,
    )
    result.assert_outcomes(passed=2)


def test_on_several_backends_of_anyio_a_system_is_asked_once(declared: Project, require: Require) -> None:
    require.library("anyio")
    require.library("trio")
    declared.write(
        "conftest.py",
        """\
import anyio
import pytest

ON = []

@pytest.fixture(scope="module", params=["asyncio", pytest.param(("trio", {}), id="trio+plain")])
def anyio_backend(request): return request.param

@pytest.fixture(scope="module")
async def retriever(anyio_backend):
    lock = anyio.Lock()
    async def search(query):
        ON.append(anyio_backend)
        async with lock:
            await anyio.sleep(0)
        yield "a" if query == "q1" else "b"
    return search

def pytest_sessionfinish():
    print("asked on:", *ON)
""",
    )
    result = declared.run("-s", *ALONE["anyio"], BASELINE, "--eval-update", own_process=True)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["*asked on: asyncio asyncio"])
    (suite,) = json.loads(declared.baseline())["suites"].values()
    assert list(suite["systems"]) == ["retriever"]


def test_trio_runs_a_suite_alone(declared: Project, require: Require) -> None:
    require.library("anyio")
    require.library("trio")
    declared.write(
        "conftest.py",
        """\
import pytest
import trio

@pytest.fixture(scope="module")
def anyio_backend(): return "trio"

@pytest.fixture
def retriever():
    async def search(query):
        await trio.sleep(0)
        return ["a"] if query == "q1" else ["b"]
    return search
""",
    )
    declared.run(*ALONE["anyio"], own_process=True).assert_outcomes(passed=2)


UNDECLARED = """\
import asyncio
import pytest

LOOP = asyncio.new_event_loop()

async def search(query):
    return ["a"]

async def generate(query):
    yield "a"

@pytest.fixture
def coroutine(): return search
@pytest.fixture
def generator(): return generate
@pytest.fixture
def future(): return lambda query: LOOP.create_future()
@pytest.fixture
def task(): return lambda query: LOOP.create_task(search(query))

def pytest_unconfigure(): LOOP.close()
"""


@pytest.mark.parametrize(
    ("retriever", "kind"),
    [("coroutine", "coroutine"), ("generator", "async_generator"), ("future", "Future"), ("task", "Task")],
)
def test_a_suite_that_does_not_say_so_is_told_what_to_declare(notes: Project, retriever: str, kind: str) -> None:
    notes.write("conftest.py", UNDECLARED)
    result = notes.run(f"--eval-retriever={retriever}", *STRICT, own_process=True)
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        (
            f"mrr has no value: 2 of 2 cases raised, first one: the retriever is asynchronous (it returned an object "
            f"of type {kind}): declare `async: true` in the suite, or await it where it is called"
        )
    ]
    result.stdout.no_fnmatch_line("*never awaited*")
    result.stderr.no_fnmatch_line("*never awaited*")


def test_a_case_that_raises_is_told_with_the_users_own_traceback(declared: Project, only: str) -> None:
    declared.write(
        "conftest.py",
        """\
import pytest

@pytest.fixture
def anyio_backend(): return "asyncio"

@pytest.fixture
def retriever():
    async def search(query):
        if query == "q2":
            raise LookupError("index closed")
        yield "a"
    return search
""",
    )
    result = declared.run(*ALONE[only], own_process=True)
    result.assert_outcomes(failed=2)
    assert failure(result, "recall-at-3") == [
        "recall@3 has no value: 1 of 2 cases raised, first two: LookupError: index closed",
        "",
        "conftest.py:10: in search",
        '    raise LookupError("index closed")',
        "E   LookupError: index closed",
    ]


ENDINGS = """\
import pytest

@pytest.fixture
def anyio_backend(): return "asyncio"

@pytest.fixture
def retriever():
    async def search(query):
        {ending}
    return search
"""


def test_a_query_may_end_the_run(declared: Project, only: str) -> None:
    declared.write("conftest.py", ENDINGS.format(ending="pytest.exit('enough', returncode=5)"))
    result = declared.run(*ALONE[only], own_process=True)
    assert result.ret == 5
    result.stdout.fnmatch_lines(["*Exit: enough*"])


def test_an_interrupted_query_interrupts_the_run(declared: Project, only: str) -> None:
    declared.write("conftest.py", ENDINGS.format(ending="raise KeyboardInterrupt"))
    result = declared.run(*ALONE[only], own_process=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_query_excuses_nothing(declared: Project, only: str) -> None:
    declared.write("conftest.py", ENDINGS.format(ending="pytest.skip('not today')"))
    result = declared.run(*ALONE[only], own_process=True)
    result.assert_outcomes(failed=2)
    assert failure(result, "mrr") == [
        (
            "notes.eval.yaml: fixture 'retriever': a query called pytest.skip('not today'), "
            "and a gate needs every case: call it in the fixture, or mark the suite"
        )
    ]


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    [
        (["-n2"], {"passed": 4}),
        (["-n2", "--dist=loadfile"], {"passed": 4}),
        (["-k", "case"], {"passed": 2}),
        (["-x"], {"passed": 4}),
    ],
)
def test_a_part_of_the_run_records_the_bytes_of_the_synchronous_suite(
    notes: Project, arguments: list[str], outcomes: dict[str, int], require: Require
) -> None:
    require.library("pytest_asyncio")
    each = f"{NOTES}each: {{hit_rate@3: 1}}\n"
    notes.write("notes.eval.yaml", each)
    notes.run(BASELINE, "--eval-update")
    synchronous = notes.baseline()
    (notes.path / "baseline.json").unlink()
    notes.write("notes.eval.yaml", f"async: true\n{each}")
    notes.write("conftest.py", SEARCH)
    result = notes.run(*STRICT, *arguments, BASELINE, "--eval-update", own_process=True)
    result.assert_outcomes(**outcomes)
    assert notes.baseline() == synchronous


def test_the_plan_of_a_suite_holds_on_the_loop(declared: Project, only: str) -> None:
    declared.write(
        "notes.eval.yaml", f"async: true\nconcurrency: 2\ntimeout: 0.05\nwarmup: 1\neach: {{hit_rate@3: 1}}\n{NOTES}"
    )
    declared.write(
        "conftest.py",
        """\
import asyncio
import pytest

ASKED = []

@pytest.fixture
def anyio_backend(): return "asyncio"

@pytest.fixture
def retriever():
    async def search(query):
        ASKED.append(query)
        if len(ASKED) > 1 and query == "q1":
            await asyncio.Event().wait()
        return ["a", "b"]
    return search

def pytest_sessionfinish():
    print("asked:", *ASKED)
""",
    )
    result = declared.run("-s", *ALONE[only], "-k", "case", own_process=True)
    result.assert_outcomes(passed=1, failed=1)
    assert failure(result, "case:one") == [
        "case one raised: timed out after 0.05 s",
        "  1 case timed out, so the latency is ≥ 0.05 s: one",
    ]
    result.stdout.fnmatch_lines(["*asked: q1 q1 q2"])


def test_collecting_asks_nothing(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    declared.write("conftest.py", "import pytest\n@pytest.fixture\ndef retriever(): 1 / 0\n")
    result = declared.run(*ALONE["asyncio"], "--collect-only", "-q", own_process=True)
    result.stdout.fnmatch_lines(["notes.eval.yaml::recall-at-3", "notes.eval.yaml::mrr"])


def test_a_second_attempt_asks_again(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    require.library("pytest_rerunfailures")
    declared.write("notes.eval.yaml", f"async: true\nthresholds: {{mrr: 0.5}}\n{NOTES}")
    declared.write(
        "conftest.py",
        """\
import pytest

ATTEMPTS = []

@pytest.fixture
def retriever():
    async def search(query):
        ATTEMPTS.append(query)
        return ["a", "b"] if len(ATTEMPTS) > 4 else ["c"]
    return search
""",
    )
    result = declared.run("--reruns=3", "-k", "mrr", *STRICT, own_process=True)
    # Of six queries the first four fail: at the third attempt q1 is answered at rank 1, q2 at rank 2.
    result.stdout.fnmatch_lines(["  mrr                              0.750*>= 0.5  passed"])


def test_an_asynchronous_test_evaluates_a_suite(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    declared.write(
        "test_x.py",
        """\
import pytest

@pytest.mark.asyncio
async def test_x(recall, retriever):
    assert (await recall.evaluate_async("notes.eval.yaml", retriever))["mrr"] == 1.0

def test_y(recall, retriever):
    (first, _) = recall.evaluate("notes.eval.yaml", retriever).cases
    assert "declare `async: true` in the suite, or await it where it is called" in first.error
""",
    )
    declared.run("test_x.py", *STRICT, own_process=True).assert_outcomes(passed=2)


def test_a_mark_evaluates_no_asynchronous_suite(declared: Project) -> None:
    declared.write(
        "test_x.py",
        "import pytest\n@pytest.mark.recall('notes.eval.yaml', min_mrr=1)\ndef test_x(recall): pass\n",
    )
    result = declared.run("test_x.py", own_process=True)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            (
                "@pytest.mark.recall: notes.eval.yaml is asynchronous, and a mark evaluates outside of the event loop: "
                "leave the suite to its own tests, or write await recall.evaluate_async('notes.eval.yaml', retriever)"
            )
        ]
    )


def test_the_cases_of_an_asynchronous_suite_parametrise_asynchronous_tests(declared: Project, require: Require) -> None:
    require.library("pytest_asyncio")
    declared.write(
        "test_x.py",
        """\
import pytest

@pytest.mark.asyncio
@pytest.mark.recall("notes.eval.yaml")
async def test_x(eval_case, retriever):
    assert (await retriever(eval_case.query, 3))[0] in eval_case.relevant
""",
    )
    declared.run("test_x.py", *STRICT, own_process=True).assert_outcomes(passed=2)
