"""Reports into files and back, each of the kind that its suffix names."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_recall._files.places import is_device, is_endless
from pytest_recall._files.replacing import reason, replace
from pytest_recall._files.strict_json import NotJSON
from pytest_recall._files.values import Invalid
from pytest_recall._text import count
from pytest_recall.errors import MissingExtraError, Problem, ReportError
from pytest_recall.reports import json_report, jsonl_report, markdown, page, toml_report, yaml_report
from pytest_recall.reports.record import from_record
from pytest_recall.suites.names import is_suite_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from pytest_recall.evaluation import Evaluation
    from pytest_recall.reports.summary import SuiteReport

    AnyPath: TypeAlias = str | os.PathLike[str]

__all__ = ["JSON", "KINDS", "Kind", "check_path", "parse", "read", "read_one", "readable", "write"]

T = TypeVar("T")

# GitHub Actions names the file here that it shows beside the job.
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"

# More than a file of ours has before what tells it from others.
_HEAD = 65536
_BASELINE = re.compile(rb'\{\s*"format"\s*:\s*\d+\s*,\s*"suites"\s*:')


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of report.

    Attributes:
        render: the bytes of a file.
        begins: what every file begins with, and hardly anything else.
        parse: the plain values of a file, None where it can't be read back.
        writer, reader: modules that this needs beyond our dependencies.
        extra: the extra that has them.
    """

    render: Callable[[Sequence[SuiteReport]], bytes]
    begins: re.Pattern[bytes]
    parse: Callable[[bytes], Any] | None = None
    writer: str | None = None
    reader: str | None = None
    extra: str = ""


JSON = Kind(render=json_report.render, begins=json_report.BEGINS, parse=json_report.parse)
_YAML = Kind(render=yaml_report.render, begins=yaml_report.BEGINS, parse=yaml_report.parse)
_MARKDOWN = Kind(render=markdown.render, begins=markdown.BEGINS)

KINDS = {
    ".html": Kind(render=page.render, begins=page.BEGINS, writer=page.WRITER, extra="html"),
    ".json": JSON,
    ".jsonl": Kind(render=jsonl_report.render, begins=jsonl_report.BEGINS),
    ".md": _MARKDOWN,
    ".toml": Kind(
        render=toml_report.render,
        begins=toml_report.BEGINS,
        parse=toml_report.parse,
        writer=toml_report.WRITER,
        reader=toml_report.READER,
        extra="toml",
    ),
    ".yaml": _YAML,
    ".yml": _YAML,
}


def check_path(path: AnyPath) -> Kind:
    """The kind of a report that could be written to a path, as far as can be told beforehand.

    Raises:
        ReportError: no kind has its suffix, its folder is missing, or it is one, or a pipe, a device, a suite or any
            file with something in it that is no report of its kind.
        MissingExtraError: what its kind needs is not installed.
    """
    _check_name(path)
    kind = _kind(path)
    _require(path, kind.writer, kind)
    if Path(path).is_dir():
        raise ReportError(f"{path}: a report is a file, and this is a directory")
    if is_endless(Path(path)) and not _is_step_summary(path):
        raise ReportError(f"{path}: a report is a file, and this is a pipe or a device")
    folder = _target(path).parent
    if not folder.is_dir():
        raise ReportError(f"{path}: there is no folder {str(folder)!r}; make it first")
    if is_suite_name(Path(path).name) or is_suite_name(_target(path).name):
        raise ReportError(f"{path}: a report would take the place of a suite; name it otherwise")
    # A step summary is added to.
    if not _is_step_summary(path):
        _check_replaced(path, kind)
    return kind


def write(path: AnyPath, reports: Sequence[SuiteReport]) -> None:
    """Write reports to a file, whole or not at all; a step summary of GitHub Actions is appended to.

    Raises:
        ReportError: the path is no place for a report, or it can't be written; what was there is as before.
        MissingExtraError: what its kind needs is not installed.
    """
    kind = check_path(path)
    try:
        data = kind.render(reports)
        if _is_step_summary(path):
            gap = _gap(Path(path))
            with Path(path).open("ab") as file:
                file.write(gap + data)
        else:
            replace(_target(path), data)
    except Invalid as error:
        raise ReportError(f"{path}: {error.message}") from None
    except OSError as error:
        raise ReportError(f"{path}: the file can't be written: {reason(error)}") from error


def read(path: AnyPath) -> tuple[SuiteReport, ...]:
    """The reports in a file.

    Raises:
        ReportError: there is no such file, it is of a kind that is not read back, or something in it is wrong.
        MissingExtraError: what its kind needs is not installed.
    """
    return parse(path, readable(path), from_record)


def readable(path: AnyPath) -> Kind:
    """The kind of a report that can be read back; JSON where the suffix names none.

    Raises:
        ReportError: its kind can't.
        MissingExtraError: what its kind needs is not installed.
    """
    kind = KINDS.get(Path(path).suffix.lower(), JSON)
    if kind.parse is None:
        can = ", ".join(suffix for suffix, kind in KINDS.items() if kind.parse)
        raise ReportError(f"{path}: a {Path(path).suffix} report can't be read back; write one of {can} too")
    _require(path, kind.reader, kind)
    return kind


def parse(path: AnyPath, kind: Kind, check: Callable[[Any], T], data: bytes | None = None) -> T:
    """What `check` makes of the plain values of a file.

    Args:
        path: the file, or a name for what was read from elsewhere.
        kind: one that is `readable`.
        check: reads the values, and raises `Invalid` at the first that is wrong.
        data: what was read from elsewhere.

    Raises:
        ReportError: the file can't be read, or something in it is wrong.
    """
    assert kind.parse is not None, "a kind that is readable"
    if data is None and is_device(Path(path)):
        raise ReportError(f"{path}: a report is a file, and this is a device")
    try:
        return check(kind.parse(Path(path).read_bytes() if data is None else data))
    except FileNotFoundError:
        raise ReportError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ReportError(f"{path}: a report is a file, and this is a directory") from None
    except OSError as error:
        raise ReportError(f"{path}: the file can't be read: {reason(error)}") from error
    except Invalid as error:
        where = error.where.removeprefix(".")
        hint = "" if data is None or not isinstance(error, NotJSON) else "; standard input is read as JSON"
        problem = Problem(path=str(path), line=error.line, where=where, message=error.message + hint)
        raise ReportError(str(problem)) from None


def read_one(path: AnyPath) -> Evaluation:
    """The evaluation in a file that holds one.

    Raises:
        ReportError: as `read`; or it holds none, or several.
    """
    reports = read(path)
    if len(reports) != 1:
        raise ReportError(f"{path}: holds {count(len(reports), 'evaluation')}, not one; read_report reads them all")
    return reports[0].evaluation


def _check_name(path: AnyPath) -> None:
    """See that the system takes it for a path, of a file that may not be there yet."""
    try:
        os.stat(path)  # noqa: PTH116 - so that the text is what the system is asked for
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise ReportError(f"{path}: the file can't be written: {reason(error)}") from None
    except ValueError:
        raise ReportError(f"{str(path)!r:.80}: a path can't hold the character U+0000") from None


def _check_replaced(path: AnyPath, kind: Kind) -> None:
    """See that what is there is a report of the same kind, as far as can be told from how it begins."""
    try:
        with Path(path).open("rb") as file:
            begins = file.read(_HEAD).removeprefix(BOM_UTF8).lstrip()
    except OSError:
        # It is not there, or whoever writes will be told.
        return
    if _BASELINE.match(begins):
        raise ReportError(f"{path}: a report would take the place of the baseline; name it otherwise")
    if begins and not kind.begins.match(begins):
        suffix = Path(path).suffix.lower()
        raise ReportError(
            f"{path}: a report would take the place of a file that is no {suffix} report; name it otherwise"
        )


def _kind(path: AnyPath) -> Kind:
    if _is_step_summary(path):
        # Its name has no suffix.
        return _MARKDOWN
    suffix = Path(path).suffix
    if suffix.lower() in KINDS:
        return KINDS[suffix.lower()]
    *some, last = KINDS
    ends = f"ends with {suffix}" if suffix else "has no suffix"
    raise ReportError(f"{path}: a report is named {', '.join(some)} or {last}, and this {ends}")


def _require(path: AnyPath, module: str | None, kind: Kind) -> None:
    if module is not None and find_spec(module) is None:
        raise MissingExtraError(f"{Path(path).suffix} reports", kind.extra)


def _target(path: AnyPath) -> Path:
    """A link stays a link: what it leads to is replaced."""
    return Path(os.path.realpath(path))


def _gap(path: Path) -> bytes:
    """What keeps a report from what others wrote: a blank line, where there is something and none ends it."""
    if is_endless(path) or not path.exists():
        return b""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2))
        end = file.read()
    return b"" if end in (b"", b"\n", b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n"


def _is_step_summary(path: AnyPath) -> bool:
    named = os.environ.get(STEP_SUMMARY)
    return bool(named) and os.path.realpath(path) == os.path.realpath(named or "")
