"""``pytest-recall convert``: what is asked for, and where the suite goes."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_recall._text import count
from pytest_recall.cli.collections import judged_collection, kimetsu_fixture
from pytest_recall.cli.output import check_target, note, standard_input, write_document
from pytest_recall.errors import RecallError, SuiteError
from pytest_recall.suites import load_suite
from pytest_recall.suites.writing import render_suite

if TYPE_CHECKING:
    from pytest_recall.cli.collections import Collection
    from pytest_recall.formats import Source

__all__ = ["configure"]

_MOST_MISTAKES = 10
_SPLIT = "test"


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = "Make a suite from a collection in another format. What is left out or changed is told."
    formats = parser.add_subparsers(metavar="FORMAT", required=True, title="formats")
    where = argparse.ArgumentParser(add_help=False)
    where.add_argument("-o", "--output", metavar="FILE", help="the suite to write (default: standard output)")
    where.add_argument("--force", action="store_true", help="replace the file if it is there already")
    where.add_argument("-k", type=_count, metavar="N", help="results to ask for per query (default: the suite's, 10)")

    beir = formats.add_parser("beir", parents=[where], help="a folder as BEIR lays it out")
    beir.description = (
        "A folder with corpus.jsonl, queries.jsonl (each perhaps .gz) and qrels/test.tsv. The suite names these files "
        "and stays small; with --inline it holds what is in them."
    )
    beir.add_argument("folder", metavar="DIR", help="the folder")
    beir.add_argument("--split", metavar="NAME", help=f"judgments in qrels/NAME.tsv (default: {_SPLIT})")
    beir.add_argument("--qrels", metavar="FILE", help="judgments in another file, BEIR's or TREC's")
    beir.add_argument("--inline", action="store_true", help="write the memories and cases into the suite")
    beir.set_defaults(run=_run, text=_beir)

    kimetsu = formats.add_parser("kimetsu", parents=[where], help="a fixture of kimetsu's brain eval")
    kimetsu.description = "A JSON fixture of kimetsu's brain eval: memories with keys, cases with relevant keys."
    kimetsu.add_argument("file", metavar="FILE", help="the fixture, or - for standard input")
    kimetsu.set_defaults(run=_run, text=_kimetsu)

    trec = formats.add_parser("trec", parents=[where], help="judgments and queries as TREC has them")
    trec.description = (
        "Judgments (TREC's or BEIR's qrels), queries and perhaps the documents. Queries and documents are JSON lines, "
        "lines of id<tab>text, or TREC's <top> and <DOC>, told by content. Any one of the files may be - for standard "
        "input, and each may be gzipped."
    )
    trec.add_argument("qrels", metavar="QRELS", help="the judgments")
    trec.add_argument("queries", metavar="QUERIES", help="the queries")
    trec.add_argument("--corpus", metavar="FILE", help="the documents (default: the retriever has its own)")
    trec.set_defaults(run=_run, text=_trec)


def _count(written: str) -> int:
    if not written.isdecimal() or not 1 <= int(written) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 1,000,000, got {written!r}")
    return int(written)


def _run(given: argparse.Namespace) -> int:
    if given.output is not None and given.output.endswith(".json"):
        raise RecallError(f"{given.output}: a suite is written as YAML; give it a name such as notes.eval.yaml")
    check_target(given.output, force=given.force)
    write_document(given.text(given), given.output)
    return 0


def _settings(given: argparse.Namespace) -> dict[str, int]:
    return {} if given.k is None else {"k": given.k}


def _beir(given: argparse.Namespace) -> str:
    files = _BeirFiles.find(Path(given.folder), given.split, given.qrels)
    if given.inline:
        return _inline(judged_collection(files.qrels, files.queries, files.corpus), given)
    base = Path(given.output or "").parent
    corpus, queries, qrels = (_reference(path, base) for path in (files.corpus, files.queries, files.qrels))
    return _loaded(render_suite({"queries": queries, "qrels": qrels}, {"path": corpus}, _settings(given)), base)


def _kimetsu(given: argparse.Namespace) -> str:
    return _inline(kimetsu_fixture(_source(given.file)), given, "<stdin>" if given.file == "-" else given.file)


def _trec(given: argparse.Namespace) -> str:
    if [given.qrels, given.queries, given.corpus].count("-") > 1:
        raise RecallError("only one of the files can be standard input")
    corpus = None if given.corpus is None else _source(given.corpus)
    return _inline(judged_collection(_source(given.qrels), _source(given.queries), corpus), given)


def _source(path: str) -> Source:
    return standard_input() if path == "-" else path


def _inline(collection: Collection, given: argparse.Namespace, file: str = "") -> str:
    """The text of a suite that holds the collection, perhaps of a single file, and that is known to load."""
    with TemporaryDirectory() as folder:
        text = _loaded(
            render_suite(collection.cases, collection.memories, _settings(given)), Path(folder), folder, file
        )
    for line in collection.notes:
        note(line)
    return text


def _loaded(text: str, folder: Path, root: str = ".", file: str = "") -> str:
    """The text of a suite that is known to load in a folder; it is there for that long."""
    try:
        suite = NamedTemporaryFile(dir=folder, prefix=".pytest-recall-", suffix=".eval.yaml")  # noqa: SIM115 - see below
    except OSError as error:
        raise RecallError(f"{folder}: the folder can't be written: {error.strerror or error}") from None
    with suite:
        suite.write(text.encode())
        suite.flush()
        try:
            load_suite(suite.name, root=root)
        except SuiteError as error:
            told = _told(error, Path(suite.name).name)
            raise RecallError(f"{file}: {told}" if file else told) from None
    return text


def _told(error: SuiteError, suite: str) -> str:
    """The mistakes of a suite that nobody will see, by where they are in it; those of its files by file and line."""
    lines = [
        f"{problem.where}: {problem.message}".removeprefix(": ") if problem.path.endswith(suite) else str(problem)
        for problem in error.problems
    ]
    more = len(lines) - _MOST_MISTAKES
    rest = [f"and {count(more, 'more mistake')}"] if more > 0 else []
    return "\n".join(["the collection makes no suite, and nothing is written:", *lines[:_MOST_MISTAKES], *rest])


@dataclass(frozen=True, slots=True, kw_only=True)
class _BeirFiles:
    corpus: Path
    queries: Path
    qrels: Path

    @classmethod
    def find(cls, folder: Path, split: str | None, qrels: str | None) -> _BeirFiles:
        """The files of a collection; those of one split, or with judgments from elsewhere."""
        if split is not None and qrels is not None:
            raise RecallError("--split and --qrels both name the judgments: leave one out")
        return cls(
            corpus=_existing(folder, "corpus.jsonl"),
            queries=_existing(folder, "queries.jsonl"),
            qrels=Path(qrels) if qrels is not None else _existing(folder, f"qrels/{split or _SPLIT}.tsv"),
        )


def _existing(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    others = sorted(path.name.partition(".")[0] for path in (folder / name).parent.glob("*.tsv*"))
    hint = f"; --split names another: {', '.join(others)}" if others else ""
    raise RecallError(f"{folder}: there is no {name} in this folder{hint}")


def _reference(path: Path, base: Path) -> str:
    """The path as a suite in the folder `base` names it, which has to be below the working directory."""
    if not path.is_file():
        raise RecallError(f"{path}: there is no such file")
    root, real = Path(os.path.realpath(".")), Path(os.path.realpath(path))
    if root not in real.parents:
        raise RecallError(
            f"{path}: a suite may only name files below the working directory; use --inline, or move the collection"
        )
    return Path(os.path.relpath(path, base)).as_posix()
