"""Recorded agent runs as tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_recall import read_report
from pytest_recall.plugin.fixtures import HOW_TO_AGENT
from pytest_recall.replay import Capture, LlmStep, ToolStep
from pytest_recall.replay.capture import digest
from tests.plugin.test_async import ALONE
from tests.plugin.test_baseline import BASELINE

if TYPE_CHECKING:
    from tests.conftest import Require
    from tests.project import Project

NAME = "sum.eval.capture.json"
QUESTION = "how much is 2 + 2?"
ASKED = [{"role": "user", "content": QUESTION}]

# Asks once, calls what it is told to, and says what came back; every change of it has a name.
AGENT = """\
import pytest

def answer(question, llm, tools):
    said = llm([{"role": "user", "content": question}])
    (call,) = said["tool_calls"]
    return f"It is {tools(call['name'], call['arguments'])}."

@pytest.fixture
def agent():
    return answer
"""
ASYNC_AGENT = """\
import asyncio
import pytest

async def answer(question, llm, tools):
    said = await llm([{"role": "user", "content": question}])
    await asyncio.sleep(0)
    (call,) = said["tool_calls"]
    return f"It is {await tools(call['name'], call['arguments'])}."
"""


def capture(*, awaited: bool = False, final_text: str = "It is 4.") -> Capture:
    said = {"text": "", "tool_calls": [{"name": "add", "arguments": [2, 2]}]}
    return Capture(
        input=QUESTION,
        steps=(
            LlmStep(request_sha256=digest(ASKED), response=said, awaited=awaited),
            ToolStep(name="add", arguments=[2, 2], output=4, awaited=awaited),
        ),
        final_text=final_text,
    )


@pytest.fixture
def recorded(project: Project) -> Project:
    """The project with a capture and an agent that reproduces it."""
    capture().write(project.path / NAME)
    project.write("conftest.py", AGENT)
    return project


@pytest.fixture
def asynchronous(project: Project) -> Project:
    """The project with the capture of an asynchronous agent, and no fixture yet."""
    capture(awaited=True).write(project.path / NAME)
    return project


def changed(project: Project, old: str, new: str) -> None:
    text = AGENT.replace(old, new)
    assert text != AGENT
    project.write("conftest.py", text)


def failure(result: pytest.RunResult) -> list[str]:
    """What the first failure says."""
    lines = result.outlines
    start = next(place for place, line in enumerate(lines) if line.startswith("____"))
    return lines[
        start + 1 : next(place for place in range(start + 1, len(lines)) if lines[place][:3] in {"___", "==="})
    ]


def test_a_capture_is_three_items(recorded: Project) -> None:
    result = recorded.run("--collect-only", "-q")
    result.stdout.fnmatch_lines(
        [f"{NAME}::{name}" for name in ("reproduced", "exact-match", "mean-similarity")], consecutive=True
    )


def test_an_unchanged_agent_passes(recorded: Project) -> None:
    result = recorded.run()
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            f"{NAME}  agent  1 case",
            "  reproduced                       1.000                         >= 1  passed",
            "  exact_match                      1.000                               no gate",
            "  mean_similarity                  1.000                               no gate",
        ],
        consecutive=True,
    )


def test_the_items_carry_the_mark_and_are_selected_like_tests(recorded: Project) -> None:
    recorded.run("-m", "recall").assert_outcomes(passed=3)
    recorded.run("-m", "not recall").assert_outcomes(deselected=3)
    recorded.run("-k", "exact").assert_outcomes(passed=1, deselected=2)
    recorded.run("--strict-markers", "-W", "error").assert_outcomes(passed=3)


def test_other_patterns_leave_captures_alone(recorded: Project) -> None:
    assert recorded.run("-o", "eval_files=*.eval.yaml").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_divergence_is_named_with_both_sides(recorded: Project) -> None:
    changed(recorded, "call['arguments'])", "[*call['arguments'], 0])")
    result = recorded.run()
    result.assert_outcomes(passed=2, failed=1)
    assert failure(result) == [
        "reproduced 0.000, needs 1.000",
        "  first divergence: step 2",
        "    recorded  tool add([2,2])",
        "    now       tool add([2,2,0])",
        "  1 of 2 recorded steps made again, 2 steps now",
        "  the final text is the same",
        f'  all steps: pytest "{NAME}::reproduced" -vv',
    ]
    result.stdout.fnmatch_lines(["    missed  run  step 2: recorded tool add([[]2,2[]]), now tool add([[]2,2,0[]])"])


def test_an_agent_that_hides_what_it_asks_does_not_reproduce(recorded: Project) -> None:
    changed(
        recorded,
        "    said = ",
        """    try:
        tools("delete_everything", {"when": object()})
    except Exception:
        pass
    said = """,
    )
    result = recorded.run()
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        ["*the arguments of 'delete_everything' can't be compared, for a capture holds JSON: *"]
    )


def test_all_steps_are_shown_on_demand(recorded: Project) -> None:
    changed(recorded, "It is {", "It's {")
    text = failure(recorded.run("-vv"))
    request = f"llm request {digest(ASKED)[:12]}"
    assert text == [
        "reproduced 0.000, needs 1.000",
        "  first divergence: the final text",
        "    recorded  'It is 4.'",
        """    now       "It's 4.\"""",
        "  2 of 2 recorded steps made again, 2 steps now",
        f"    {request}",
        "    tool add([2,2])",
        "  - final text It is 4.",
        "  + final text It's 4.",
    ]


def test_an_agent_that_asks_for_more_is_stopped(recorded: Project) -> None:
    changed(recorded, '    return f"', '    llm([])\n    return f"')
    text = failure(recorded.run())
    assert text[1:4] == [
        "  first divergence: step 2",
        "    recorded  tool add([2,2])",
        f"    now       llm request {digest([])[:12]}",
    ]
    assert text[-1] == "  the agent asked for more than was recorded, and was stopped there"


def test_what_an_agent_raises_after_a_divergence_is_told_beside_it(recorded: Project) -> None:
    changed(recorded, "    said = llm(", "    tools('add', {})\n    1 / 0\n    said = llm(")
    text = failure(recorded.run())
    assert text[1:4] == [
        "  first divergence: step 1",
        f"    recorded  llm request {digest(ASKED)[:12]}",
        "    now       tool add({})",
    ]
    assert text[-1] == "  after it had diverged the agent raised ZeroDivisionError: division by zero"


def test_an_agent_that_raises_is_an_error_with_its_own_traceback(recorded: Project) -> None:
    changed(recorded, "    said = llm(", "    1 / 0\n    said = llm(")
    result = recorded.run()
    result.assert_outcomes(failed=3)
    text = failure(result)
    assert text[0] == "reproduced has no value: 1 of 1 case raised, first run: ZeroDivisionError: division by zero"
    assert [line.partition(":")[0] for line in text if line.startswith("conftest.py")] == ["conftest.py"]
    assert "contextlib" not in "\n".join(text)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "    return answer",
            "    return 3",
            f"{NAME}: fixture 'agent': an agent is called as agent(input, llm, tools), and this is a int",
        ),
        (
            "    said = llm(",
            "    pytest.skip('not today')\n    said = llm(",
            (
                f"{NAME}: fixture 'agent': the agent called pytest.skip('not today'), and a gate needs every case: "
                "call it in the fixture"
            ),
        ),
        (
            "    return f",
            "    answered = f",
            (
                "reproduced has no value: 1 of 1 case raised, first run: "
                "the agent must return its final text, and returned a NoneType"
            ),
        ),
    ],
)
def test_what_is_no_agent_fails_with_a_sentence(recorded: Project, old: str, new: str, told: str) -> None:
    changed(recorded, old, new)
    result = recorded.run()
    result.assert_outcomes(failed=3)
    assert failure(result)[0] == told


@pytest.mark.parametrize("awaited", [False, True])
def test_an_agent_that_is_cancelled_is_an_error_of_its_run(recorded: Project, *, awaited: bool) -> None:
    written = ASYNC_AGENT + "\n@pytest.fixture\ndef agent():\n    return answer\n" if awaited else AGENT
    capture(awaited=awaited).write(recorded.path / NAME)
    recorded.write(
        "conftest.py",
        f"import asyncio\n{written}".replace("    said =", "    raise asyncio.CancelledError\n    said ="),
    )
    # pytest-asyncio 0.23 leaves a loop open.
    result = recorded.run(own_process=awaited)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["E *CancelledError*"])
    result.stdout.no_fnmatch_line("*fixtures = *")


def test_an_asynchronous_agent_that_skips_fails_too(asynchronous: Project) -> None:
    written = ASYNC_AGENT + "\n@pytest.fixture\ndef agent():\n    return answer\n"
    asynchronous.write("conftest.py", written.replace("    said =", "    pytest.skip('not today')\n    said ="))
    result = asynchronous.run(own_process=True)
    result.assert_outcomes(failed=3)
    assert failure(result)[0] == (
        f"{NAME}: fixture 'agent': the agent called pytest.skip('not today'), and a gate needs every case: "
        "call it in the fixture"
    )


def test_without_the_fixture_it_is_told_how_to_write_it(recorded: Project) -> None:
    (recorded.path / "conftest.py").unlink()
    result = recorded.run()
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(
        [
            f"no fixture 'agent' for {NAME}: {HOW_TO_AGENT.partition(chr(10))[0]}",
            "    @pytest.fixture",
            "    def agent():",
            "        return answer_with_tools",
        ],
        consecutive=True,
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"format": 1,', f"{NAME}:1: the file is cut off; *"),
        ('{"format": 2}', f"{NAME}: format: 2 is of a later pytest-recall, *"),
        (
            '{"format": 1, "input": "?", "final_text": "!", "steps": [{"kind": "tool", "name": "a", "arguments": 1}]}',
            f"{NAME}: steps[[]0[]]: 'output' is missing",
        ),
    ],
)
def test_a_bad_capture_is_a_collection_error_of_one_sentence(recorded: Project, text: str, told: str) -> None:
    recorded.write(NAME, text)
    result = recorded.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*ERROR collecting {NAME}*", told, "*short test summary info*"], consecutive=True)


def test_a_parametrised_fixture_replays_several_agents(recorded: Project) -> None:
    changed(
        recorded,
        "@pytest.fixture\ndef agent():\n    return answer\n",
        "@pytest.fixture(params=[str, str.upper], ids=['plain', 'loud'])\n"
        "def agent(request):\n    return lambda *given: request.param(answer(*given))\n",
    )
    result = recorded.run(BASELINE, "--eval-update")
    result.assert_outcomes(passed=5, failed=1)
    systems = json.loads(recorded.baseline())["suites"][NAME]["systems"]
    assert {name: entry["metrics"]["exact_match"]["value"] for name, entry in systems.items()} == {
        "agent[plain]": 1,
        "agent[loud]": 0,
    }


def test_a_baseline_without_an_entry_asks_for_a_reproduced_run_alone(recorded: Project) -> None:
    recorded.write("baseline.json", '{"format": 1, "suites": {}}')
    recorded.run(BASELINE).assert_outcomes(passed=3)
    changed(recorded, "It is {", "It's {")
    recorded.run(BASELINE).assert_outcomes(passed=2, failed=1)


def test_a_recorded_run_is_compared_like_any_suite(recorded: Project) -> None:
    recorded.run(BASELINE, "--eval-update").assert_outcomes(passed=3)
    bytes_before = recorded.baseline()
    recorded.run(BASELINE).stdout.fnmatch_lines(
        ["  reproduced                       1.000    1.000        =             passed"]
    )
    recorded.run(BASELINE, "--eval-update")
    assert recorded.baseline() == bytes_before

    changed(recorded, "It is {", "It's {")
    result = recorded.run(BASELINE)
    result.assert_outcomes(failed=3)
    assert failure(result)[0] == ("reproduced 0.000, baseline 1.000, dropped 1.000")
    # A run that diverges may be what is recorded; from then on it may not get worse.
    recorded.run(BASELINE, "--eval-update").assert_outcomes(passed=3)
    recorded.run(BASELINE).assert_outcomes(passed=3)


def test_a_capture_that_was_recorded_again_is_not_compared_with_the_old_one(recorded: Project) -> None:
    recorded.run(BASELINE, "--eval-update")
    changed(recorded, "It is {", "So it is {")
    capture(final_text="So it is 4.").write(recorded.path / NAME)
    result = recorded.run(BASELINE)
    assert failure(result)[0] == (
        "reproduced 1.000, not comparable with baseline.json: only 0 of its 1 case still ask the same; "
        f"record it again: pytest {NAME} --eval-baseline=baseline.json --eval-update"
    )


def test_an_agent_that_raises_is_not_recorded(recorded: Project) -> None:
    changed(recorded, "    said = llm(", "    1 / 0\n    said = llm(")
    result = recorded.run(BASELINE, "--eval-update")
    result.stdout.fnmatch_lines([f"not recorded: {NAME} (agent): 1 case raised"])


def test_an_agent_is_asked_once_and_by_a_second_attempt_again(recorded: Project, require: Require) -> None:
    require.library("pytest_rerunfailures")
    changed(
        recorded,
        "def answer(question, llm, tools):\n",
        "CALLS = []\n\ndef answer(question, llm, tools):\n    CALLS.append(1)\n",
    )
    text = (recorded.path / "conftest.py").read_text(encoding="utf-8")
    recorded.write(
        "conftest.py", text.replace("It is {", "{'It' if len(CALLS) == 2 else 'Call ' + str(len(CALLS))} is {")
    )
    recorded.run("--reruns=1").assert_outcomes(passed=3)


def test_workers_give_the_serial_bytes_and_say_the_same(recorded: Project) -> None:
    recorded.run(BASELINE, "--eval-update")
    bytes_before = recorded.baseline()
    (recorded.path / "baseline.json").unlink()
    recorded.run(BASELINE, "--eval-update", "-n2", own_process=True).assert_outcomes(passed=3)
    assert recorded.baseline() == bytes_before
    changed(recorded, "It is {", "It's {")
    spread = recorded.run("-n2", "--eval-report=now.json", own_process=True)
    spread.assert_outcomes(passed=2, failed=1)
    (evaluation,) = read_report(recorded.path / "now.json")
    assert [(pair.kind, pair.same) for pair in evaluation.cases[0].steps] == [
        ("llm", True),
        ("tool", True),
        ("final", False),
    ]


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_reports_hold_the_steps(recorded: Project, require: Require, suffix: str) -> None:
    if suffix == "toml":
        require.library("tomli_w")
    changed(recorded, "It is {", "It's {")
    recorded.run(f"--eval-report=now.{suffix}")
    (evaluation,) = read_report(recorded.path / f"now.{suffix}")
    (case,) = evaluation.cases
    assert (case.id, case.query, case.answer) == ("run", QUESTION, "It's 4.")
    assert [pair.now for pair in case.steps][1:] == ["tool add([2,2])", "It's 4."]


def test_markdown_names_the_divergence(recorded: Project) -> None:
    changed(recorded, "call['arguments'])", "[*call['arguments'], 0])")
    recorded.run("--eval-report=now.md")
    text = (recorded.path / "now.md").read_text(encoding="utf-8")
    assert "first divergence: step 2\n  recorded  tool add([2,2])\n  now       tool add([2,2,0])\n" in text


FIXTURES = {
    "asyncio": """
import inspect
import pytest_asyncio

SCOPES = {"scope": "module", "loop_scope": "module"}
if "loop_scope" not in inspect.signature(pytest_asyncio.fixture).parameters:
    del SCOPES["loop_scope"]  # before 0.24 a fixture's loop has the scope of the fixture

@pytest_asyncio.fixture(**SCOPES)
async def agent():
    here = asyncio.get_running_loop()
    async def bound(*given):
        assert asyncio.get_running_loop() is here
        return await answer(*given)
    yield bound
""",
    "anyio": """
@pytest.fixture(scope="module", params=["asyncio"])
def anyio_backend(request): return request.param

@pytest.fixture(scope="module")
async def agent(anyio_backend):
    here = asyncio.get_running_loop()
    async def bound(*given):
        assert asyncio.get_running_loop() is here
        return await answer(*given)
    yield bound
""",
}


@pytest.mark.parametrize("plugin", FIXTURES)
def test_an_asynchronous_agent_runs_on_the_loop_of_its_fixture(
    asynchronous: Project, plugin: str, require: Require
) -> None:
    require.library("pytest_asyncio")
    require.library("anyio")
    asynchronous.write("conftest.py", ASYNC_AGENT + FIXTURES[plugin])
    result = asynchronous.run(*ALONE[plugin], BASELINE, "--eval-update", own_process=True)
    result.assert_outcomes(passed=3)
    assert list(json.loads(asynchronous.baseline())["suites"][NAME]["systems"]) == ["agent"]


@pytest.mark.parametrize("plugin", [*FIXTURES, "none"])
def test_an_asynchronous_agent_of_an_ordinary_fixture_needs_no_plugin(
    asynchronous: Project, plugin: str, require: Require
) -> None:
    require.library("pytest_asyncio")
    require.library("anyio")
    asynchronous.write("conftest.py", ASYNC_AGENT + "\n@pytest.fixture\ndef agent(): return answer\n")
    alone = ALONE.get(plugin, (*ALONE["anyio"], "-p", "no:anyio"))
    asynchronous.run(*alone, own_process=True).assert_outcomes(passed=3)
    asynchronous.write(
        "conftest.py", ASYNC_AGENT.replace("It is {", "It's {") + "\n@pytest.fixture\ndef agent(): return answer\n"
    )
    result = asynchronous.run(*alone, own_process=True)
    result.assert_outcomes(passed=2, failed=1)
    assert failure(result)[1] == "  first divergence: the final text"
