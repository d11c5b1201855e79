"""Command line and ini file: what may be asked for, and the values it comes to."""

from __future__ import annotations

import math
import os
from fnmatch import fnmatch
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_recall.asking import Plan
    from pytest_recall.bounds import Tolerance
    from pytest_recall.suites import Suite

__all__ = [
    "DEFAULT_FILES",
    "Options",
    "add_metrics",
    "add_options",
    "check_options",
    "is_capture_file",
    "is_controller",
    "is_suite_file",
    "is_worker",
    "refusal",
    "report_paths",
]

DEFAULT_FILES = ("*.eval.yaml", "*.eval.yml", "*.eval.json", "*.eval.capture.json")
CAPTURE_SUFFIX = ".capture.json"

_METRICS = pytest.StashKey[bool]()

PLAN_OPTIONS = ("eval_concurrency", "eval_timeout", "eval_repeat")

UPDATE_FLAGS = ("eval_update", "eval_update_new")


def add_options(parser: pytest.Parser) -> None:
    """Every ``--eval-…`` option, and the ini key of each that lasts."""
    group = parser.getgroup("eval", "retrieval gates (pytest-recall)")
    add = group.addoption
    add("--eval-baseline", metavar="PATH", help="compare with the scores recorded in this file")
    add("--eval-update", action="store_true", help="record what ran in the baseline")
    add("--eval-update-new", action="store_true", help="record only what the baseline does not hold yet")
    add("--eval-prune", action="store_true", help="with an update: remove entries that nothing makes any more")
    add(
        "--eval-max-drop",
        metavar="VALUE",
        action="append",
        default=[],
        help="how much a metric may get worse: 0.02, 5%%, or for one metric mrr=0.03 (repeatable)",
    )
    add("--eval-alpha", metavar="P", help="excuse a drop while its p-value is above P and six cases or more differ")
    add(
        "--eval-report",
        metavar="PATH",
        action="append",
        default=[],
        help="write a report: .html to look at, .md for a pull request, .json .jsonl .yaml .toml (repeatable)",
    )
    add("--eval-retriever", metavar="NAME", help="fixture to evaluate, whatever the suites say")
    add("--eval-concurrency", metavar="N", help="queries asked at once, whatever the suites say")
    add("--eval-timeout", metavar="S", help="seconds a query may take, whatever the suites say")
    add("--eval-repeat", metavar="N", help="how often each query is asked, whatever the suites say")
    parser.addini("eval_baseline", "compare with the scores recorded in this file, relative to the ini file")
    parser.addini("eval_max_drop", "how much a metric may get worse: 0.02, 5%, mrr=0.03", type="args", default=[])
    parser.addini("eval_alpha", "excuse a drop while its p-value is above this")
    parser.addini("eval_retriever", "fixture to evaluate where a suite names none")
    parser.addini("eval_concurrency", "queries asked at once where a suite says nothing")
    parser.addini("eval_timeout", "seconds a query may take where a suite says nothing")
    parser.addini("eval_repeat", "how often each query is asked where a suite says nothing")
    parser.addini("eval_files", "patterns of suites and captures", type="args", default=list(DEFAULT_FILES))


def refusal(text: str) -> pytest.UsageError:
    """What to raise where an option or the ini file asks for nonsense, whatever stands in a name or a value."""
    from pytest_recall._text import printable  # noqa: PLC0415

    return pytest.UsageError(printable(text))


def is_suite_file(path: Path, config: pytest.Config) -> bool:
    """Whether a file is one of ours, by its name alone (by the end of its path, for a pattern with a slash)."""
    patterns: list[str] = config.getini("eval_files")
    return any(
        fnmatch(path.as_posix(), f"*/{pattern}") if "/" in pattern else fnmatch(path.name, pattern)
        for pattern in patterns
    )


def is_capture_file(path: Path) -> bool:
    """Whether a file of ours is a recorded agent run, and no suite."""
    return path.name.endswith(CAPTURE_SUFFIX)


def check_options(config: pytest.Config) -> None:
    """Refuse options that make no sense, before anything runs; load nothing where none is given.

    Raises:
        pytest.UsageError: with the option or the ini key, and what would be right.
    """
    given: Any = config.option
    for option in ("eval_baseline", "eval_alpha", *PLAN_OPTIONS):
        # Such as --eval-baseline=$BASELINE without that variable: a gate must not pass for it.
        if getattr(given, option) == "":
            raise refusal(f"--{option.replace('_', '-')} is empty: give a value, or leave the option out")
    _check_name("--eval-retriever", given.eval_retriever)
    _check_name("ini key eval_retriever", config.getini("eval_retriever") or None)
    updating = any(getattr(given, flag) for flag in UPDATE_FLAGS)
    if given.eval_prune and not updating:
        raise refusal("--eval-prune needs --eval-update or --eval-update-new")
    if given.eval_update and given.eval_update_new:
        raise refusal("--eval-update records everything that ran: leave --eval-update-new out, or use it alone")
    if updating and not (given.eval_baseline or config.getini("eval_baseline")):
        raise refusal("an update needs --eval-baseline=PATH or the ini key eval_baseline")
    lasting = ("eval_max_drop", "eval_alpha", *PLAN_OPTIONS)
    if any(getattr(given, name) or config.getini(name) for name in lasting):
        add_metrics(config)
        Options(config)
    if given.eval_report and not is_worker(config):
        add_metrics(config)
        _check_reports(config)
    if given.eval_baseline or given.eval_report or updating or (is_controller(config) and not given.collectonly):
        from pytest_recall.plugin.session import EvalSession  # noqa: PLC0415

        EvalSession.of(config)


def _check_reports(config: pytest.Config) -> None:
    from pytest_recall.errors import RecallError  # noqa: PLC0415
    from pytest_recall.reports import files  # noqa: PLC0415

    if "" in config.option.eval_report:
        raise refusal("--eval-report is empty: give a path, or leave the option out")
    baseline = Options(config).baseline
    junit: str | None = config.getoption("xmlpath", None)
    by_target = {} if junit is None else {os.path.realpath(config.invocation_params.dir / junit): "the JUnit file"}
    for path in report_paths(config):
        try:
            files.check_path(path)
            real = os.path.realpath(path)
            if is_suite_file(path, config) or is_suite_file(Path(real), config):
                raise RecallError(f"{path}: a report would take the place of a suite; name it otherwise")
            if baseline is not None and real == os.path.realpath(baseline):
                raise RecallError(f"{path}: a report would take the place of the baseline; name it otherwise")
            other = by_target.setdefault(real, str(path))
            if other != str(path):
                raise RecallError(f"{path}: a report would take the place of {other}; name it otherwise")
        except RecallError as error:
            raise refusal(f"--eval-report: {error}") from None


def report_paths(config: pytest.Config) -> list[Path]:
    """The reports that are asked for, each once, by paths that differ."""
    folder = config.invocation_params.dir
    return list(dict.fromkeys(folder / name for name in config.option.eval_report))


def _check_name(origin: str, name: str | None) -> None:
    if name is not None and (not name.isidentifier() or iskeyword(name)):
        raise refusal(f"{origin}: {name!r} is no name of a fixture")


def add_metrics(config: pytest.Config) -> None:
    """Make the metrics of the hook `pytest_recall_metrics` known, until the run ends.

    Raises:
        pytest.UsageError: one of them is none.
    """
    if _METRICS in config.stash:
        return
    from pytest_recall.errors import MetricError  # noqa: PLC0415
    from pytest_recall.metrics import forget_metrics, register_metrics  # noqa: PLC0415

    metrics = [metric for given in config.hook.pytest_recall_metrics(config=config) for metric in given or ()]
    try:
        register_metrics(metrics)
    except MetricError as error:
        raise refusal(f"hook pytest_recall_metrics: {error}") from None
    config.stash[_METRICS] = True
    config.add_cleanup(lambda: forget_metrics(metrics))


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of pytest-xdist's workers."""
    return hasattr(config, "workerinput")


def is_controller(config: pytest.Config) -> bool:
    """This process only hands out tests to pytest-xdist's workers."""
    return not is_worker(config) and config.getoption("dist", "no") != "no"


class Options:
    """The values that options and ini keys come to.

    Attributes:
        baseline: the baseline file, None without one.
        baseline_name: as the user wrote it.
        required: the baseline was asked for on the command line, so it has to be used.
        updating: something is recorded at the end.
        reports: files that a report is written to at the end.
        plan: how queries are asked, whatever a suite says.
        ini_plan: the same where a suite says nothing.
    """

    def __init__(self, config: pytest.Config) -> None:
        given: Any = config.option
        ini_name = config.getini("eval_baseline")
        self.required: bool = bool(given.eval_baseline)
        self.baseline_name: str = given.eval_baseline or ini_name
        folder = config.invocation_params.dir if self.required or config.inipath is None else config.inipath.parent
        self.baseline: Path | None = folder / self.baseline_name if self.baseline_name else None
        self.update: bool = given.eval_update
        self.update_new: bool = given.eval_update_new
        self.prune: bool = given.eval_prune
        self.reports: list[Path] = report_paths(config)
        self.retriever: str | None = given.eval_retriever
        self.ini_retriever: str = config.getini("eval_retriever") or "retriever"
        self.max_drop: dict[str, Tolerance] = _tolerances("--eval-max-drop", given.eval_max_drop)
        self.ini_max_drop: dict[str, Tolerance] = _tolerances("ini key eval_max_drop", config.getini("eval_max_drop"))
        self.alpha: float | None = _alpha("--eval-alpha", given.eval_alpha)
        self.ini_alpha: float | None = _alpha("ini key eval_alpha", config.getini("eval_alpha"))
        self.plan: Plan = _plan("--eval-", {name: getattr(given, name) for name in PLAN_OPTIONS})
        self.ini_plan: Plan = _plan("ini key eval_", {name: config.getini(name) for name in PLAN_OPTIONS})

    @property
    def updating(self) -> bool:
        return self.update or self.update_new

    def fixture_of(self, suite: Suite) -> str:
        """The name of the fixture that a suite judges."""
        if suite.labels:
            return suite.retriever or suite.role
        return self.retriever or suite.retriever or self.ini_retriever


def _tolerances(origin: str, values: list[str]) -> dict[str, Tolerance]:
    """Tolerance by metric, from ``0.02`` (for all of them, the key "") and ``mrr=0.03``."""
    from pytest_recall.bounds import check_bound, parse_tolerance  # noqa: PLC0415
    from pytest_recall.errors import MetricError  # noqa: PLC0415
    from pytest_recall.metrics import parse_metric  # noqa: PLC0415

    tolerances = {}
    for value in values:
        metric, equals, amount = value.rpartition("=")
        try:
            tolerance = parse_tolerance(amount, for_all=not equals)
            parsed = parse_metric(metric) if equals else None
            if parsed is not None:
                wrong = check_bound(parsed, "max_drop" if parsed.better == "higher" else "max_rise", tolerance)
                if wrong:
                    raise MetricError(wrong)
        except MetricError as error:
            raise refusal(f"{origin}: {error}") from None
        tolerances[str(parsed or "")] = tolerance
    return tolerances


def _alpha(origin: str, value: str | None) -> float | None:
    from pytest_recall.bounds import parse_alpha  # noqa: PLC0415
    from pytest_recall.errors import MetricError  # noqa: PLC0415

    try:
        return parse_alpha(value) if value else None
    except MetricError as error:
        raise refusal(f"{origin}: {error}") from None


def _plan(prefix: str, written: dict[str, str | None]) -> Plan:
    from pytest_recall.asking import Plan  # noqa: PLC0415

    readers: dict[str, Callable[[str, str], Any]] = {"concurrency": _count, "timeout": _seconds, "repeat": _count}
    given = {name: written[f"eval_{name}"] for name in readers}
    return Plan(**{name: readers[name](f"{prefix}{name}", value) for name, value in given.items() if value})


def _count(origin: str, value: str) -> int:
    if value.isdecimal() and value.isascii() and int(value[:9]) > 0:
        return int(value)
    raise refusal(f"{origin}: must be a whole number from 1, got {value!r}")


def _seconds(origin: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if 0 < seconds < math.inf:
        return seconds
    raise refusal(f"{origin}: must be a number of seconds above 0, got {value!r}")
