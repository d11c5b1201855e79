from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_recall.cli import COMMANDS
from pytest_recall.reports import files
from tests.unit.cli.conftest import LEASE
from tests.unit.reports.builders import report

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Shell

NEWLINE = os.linesep.encode()
PROGRAM = Path(sys.executable).with_name("pytest-recall")


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The installed program, in a process of its own."""
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        input=stdin,
        timeout=60,
    )


def test_version_is_that_of_the_distribution(shell: Shell) -> None:
    assert shell.run("--version") == (0, f"pytest-recall {version('pytest-recall')}\n", "")


def test_help_names_every_command(shell: Shell) -> None:
    code, printed, _ = shell.run("--help")
    assert code == 0
    for name, does in COMMANDS.items():
        assert re.search(rf"^ +{name} +{does}$", printed, flags=re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(shell: Shell, name: str) -> None:
    code, printed, _ = shell.run(name, "--help")
    assert code == 0
    assert printed.startswith(f"usage: pytest-recall {name} ")
    assert printed.endswith("Exit codes: 0 all is well, 1 a gate failed, 2 an input or the usage is wrong.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["check"], "the following arguments are required: SUITE"),
        (["convert"], "the following arguments are required: FORMAT"),
        (["schema", "\x1b[31mred"], r"unrecognized arguments: \x1b[31mred"),
    ],
)
def test_wrong_usage_is_told_on_standard_error(shell: Shell, arguments: list[str], message: str) -> None:
    code, printed, told = shell.run(*arguments)
    assert (code, printed) == (2, "")
    assert told.endswith(f"error: {message}\n")


def test_results_may_be_printed_to_what_is_no_file(shell: Shell) -> None:
    shell.write("a.eval.yaml")
    with redirect_stdout(StringIO()) as printed:
        code, *others = shell.run("check", "a.eval.yaml")
    assert (code, printed.getvalue(), others) == (0, "1 suite, 1 case: no mistakes\n", ["", ""])


def test_interrupted_command_ends_quietly(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_recall.cli.check.load_suite", interrupt)
    assert shell.run("check", "a.eval.yaml") == (130, "", "")


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [(["--help"], {"yaml", "orjson"}), (["--version"], {"yaml", "orjson"}), (["schema"], set())],
)
def test_command_loads_what_it_needs_and_never_pytest(arguments: list[str], heavy: set[str]) -> None:
    code = (
        "import sys\nfrom pytest_recall.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8", timeout=60
    )
    loaded = set(process.stderr.split())
    assert "pytest_recall.cli" in loaded
    assert not loaded & {"pytest", "_pytest", *heavy}


def test_program_reads_standard_input() -> None:
    process = run("check", "-", stdin=LEASE.encode())
    assert (process.returncode, process.stdout, process.stderr) == (0, b"1 suite, 1 case: no mistakes" + NEWLINE, b"")


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_program_needs_no_locale(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "名前.eval.yaml").write_text("cases: [{query: wie spät?, relevant: ü}]", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\twie spät? 😀\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 ü 1\n", encoding="utf-8")
    checked = run("check", ".", cwd=tmp_path, environment=environment)
    assert checked.returncode == 2
    assert checked.stdout.splitlines()[-1] == b"1 mistake in 1 of 1 suite"
    converted = run("convert", "trec", "qrels", "topics.tsv", cwd=tmp_path, environment=environment)
    assert (converted.returncode, converted.stderr) == (0, b"")
    assert converted.stdout.decode() == 'cases:\n  - {id: "1", query: "wie spät? 😀", relevant: [ü]}\n'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["schema"],
        ["check", "a.eval.yaml"],
        ["convert", "trec", "qrels", "topics.tsv"],
        ["score", "qrels", "run"],
        ["show", "now.json"],
        ["compare", "now.json", "now.json"],
        ["--help"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_told_and_is_no_failed_gate(tmp_path: Path, arguments: list[str], unbuffered: str) -> None:
    if arguments == ["--help"] and unbuffered:
        pytest.skip("argparse itself ignores that help can't be written")
    (tmp_path / "a.eval.yaml").write_text(LEASE)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n")
    (tmp_path / "topics.tsv").write_text("1\tfirst\n")
    files.write(tmp_path / "now.json", [report(verdicts=())])
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            [PROGRAM, *arguments],
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stderr=subprocess.PIPE,
            stdout=full,
            timeout=60,
        )
    told = b"pytest-recall: standard output can't be written: no space left on device"
    assert (process.returncode, process.stderr) == (2, told + NEWLINE)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes that break")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_reader_that_goes_away_ends_the_command_quietly(unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        process = subprocess.run(
            [PROGRAM, "schema"],
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stderr=subprocess.PIPE,
            stdout=closed,
            timeout=60,
        )
    assert (process.returncode, process.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (f"{PROGRAM} schema >&-", b"standard output is closed, and the result goes there"),
        (f"{PROGRAM} --version >&-", b"standard output is closed, and the result goes there"),
        (f"{PROGRAM} check - <&-", b"standard input is closed, and - stands for it"),
        (f"{PROGRAM} show - <&-", b"standard input is closed, and - stands for it"),
        (f"{PROGRAM} convert kimetsu - <&-", b"standard input is closed, and - stands for it"),
    ],
)
def test_a_closed_stream_is_told_and_is_no_failed_gate(command: str, told: bytes) -> None:
    process = subprocess.run(["/bin/sh", "-c", command], check=False, stderr=subprocess.PIPE, timeout=60)
    assert (process.returncode, process.stderr.partition(b";")[0].strip()) == (2, b"pytest-recall: " + told)
