"""Every block of README and docs is run, page by page, from top to bottom, in one directory a page.

A comment on the line before a fence says what the block is::

    <!-- file: tests/conftest.py -->     it is written there
    <!-- not run: it asks the network --> it is only shown, for this reason

Without one its language decides: Python is executed, data must parse, and in a console block each line that starts
with ``$`` is run and must print what follows it, where a line ``...`` stands for any lines, or with ``> FILE`` at its
end writes that file; ``$ echo $?`` shows how the command before it ended, and has to where that is neither 0 nor 1.
``<!-- copy: examples -->`` anywhere puts that folder of the repository beside the page's files. What a workflow of
GitHub or GitLab runs is run, but for what it installs.
"""

from __future__ import annotations

import configparser
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Require

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
MOST_NOT_RUN = 3

FENCE = re.compile(
    r"(?:^ *<!-- (?P<word>file|not run): (?P<value>.+) -->\n+)?"
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>.*)\n(?P<body>(?:.*\n)*?)(?P=indent)(?P=ticks) *$",
    re.MULTILINE,
)
WORKERS = re.compile(r"^ *\$ pytest .*-n\d", re.MULTILINE)
ASYNCHRONOUS = re.compile(r"^async: true$", re.MULTILINE)
COPY = re.compile(r"^<!-- copy: (.+) -->$", re.MULTILINE)

# What differs from run to run, or with the width of what differs.
NOISE = {r"\b\d+\.\d\ds\b": "0.00s", r"([=_-])\1{2,}": r"\1\1\1", r" +$": ""}

# What makes pytest write otherwise than in a reader's terminal.
FOREIGN = re.compile(r"CI|BUILD_NUMBER|GITHUB_.*|PYTEST_.*|PY_COLORS|FORCE_COLOR|NO_COLOR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    page: Path
    line: int
    word: str | None
    value: str
    language: str
    body: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield Block(
            page=page,
            line=text.count("\n", 0, match.start("ticks")) + 1,
            word=match["word"],
            value=match["value"] or "",
            language=match["language"].strip(),
            body=textwrap.dedent(match["body"]),
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, require: Require) -> None:
    text = page.read_text(encoding="utf-8")
    if WORKERS.search(text):
        require.library("xdist")
    if ASYNCHRONOUS.search(text):
        require.library("pytest_asyncio")
        require.library("anyio")
    for folder in COPY.findall(text):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks_of(page):
        if block.word == "file":
            path = tmp_path / block.value
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.word is None and block.language == "python":
            exec(compile(block.body, str(block), "exec"), names)  # noqa: S102 - our own pages
        elif block.word is None and block.language == "console":
            _run_console(block, tmp_path)
        elif block.word is None and not block.language.startswith("{"):
            _run_workflow(block, _parse(block), tmp_path)


def test_few_blocks_are_not_run() -> None:
    reasons = [f"{block}: {block.value}" for page in PAGES for block in blocks_of(page) if block.word == "not run"]
    assert len(reasons) <= MOST_NOT_RUN, reasons


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("1 passed in 0.02s", "1 passed in 11.53s", True),
        ("=== 1 passed in 0.02s ===", "===== 1 passed in 0.13s =====", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...\nb", "a\nb", True),
        ("recall@5 0.742", "recall@5 0.743", False),
        ("a", "a\nb", False),
        ("a.c", "abc", False),
        ("", "a", False),
    ],
)
def test_shown_output_is_compared_line_by_line(shown: str, printed: str, same: bool) -> None:  # noqa: FBT001 - a column
    assert _looks_like(printed, shown) is same


def _run_console(block: Block, directory: Path) -> None:
    first, *texts = re.split(r"^\$ ", block.body, flags=re.MULTILINE)
    assert first == "", f"{block}: starts with no command"
    status = 0
    for text, after in zip(texts, [*texts[1:], ""], strict=True):
        command, _, shown = text.partition("\n")
        if command == "echo $?":
            printed = str(status)
        else:
            command, _, target = command.partition(" > ")
            process = _process(command, directory)
            status, printed = process.returncode, process.stdout
            if target:
                (directory / target).write_text(printed, encoding="utf-8")
                printed = ""
            if status not in {0, 1} and not after.startswith("echo $?"):
                pytest.fail(f"{block}: {command}: exit {status}\n{printed}", pytrace=False)
        if not _looks_like(printed, shown):
            pytest.fail(f"{block}: {command}\n--- shown\n{shown}\n--- printed\n{printed}", pytrace=False)


def _run_workflow(block: Block, document: Any, directory: Path) -> None:
    for command in _commands(document):
        if not command.startswith("pip install "):
            process = _process(command, directory, GITHUB_STEP_SUMMARY=str(directory / "step_summary"))
            assert process.returncode == 0, f"{block}: {command}\n{process.stdout}"


def _commands(document: Any) -> list[str]:
    """The lines of every ``run:`` and ``script:`` in a document."""
    if isinstance(document, list):
        return [command for item in document for command in _commands(item)]
    commands: list[str] = []
    for key, value in document.items() if isinstance(document, dict) else ():
        own = value if isinstance(value, list) else [value]
        commands += own if key in {"run", "script"} else _commands(value)
    return commands


def test_what_workflows_run_is_found() -> None:
    github = {"jobs": {"tests": {"steps": [{"uses": "x"}, {"run": "a b"}, {"run": "c"}]}}}
    gitlab = {"tests": {"script": ["d", "e"], "artifacts": {"paths": ["f"]}}}
    assert _commands([github, gitlab]) == ["a b", "c", "d", "e"]


def _process(command: str, directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(Template(command).safe_substitute(variables))
    beside_python = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    found = shutil.which(program, path=beside_python)
    assert found, f"no {program} on PATH"
    # No bytecode: a page may change a file within the second that bytecode can't tell apart.
    environment = {name: value for name, value in os.environ.items() if not FOREIGN.fullmatch(name)}
    environment |= {"COLUMNS": "80", "PATH": beside_python, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    # Plugins that a reader need not have: the one warns where it is not set up, the other takes a second to load.
    environment["PYTEST_ADDOPTS"] = "-p no:asyncio -p no:hypothesispytest"
    return subprocess.run(
        [found, *arguments],
        check=False,
        cwd=directory,
        encoding="utf-8",
        env=environment,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=300,
    )


def _looks_like(printed: str, shown: str) -> bool:
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n") for line in _steady(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _steady(printed))) is not None


def _steady(text: str) -> list[str]:
    for noise, instead in NOISE.items():
        text = re.sub(noise, instead, text, flags=re.MULTILINE)
    return text.strip("\n").split("\n")


def _parse(block: Block) -> object:
    parsers: dict[str, Callable[[str], object]] = {
        "ini": lambda text: configparser.ConfigParser().read_string(text),
        "json": json.loads,
        "toml": lambda text: importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli").loads(text),
        "yaml": yaml.safe_load,
    }
    assert block.language in parsers, f"{block}: {block.language!r} can't be run: name its file or say why not"
    return parsers[block.language](block.body)
