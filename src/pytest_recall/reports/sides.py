"""What a file holds that can be compared: the evaluations of a report, or the entries of a baseline."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_recall._files import strict_json
from pytest_recall._files.values import Invalid
from pytest_recall.baseline import Baseline, Entry, Key, suite_key
from pytest_recall.baseline.checking import check
from pytest_recall.evaluation import Evaluation
from pytest_recall.reports import files
from pytest_recall.reports.record import from_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["Side", "alike", "paired_with_a_copy", "read_side"]

Scores = Evaluation | Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two files.

    Attributes:
        name: as the user named it.
        entries: by suite and system, in the order of the file.
        is_baseline: it holds entries, and no evaluations.
        folder: where it is; None where that is not known.
    """

    name: str
    entries: Mapping[Key, Scores]
    is_baseline: bool
    folder: Path | None = None


def read_side(path: str, data: bytes | None = None) -> Side:
    """A report of any kind that can be read back, or a baseline, which is JSON whatever it is called.

    Args:
        path: the file, or a name for what was read from elsewhere.
        data: JSON that was read from elsewhere.

    Raises:
        ReportError: the file can't be read, or something in it is wrong.
        MissingExtraError: what its kind needs is not installed.
    """
    kind = files.JSON if data is not None else files.readable(path)
    held = files.parse(path, _EITHER if kind is files.JSON else kind, _check, data)
    folder = Path(path).parent if data is None else None
    if isinstance(held, Baseline):
        return Side(name=path, entries=held.entries, is_baseline=True, folder=folder)
    return Side(name=path, entries=held, is_baseline=False, folder=folder)


def _parse(data: bytes) -> Any:
    return strict_json.load(data, noun="a report or a baseline", again="make it again")


_EITHER = replace(files.JSON, parse=_parse)


def _check(value: Any) -> Baseline | dict[Key, Scores]:
    if isinstance(value, dict) and not {"suites", "evaluations"} & value.keys():
        raise Invalid("neither a report nor a baseline of pytest-recall")
    if isinstance(value, dict) and "suites" in value:
        return check(value)
    evaluations = [report.evaluation for report in from_record(value)]
    return {(evaluation.suite, evaluation.system): evaluation for evaluation in evaluations}


def alike(one: Side, other: Side) -> tuple[Side, Side]:
    """The two sides under the same names.

    A baseline names a suite from its own folder, a report from where pytest ran, which is taken to be the working
    directory; where that does not lead to a suite of the report, the one whose path ends alike is meant.
    """
    if one.is_baseline == other.is_baseline:
        return one, other
    return (_named_as(one, other.entries), other) if one.is_baseline else (one, _named_as(other, one.entries))


def _named_as(baseline: Side, names: Collection[Key]) -> Side:
    found: dict[Key, Key] = {}

    def from_here(key: Key) -> Key:
        return key if baseline.folder is None else (suite_key(key[0], baseline.folder, Path()), key[1])

    def by_its_end(key: Key) -> Key | None:
        ends = [name for name in names if name[1] == key[1] and _end_alike(name[0], key[0])]
        return ends[0] if len(ends) == 1 else None

    namers: tuple[Callable[[Key], Key | None], ...] = (from_here, lambda key: key, by_its_end)
    for namer in namers:
        for key in baseline.entries:
            name = namer(key)
            if name is not None and key not in found and name in names and name not in found.values():
                found[key] = name
    entries = {found.get(key) or from_here(key): entry for key, entry in baseline.entries.items()}
    return replace(baseline, entries=entries)


def paired_with_a_copy(before: Side, now: Side) -> dict[Key, Key]:
    """What only the later side holds, though its copy is compared: key → the key of the copy.

    Where a project is checked out into a folder of another one, with its baseline, and pytest runs both, that baseline
    is the copy's by its name, and meant for the other.
    """
    if not before.is_baseline or now.is_baseline or before.folder is None:
        return {}
    folder = Path(os.path.abspath(before.folder))  # noqa: PTH100 - as it is named, whatever a link leads to
    found: dict[Key, Key] = {}
    for suite, system in [key for key in now.entries if key in before.entries]:
        copy = Path(suite)
        for parent in copy.parents[:-1]:
            own = copy.relative_to(parent).as_posix(), system
            if own in now.entries and own not in before.entries and Path.cwd() / parent in (folder, *folder.parents):
                found[own] = suite, system
    return found


def _end_alike(one: str, other: str) -> bool:
    """The path of one suite is the end of the other's, as far as they are below some folder."""
    parts = [[part for part in suite.split("/") if part != ".."] for suite in (one, other)]
    short, long = sorted(parts, key=len)
    return long[-len(short) :] == short
