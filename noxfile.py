"""The project's checks, each in an environment of its own; ``nox --list`` names them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import nox

nox.options.download_python = "never"
nox.options.sessions = ["lint", "types", "layers", "docs", "build", "examples", "tests"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# With 7.4.4 comes pytest-asyncio 0.23.8, the last release for it, whose event loops are asked for by another keyword.
PYTESTS = ("7.4.4", "8.4.2", "newest")

# The few that together meet each end of every axis: `nox --tags corner`.
CORNERS = {
    ("3.10", "7.4.4", True),
    ("3.10", "newest", False),
    ("3.13", "8.4.2", False),
    ("3.13", "newest", True),
}

MATRIX = [
    nox.param(
        python,
        pytest,
        xdist,
        id=f"python-{python}, pytest-{pytest}{', xdist' if xdist else ''}",
        tags=["corner"] if (python, pytest, xdist) in CORNERS else [],
    )
    for python, pytest, xdist in product(PYTHONS, PYTESTS, (False, True))
]


@nox.session
@nox.parametrize("python,pytest,xdist", MATRIX)
def tests(session: nox.Session, pytest: str, xdist: bool) -> None:  # noqa: FBT001 - nox passes parameters by name
    """Run the tests on the built wheel."""
    session.install(".[test]", "pytest" if pytest == "newest" else f"pytest=={pytest}")
    if xdist:
        session.run("pytest", "-n2", *session.posargs)
    else:
        session.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "pytest-xdist", "execnet")
        session.run("pytest", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests and report branch coverage, further processes included."""
    session.install("-e", ".[dev,test]")
    session.env["COVERAGE_FILE"] = str(Path(session.create_tmp(), "coverage"))
    session.run("coverage", "run", "-m", "pytest", "-n2", *session.posargs)
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report")


@nox.session
def ecosystem(session: nox.Session) -> None:
    """Retrieve with the libraries that people have, through the conftests of the recipes."""
    session.install(".[ecosystem]")
    # Of Haystack, Chroma and LangChain.
    for name in ("HAYSTACK_TELEMETRY_ENABLED", "ANONYMIZED_TELEMETRY", "LANGSMITH_TRACING"):
        session.env[name] = "False"
    session.run("pytest", "tests/ecosystem", "--require-all", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check types: those of the code, and that users' checkers know every public one."""
    session.install("-e", ".[dev,docs,test]")
    session.run("mypy")
    session.run("pyright", "--verifytypes", "pytest_recall", "--ignoreexternal")


@nox.session
def layers(session: nox.Session) -> None:
    """Check that imports point down."""
    session.install("-e", ".[dev]")
    session.run("lint-imports", "--no-cache")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation, warnings as errors."""
    session.install(".[docs]")
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "--quiet", "docs", f"{session.create_tmp()}/html")


@nox.session
def build(session: nox.Session) -> None:
    """Make the sdist and, from it, the wheel; check both."""
    session.install(".[dev]")
    dist = Path(session.create_tmp(), "dist")
    session.run("python", "-m", "build", "--outdir", str(dist))
    session.run("twine", "check", "--strict", *map(str, dist.iterdir()))


@nox.session
def examples(session: nox.Session) -> None:
    """Run the examples against their baseline with nothing but the package."""
    session.install(".")
    session.run("pytest", "examples", "--eval-baseline=examples/baseline.json")
