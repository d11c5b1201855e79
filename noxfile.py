"""The project's checks, each in an environment of its own; ``nox --list`` names them."""

from __future__ import annotations

import shutil
import sys
from itertools import product
from pathlib import Path

import nox

nox.options.download_python = "never"
nox.options.sessions = ["lint", "types", "layers", "docs", "build", "examples"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# With the first two comes pytest-asyncio 0.23.8, the last for them, whose event loops are asked for by another keyword.
PYTESTS = ("7.4.4", "8.0.2", "8.4.2", "9.0.3", "newest")
XDIST = ("pytest-xdist", "execnet")
LOOPS = ("pytest-asyncio", "anyio")

# What knows no pytest is tested with the oldest of both and with the newest of both.
WHOLE = (("3.10", "7.4.4"), ("3.13", "newest"))

# The few that together meet each value of each axis: `nox --tags corner`.
CORNERS = {
    ("3.10", "7.4.4", True, True),
    ("3.10", "newest", False, False),
    ("3.13", "newest", True, True),
    ("3.11", "8.0.2", False, True),
    ("3.12", "8.0.2", True, False),
    ("3.13", "8.4.2", False, False),
    ("3.11", "9.0.3", True, False),
    ("3.12", "9.0.3", False, True),
}

MATRIX = [
    nox.param(
        *cell,
        id=f"python-{python}, pytest-{pytest}{', xdist' if xdist else ''}{', loops' if loops else ''}",
        tags=["corner"] if cell in CORNERS else [],
    )
    for cell in product(PYTHONS, PYTESTS, (False, True), (False, True))
    for python, pytest, xdist, loops in [cell]
]


@nox.session
@nox.parametrize("python,pytest,xdist,loops", MATRIX)
def matrix(session: nox.Session, pytest: str, xdist: bool, loops: bool) -> None:  # noqa: FBT001 - parameters by name
    """Run the tests on the built wheel, with and without pytest-xdist and the plugins of event loops."""
    session.install(".[test]", "pytest" if pytest == "newest" else f"pytest=={pytest}")
    missing = [*(() if xdist else XDIST), *(() if loops else LOOPS)]
    if missing:
        session.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", *missing)
    some = () if (session.python, pytest) in WHOLE else ("tests/plugin",)
    session.run("pytest", *(["-n2"] if xdist else []), *some, *session.posargs)


@nox.session(python="3.10")
def lowest(session: nox.Session) -> None:
    """Run the tests with the oldest release of everything that the package may need."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    extras = ("html", "toml", "answers", "sklearn")
    bounds = [
        *project["dependencies"],
        *(bound for extra in extras for bound in project["optional-dependencies"][extra]),
    ]
    constraints = Path(session.create_tmp(), "constraints.txt")
    # The scikit-learn of that time knows no later numpy.
    constraints.write_text(
        "".join(f"{bound.replace('>=', '==')}\n" for bound in [*bounds, "numpy<2"]), encoding="utf-8"
    )
    tools = ("hypothesis", "jsonschema", "pytest-xdist")
    session.install("--constraint", str(constraints), f".[{','.join(extras)}]", *tools)
    # The rest of the plugin meets the oldest pytest in the matrix.
    some = (f"tests/plugin/test_{subject}.py" for subject in ("gates", "hooks", "report"))
    session.run("pytest", "-n2", "tests/unit", *some, *session.posargs)


@nox.session
def neighbours(session: nox.Session) -> None:
    """Run the examples, and what depends on them, with the plugins installed that people have."""
    session.install(".[neighbours]")
    session.run("pytest", "examples", "--eval-baseline=examples/baseline.json")
    session.run("pytest", "tests/neighbours", "--require-all", *session.posargs)


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
    """Make the sdist and, from it, the wheel; check both, and run the examples with the wheel alone."""
    session.install(".[dev]")
    dist, new = Path(session.create_tmp(), "dist"), Path(session.create_tmp(), "new")
    for made in (dist, new):
        shutil.rmtree(made, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(dist))
    session.run("twine", "check", "--strict", *map(str, dist.iterdir()))
    session.run("python", "-m", "venv", str(new))
    python = str(new / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    session.run(python, "-m", "pip", "install", "--quiet", *map(str, dist.glob("*.whl")), external=True)
    session.run(python, "-m", "pytest", "examples", "--eval-baseline=examples/baseline.json", external=True)


@nox.session
def examples(session: nox.Session) -> None:
    """Run the examples against their baseline with nothing but the package."""
    session.install(".")
    session.run("pytest", "examples", "--eval-baseline=examples/baseline.json")
