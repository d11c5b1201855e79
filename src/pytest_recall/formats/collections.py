"""The documents and queries of a collection: JSON lines, tab-separated lines, or TREC's tags, told by content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_recall.formats.files import opened
from pytest_recall.formats.jsonl import kind_of, parse_object
from pytest_recall.formats.markup import element_text, elements, field_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_recall.formats.files import File, Source

__all__ = ["Document", "read_documents", "read_queries"]

_IDS = ("_id", "id", "key")
_TITLE_TAGS = ("title", "headline", "hl", "ttl", "head")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document, or a query, which has no title and no metadata.

    >>> Document(id="lease", text="it ends in May", title="The lease").title
    'The lease'
    """

    id: str
    text: str
    title: str = ""
    metadata: Any = None


def read_documents(source: Source, *, name: str | None = None) -> list[Document]:
    r"""The documents of a collection, in file order.

    They are JSON lines with ``_id`` (or ``id``, ``key``), ``text``, and perhaps ``title`` and ``metadata``; lines of
    ``id<tab>text``; or TREC's ``<DOC>`` with ``<DOCNO>``, a title and ``<TEXT>``.

    Args:
        source: a path or an open stream, gzipped or not.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: the file can't be read, or holds something that is no document, or one id twice.

    >>> import io
    >>> read_documents(io.StringIO('{"_id": "lease", "title": "", "text": "it ends in May"}\n'))[0].text
    'it ends in May'
    """
    with opened(source, name) as file:
        return _read(file, "document", ("text",), _tagged_documents)


def read_queries(source: Source, *, name: str | None = None) -> dict[str, str]:
    r"""The queries of a collection: id → text, in file order.

    They are JSON lines with ``_id`` (or ``id``, ``key``) and ``text`` (or ``query``); lines of ``id<tab>text``; or
    TREC's topics, ``<top>`` with ``<num>`` and ``<title>`` (or ``<desc>``, where there is no title).

    Args:
        source: a path or an open stream, gzipped or not.
        name: what messages call it; by default the path, or the name of the stream.

    Raises:
        FormatError: the file can't be read, or holds something that is no query, or one id twice.

    >>> import io
    >>> read_queries(io.StringIO('{"_id": "q1", "text": "when does the lease end?"}\n'))
    {'q1': 'when does the lease end?'}
    """
    with opened(source, name) as file:
        queries = _read(file, "query", ("text", "query"), _tagged_queries)
    return {query.id: query.text for query in queries}


def _read(
    file: File, kind: str, text_keys: tuple[str, ...], tagged: Callable[[File], Iterator[tuple[int, Document]]]
) -> list[Document]:
    if file.first_byte() == b"{":
        rows = _from_json(file, text_keys)
    elif file.first_byte() == b"<":
        rows = tagged(file)
    else:
        rows = _from_table(file)
    documents = _checked(rows, file, kind)
    if not documents:
        raise file.error(f"the file holds no {kind}")
    return documents


def _checked(rows: Iterable[tuple[int, Document]], file: File, kind: str) -> list[Document]:
    lines: dict[str, int] = {}
    documents = []
    for line, document in rows:
        first = lines.setdefault(document.id, line)
        if not document.id.strip():
            raise file.error("the id is blank", line)
        if first != line:
            raise file.error(f"the {kind} {document.id!r:.80} is here twice, first on line {first}", line)
        if kind == "query" and not document.text.strip():
            raise file.error(f"the query {document.id!r:.80} is blank", line)
        documents.append(document)
    return documents


def _from_json(file: File, text_keys: tuple[str, ...]) -> Iterator[tuple[int, Document]]:
    for line, data in file.lines():
        if data.isspace():
            continue
        record = parse_object(data, file, line)
        id = _field(record, _IDS, file, line)
        text = _field(record, text_keys, file, line)
        title = record.get("title", "")
        if not isinstance(title, str):
            raise file.error(f"title must be text, got {kind_of(title)}", line)
        yield line, Document(id=id, text=text, title=title, metadata=record.get("metadata") or None)


def _field(record: dict[str, Any], names: Iterable[str], file: File, line: int) -> str:
    """A text that goes by one of several names; a whole number becomes text."""
    for name in names:
        value = record.get(name)
        if type(value) in (str, int):
            return str(value)
        if name in record:
            raise file.error(f"{name} must be text, got {kind_of(value)}", line)
    *others, last = map(repr, names)
    raise file.error(f"the key {', '.join(others)}{' or ' if others else ''}{last} is missing", line)


def _from_table(file: File) -> Iterator[tuple[int, Document]]:
    for line, data in file.lines():
        if data.isspace():
            continue
        fields = file.decode(data, line).rstrip("\r\n").split("\t")
        if len(fields) != 2:
            raise file.error(f"must be 'id<tab>text', got {'<tab>'.join(fields)!r:.80}", line)
        yield line, Document(id=fields[0].strip(), text=fields[1].strip())


def _tagged_documents(file: File) -> Iterator[tuple[int, Document]]:
    for line, element in elements(file, "DOC"):
        id = element_text(element, "docno")
        yield line, Document(id=id, title=element_text(element, *_TITLE_TAGS), text=element_text(element, "text"))


def _tagged_queries(file: File) -> Iterator[tuple[int, Document]]:
    for line, element in elements(file, "top"):
        text = field_text(element, "title", "Topic") or field_text(element, "desc", "Description")
        yield line, Document(id=field_text(element, "num", "Number"), text=text)
