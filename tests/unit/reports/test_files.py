"""Kinds of report files, and what can go wrong with a file."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import yaml

from pytest_recall import Evaluation, parse_metric, read_report
from pytest_recall.baseline import Baseline, render
from pytest_recall.errors import MissingExtraError, ReportError
from pytest_recall.reports import files
from tests.unit.reports.builders import BROKEN_CASE, evaluation, full_case, report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Require

needs_pipes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

READABLE = ["json", "yaml", "yml", "toml"]

# What ends a report by hand, so that it is not taken for one that is cut off.
YAML_END = b"counts: {evaluations: 0, cases: 0, gates: 0}\n"
TOML_END = b"[counts]\nevaluations = 0\ncases = 0\ngates = 0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def error_of(path: str) -> str:
    with pytest.raises(ReportError) as raised:
        files.read(path)
    return str(raised.value)


def refusal_of(path: str, reports: Any = ()) -> str:
    with pytest.raises(ReportError) as raised:
        files.write(path, reports)
    return str(raised.value)


@pytest.mark.parametrize(
    ("before", "gap"),
    [("", ""), ("\n", ""), ("# Before", "\n\n"), ("# Before\n", "\n"), ("# Before\n\n", "")],
)
def test_a_step_summary_keeps_apart_from_what_is_there(before: str, gap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    files.write("now.md", [report()])
    Path("summary").write_bytes(before.encode())
    files.write("summary", [report()])
    assert Path("summary").read_bytes() == (before + gap).encode() + Path("now.md").read_bytes()


@pytest.mark.parametrize("suffix", [*READABLE, "JSON"])
def test_what_was_written_is_read(suffix: str) -> None:
    reports = (
        report(),
        report(
            evaluation=evaluation([BROKEN_CASE, full_case(rankings=2)], system="b", problem="no id is known"),
            verdicts=(),
        ),
    )
    files.write(f"now.{suffix}", reports)
    assert files.read(f"now.{suffix}") == reports
    assert read_report(f"now.{suffix}") == tuple(each.evaluation for each in reports)


@pytest.mark.parametrize("suffix", READABLE)
def test_an_evaluation_alone(suffix: str) -> None:
    now = evaluation()
    now.write(f"now.{suffix}")
    assert Evaluation.read(f"now.{suffix}") == now


@pytest.mark.parametrize(
    ("reports", "holds"),
    [((), "holds 0 evaluations"), ((report(), report(evaluation=evaluation(system="b"))), "holds 2 evaluations")],
)
def test_one_evaluation_is_wanted(reports: Any, holds: str) -> None:
    files.write("now.json", reports)
    with pytest.raises(ReportError) as raised:
        Evaluation.read("now.json")
    assert str(raised.value) == f"now.json: {holds}, not one; read_report reads them all"


@pytest.mark.parametrize("length", [1022, 1023, 5000])
@pytest.mark.parametrize("letter", ["a", '"', "é", "\u200b"])
def test_yaml_holds_keys_of_any_length(letter: str, length: int) -> None:
    key = letter * length
    metric = parse_metric(f"label_recall.{key}")
    case = full_case(relevant={key: 1, "lease-1": 1}, args={"filter": {key: [{key: None}]}}, scores={str(metric): 1.0})
    now = evaluation([case], metrics=[metric])
    now.write("now.yaml")
    assert Evaluation.read("now.yaml") == now
    text = Path("now.yaml").read_text(encoding="utf-8")
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        (read,) = yaml.load(text, loader)["evaluations"]  # noqa: S506 - both are safe
        assert list(read["metrics"]) == [str(metric)]
        assert list(read["cases"][0]["relevant"]) == [key, "lease-1"]


def test_toml_says_what_it_leaves_out() -> None:
    files.write("now.toml", [report()])
    text = Path("now.toml").read_text(encoding="utf-8")
    assert text.startswith("# TOML has no null, so what is undefined is left out.")
    assert "null" not in text.partition("\n\n")[2]


def test_rows_have_the_same_columns() -> None:
    files.write("now.jsonl", [report(evaluation=evaluation([full_case(), BROKEN_CASE]))])
    one, two = map(json.loads, Path("now.jsonl").read_text(encoding="utf-8").splitlines())
    assert list(one) == list(two)
    assert (one["suite"], one["system"]) == ("tests/support.eval.yaml", "retriever[bm25]")
    assert (one["relevant"], one["grades"]) == (["lease-2", "lease-1"], [1, 0.5])
    assert (one["answers"], two["answers"]) == (["31 May", "the end of May"], [])
    assert (one["scores.mrr"], one["scores.stale_hit_rate@3"]) == (0.5, None)
    assert (two["scores.mrr"], two["scores.stale_hit_rate@3"]) == (None, None)


def test_a_row_without_judgments_has_none() -> None:
    files.write("now.jsonl", [report(evaluation=evaluation([full_case(relevant=None)]))])
    (row,) = map(json.loads, Path("now.jsonl").read_text(encoding="utf-8").splitlines())
    assert (row["relevant"], row["grades"]) == (None, None)


def test_rows_make_a_dataframe(require: Require) -> None:
    pandas = require.library("pandas")
    files.write("now.jsonl", [report()])
    frame = pandas.read_json("now.jsonl", lines=True)
    assert frame["scores.mrr"].mean() == 0.5
    assert list(frame["id"]) == ["lease-end", "bare"]


def test_jq_reads_json(require: Require) -> None:
    program = require.program("jq")
    files.write("now.json", [report(evaluation=evaluation([full_case(query="\0\u202e'\"")]), verdicts=())])
    printed = subprocess.run(
        [program, "-c", ".evaluations[0].cases[0].scores", "now.json"], check=True, capture_output=True, text=True
    ).stdout
    assert printed == '{"mrr":0.5,"stale_hit_rate@3":null}\n'


@pytest.mark.parametrize("language", ["YAML", "TOML"])
def test_half_a_character_needs_json(language: str) -> None:
    path = f"now.{language.lower()}"
    reports = [report(evaluation=evaluation([full_case(ranking=("a\ud800",))]), verdicts=())]
    assert refusal_of(path, reports) == (
        f"{path}: '\\ud800' is half of a character, which {language} can't hold; write a .json report"
    )
    assert not Path(path).exists()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("now.txt", "a report is named .html, .json, .jsonl, .md, .toml, .yaml or .yml, and this ends with .txt"),
        ("now", "a report is named .html, .json, .jsonl, .md, .toml, .yaml or .yml, and this has no suffix"),
        (".json", "a report is named .html, .json, .jsonl, .md, .toml, .yaml or .yml, and this has no suffix"),
        ("folder.json", "a report is a file, and this is a directory"),
        ("no/now.json", "there is no folder '{cwd}/no'; make it first"),
        ("leads/nowhere.json", "there is no folder '{cwd}/gone'; make it first"),
        ("baseline.json", "a report would take the place of the baseline; name it otherwise"),
        (f"{'n' * 300}.json", "the file can't be written: file name too long"),
        ("keep.eval.yaml", "a report would take the place of a suite; name it otherwise"),
        ("run.capture.json", "a report would take the place of a suite; name it otherwise"),
        ("leads/suite.json", "a report would take the place of a suite; name it otherwise"),
    ],
)
def test_a_path_that_is_no_place_for_a_report(path: str, message: str) -> None:
    Path("folder.json").mkdir()
    Path("baseline.json").write_text(render(Baseline(entries={})), encoding="utf-8")
    Path("leads").mkdir()
    Path("leads/nowhere.json").symlink_to(Path.cwd() / "gone" / "now.json")
    Path("leads/suite.json").symlink_to(Path.cwd() / "keep.eval.json")
    assert refusal_of(path) == f"{path}: {message.format(cwd=Path.cwd())}"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("corpus.jsonl", '{"_id": "m1", "text": "The lease ends on 31 May."}\n'),
        ("cases.jsonl", '{"suite": "a", "id": "q1"}\n'),
        ("package.json", '{"format": 1}\n'),
        ("list.json", "[]"),
        ("config.yaml", "# ours\nformat: 1\nother: 2\n"),
        ("blank.yml", "a" + "\n" * 5000),
        ("pyproject.toml", "[project]\n"),
        ("README.md", "# evaluations\n"),
        ("README.MD", "## evaluations\n"),
        ("index.html", "<!DOCTYPE html>\n<title>Notes</title>\n"),
    ],
)
def test_a_file_of_others_keeps_its_place(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")
    suffix = Path(path).suffix.lower()
    told = f"a report would take the place of a file that is no {suffix} report; name it otherwise"
    assert refusal_of(path) == f"{path}: {told}"
    assert Path(path).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("suffix", files.KINDS)
@pytest.mark.parametrize("before", [(), (report(),), (report(verdicts=()),)], ids=["none", "judged", "unjudged"])
def test_an_earlier_report_is_replaced(suffix: str, before: tuple[Any, ...]) -> None:
    path = Path(f"now{suffix}")
    files.write(path, before)
    # As a disk that was full may leave it, or an editor save it.
    path.write_bytes(b"\xef\xbb\xbf\r\n" + path.read_bytes()[:-1].replace(b"\n", b"\r\n"))
    files.write(path, [report()])
    replaced = path.read_bytes()
    path.write_bytes(b"\n")
    files.write(path, [report()])
    assert path.read_bytes() == replaced


@pytest.mark.parametrize("suffix", [".yaml", ".toml"])
def test_an_earlier_report_with_a_comment_is_replaced(suffix: str) -> None:
    path = Path(f"now{suffix}")
    files.write(path, [report()])
    path.write_text(f"# before the change\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    files.write(path, [])
    assert files.read(path) == ()


def test_a_name_that_is_none() -> None:
    assert refusal_of("a\0.json") == "'a\\x00.json': a path can't hold the character U+0000"


def test_a_link_stays_a_link() -> None:
    Path("kept").mkdir()
    Path("now.json").symlink_to("kept/real.json")
    files.write("now.json", [report()])
    assert Path("now.json").is_symlink()
    assert files.read("kept/real.json") == (report(),)
    assert [path.name for path in Path("kept").iterdir()] == ["real.json"]


@needs_pipes
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_keeps_its_place(kind: str) -> None:
    if kind == "pipe":
        os.mkfifo("now.json")
    else:
        Path("now.json").symlink_to(os.devnull)
    mode = Path("now.json").stat().st_mode
    assert refusal_of("now.json") == "now.json: a report is a file, and this is a pipe or a device"
    assert Path("now.json").stat().st_mode == mode


@needs_pipes
def test_a_device_is_not_read() -> None:
    Path("now.json").symlink_to("/dev/zero")
    assert error_of("now.json") == "now.json: a report is a file, and this is a device"


@needs_pipes
def test_a_step_summary_may_be_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", os.devnull)
    files.write(os.devnull, [report()])
    assert Path(os.devnull).is_char_device()


def full(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_report_before(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write("now.json", [report()])
    before = Path("now.json").read_bytes()
    monkeypatch.setattr(os if step == "fsync" else Path, step, full)
    assert refusal_of("now.json") == "now.json: the file can't be written: no space left on device"
    assert Path("now.json").read_bytes() == before
    assert [path.name for path in Path.cwd().iterdir()] == ["now.json"]


def write_nothing(path: str) -> None:
    files.write(path, [])


@pytest.mark.parametrize(
    ("use", "path", "extra"),
    [(files.read, "now.toml", "toml"), (write_nothing, "now.toml", "toml"), (write_nothing, "now.html", "html")],
)
def test_a_missing_extra_is_told_with_the_command(
    use: Callable[[str], object], path: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as raised:
        use(path)
    assert str(raised.value) == f".{extra} reports need what is not installed: pip install 'pytest-recall[{extra}]'"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("now.json", b"", "now.json: the file is empty; restore it, or delete it and write the report again"),
        ("now.yaml", b" \n", "now.yaml: the file is empty; restore it, or delete it and write the report again"),
        ("now.toml", b"", "now.toml: the file is empty; restore it, or delete it and write the report again"),
        (
            "now.json",
            b'{"format": 1,\n',
            "now.json:1: the file is cut off; restore it, or delete it and write the report again",
        ),
        (
            "now.json",
            b'{"format": 1,\n<<<<<<< HEAD\n}',
            "now.json:2: merge conflict markers at line 2; resolve them, or delete it and write the report again",
        ),
        ("now.json", b'{"format": 1,\n]}', "now.json:2: not JSON: expecting property name enclosed in double quotes"),
        ("now.json", b"hello", "now.json:1: not JSON: expecting value"),
        ("now.json", b"\nformat = 1\n", "now.json:2: not JSON: expecting value"),
        ("now.json", b'{"format": 1, "format": 1}', "now.json: key 'format' is given twice"),
        (
            "now.json",
            b'{"a": "\n\xff"}',
            "now.json:2: the file is not UTF-8; restore it, or delete it and write the report again",
        ),
        ("now.json", b"[" * 100_000, "now.json: the values are nested too deeply for a report"),
        ("now.yaml", b"# nothing\n", "now.yaml: must be an object, not null"),
        (
            "now.yaml",
            b"format: 1\nformat: 1\n" + YAML_END,
            "now.yaml:2: the key 'format' is here twice, first on line 1",
        ),
        (
            "now.yaml",
            b"format: 1\nevaluations: 2024-01-31\n" + YAML_END,
            'now.yaml: evaluations: must be a list, not "2024-01-31"',
        ),
        ("now.yaml", b"a: [1\nb: 2", "now.yaml:2: while parsing a flow sequence: did not find expected ',' or ']'"),
        ("now.yaml", b"a: &a [*a]", "now.yaml:1: a: an alias in here refers back to it"),
        (
            "now.yaml",
            b"a: !!python/name:os.system x",
            "now.yaml:1: a: the tag '!!python/name:os.system' is not allowed, only !!str is",
        ),
        ("now.toml", b"format = 1\nformat = 2\n" + TOML_END, "now.toml:2: not TOML: cannot overwrite a value"),
        (
            "now.toml",
            b"a = " + b"[" * 100_000 + b"\n" + TOML_END,
            "now.toml: the values are nested too deeply for a report",
        ),
        (
            "now.toml",
            b"format = 1\nevaluations = 2024-01-31\n" + TOML_END,
            'now.toml: evaluations: must be a list, not "2024-01-31"',
        ),
        (
            "now.toml",
            (
                b'format = 1\n[[evaluations]]\n[[evaluations.cases]]\nid = "a"\nundefined = [["scores", "mrr"]]\n'
                b"[counts]\nevaluations = 1\ncases = 1\ngates = 0\n"
            ),
            "now.toml: undefined: ['scores', 'mrr'] leads nowhere in the case 'a'",
        ),
        (
            "now.toml",
            b"format = 1\nevaluations = [1]\n" + TOML_END.replace(b"0", b"1", 1),
            "now.toml: evaluations[0]: must be an object, not 1",
        ),
        (
            "now.yaml",
            b"format: 1\nevaluations:\n",
            "now.yaml:2: the file is cut off; restore it, or delete it and write the report again",
        ),
        (
            "now.toml",
            b'format = 1\n\n[[evaluations]]\nsuite = "a',
            "now.toml:4: the file is cut off; restore it, or delete it and write the report again",
        ),
        (
            "now.yaml",
            b"format: 1\nevaluations: []\ncounts: {evaluations: 2, cases: 0, gates: 0}\n",
            "now.yaml: counts.evaluations: written with 2, holds 0 now; restore it, or write the report again",
        ),
        (
            "now.jsonl",
            b"{}",
            "now.jsonl: a .jsonl report can't be read back; write one of .json, .toml, .yaml, .yml too",
        ),
        (
            "now.html",
            b"",
            "now.html: a .html report can't be read back; write one of .json, .toml, .yaml, .yml too",
        ),
        ("now.md", b"", "now.md: a .md report can't be read back; write one of .json, .toml, .yaml, .yml too"),
    ],
)
def test_a_broken_file_is_told_with_place_and_reason(name: str, data: bytes, message: str) -> None:
    Path(name).write_bytes(data)
    # An older tomli has another word for it.
    assert error_of(name).replace("can not", "cannot") == message


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_no_beginning_of_a_report_is_read(suffix: str) -> None:
    files.write(f"now.{suffix}", [report()])
    whole = Path(f"now.{suffix}").read_bytes().rstrip()
    # Between any two lines, and in the counts at the end, where every place is the end of a number or name.
    ends = {place for place, byte in enumerate(whole) if byte == ord("\n")} | {*range(len(whole) - 60, len(whole))}
    for end in sorted(ends):
        Path(f"now.{suffix}").write_bytes(whole[:end])
        with pytest.raises(ReportError):
            files.read(f"now.{suffix}")


def test_files_that_are_none() -> None:
    Path("folder.json").mkdir()
    assert error_of("folder.json") == "folder.json: a report is a file, and this is a directory"
    assert error_of("gone.json") == "gone.json: there is no such file"
    assert error_of("gone.csv") == "gone.csv: there is no such file"


def test_a_file_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may read everything, so the refusal is played.
    def refuse(_: Path) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert error_of("now.json") == "now.json: the file can't be read: permission denied"
