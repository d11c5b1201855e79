from __future__ import annotations

import gzip
from typing import Any

import pytest

from pytest_recall.formats import Document, read_documents, read_queries
from tests.unit.formats.builders import mistake, stream

# As TREC-6, TREC-4 (no titles) and TREC-2 (a label before the title) have them.
TOPICS = """\
<top>

<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations that participate.

<narr> Narrative:
A relevant document must name one.

</top>

<top>
<num>  Number: 202
<desc> Description:
Status of nuclear proliferation treaties -- violations &amp; monitoring.
</top>
<TOP>
<NUM>101</NUM>
<TITLE>Topic:  Design of the "Star Wars" R&D; 3 < 4</TITLE>
</TOP>
"""

DOCUMENTS = """\
<DOC>
<DOCNO> FT911-1 </DOCNO>
<HEADLINE>
FT  14 MAY 91 / Rent &amp; leases
</HEADLINE>
<TEXT>
The lease ends
on <F P=102>31</F> May.
</TEXT>
<TEXT>
And then?
</TEXT>
</DOC>

<DOC>
<DOCNO>FT911-2</DOCNO>
</DOC>
"""


def test_queries_are_json_lines() -> None:
    text = '{"_id": "1", "text": "a\\tb", "metadata": {"x": 1}}\n\n{"id": 2, "query": "no"}\n'
    assert read_queries(stream(text)) == {"1": "a\tb", "2": "no"}


def test_queries_are_tab_separated_lines() -> None:
    assert read_queries(stream("\ufeff301\tcrime, organized\r\n \n302\t {not} JSON \n")) == {
        "301": "crime, organized",
        "302": "{not} JSON",
    }


def test_queries_are_the_titles_of_topics() -> None:
    assert read_queries(stream(TOPICS)) == {
        "301": "International Organized Crime",
        "202": "Status of nuclear proliferation treaties -- violations & monitoring.",
        "101": 'Design of the "Star Wars" R&D; 3 < 4',
    }


def test_documents_are_json_lines() -> None:
    text = (
        '{"_id": "1", "title": "T", "text": "x", "metadata": {}}\n{"key": "2", "text": "", "metadata": {"url": "u"}}\n'
    )
    assert read_documents(stream(gzip.compress(text.encode()))) == [
        Document(id="1", title="T", text="x"),
        Document(id="2", text="", metadata={"url": "u"}),
    ]


def test_documents_are_tab_separated_lines() -> None:
    assert read_documents(stream("a\tx\nb\t\n")) == [Document(id="a", text="x"), Document(id="b", text="")]


def test_documents_are_those_of_trec() -> None:
    assert read_documents(stream(DOCUMENTS)) == [
        Document(id="FT911-1", title="FT 14 MAY 91 / Rent & leases", text="The lease ends on 31 May. And then?"),
        Document(id="FT911-2", text=""),
    ]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_queries, "", "f: the file holds no query"),
        (read_queries, "\n", "f: the file holds no query"),
        (read_queries, "301 crime\n", "f:1: must be 'id<tab>text', got '301 crime'"),
        (read_queries, "1\ta\tb\n", "f:1: must be 'id<tab>text', got '1<tab>a<tab>b'"),
        (read_queries, "1\ta\n1\tb\n", "f:2: the query '1' is here twice, first on line 1"),
        (read_queries, "1\ta\n2\t \n", "f:2: the query '2' is blank"),
        (read_queries, "\ta\n", "f:1: the id is blank"),
        (read_queries, b"1\ta\n2\t\xff\n", "f:2: not UTF-8: byte 0xff; save the file as UTF-8"),
        (read_queries, '{"text": "a"}', "f:1: the key '_id', 'id' or 'key' is missing"),
        (read_queries, '{"_id": "1"}', "f:1: the key 'text' or 'query' is missing"),
        (read_queries, '{"_id": null, "text": "a"}', "f:1: _id must be text, got null"),
        (read_queries, '{"_id": "1", "text": "a", "_id": "2"}', "f:1: the key '_id' is here twice"),
        (read_queries, "<top>\n<num> 1 <title> a\n<top>\n</top>", "f:1: <top> is not closed by </top>"),
        (read_queries, "<top>\n<num> 1 <title> a\n</top>\n<top>\n", "f:4: <top> is not closed by </top>"),
        (read_queries, "<top>\n<title> a\n</top>", "f:1: the id is blank"),
        (read_queries, "<topics/>", "f: the file holds no query"),
        (read_documents, '{"_id": "1", "query": "a"}', "f:1: the key 'text' is missing"),
        (read_documents, '{"_id": "1", "text": "a", "title": 3}', "f:1: title must be text, got a number"),
        (read_documents, '{"_id": "1", "text": ["a"]}', "f:1: text must be text, got a list"),
        (read_documents, "<DOC>\n</DOC>", "f:1: the id is blank"),
        (read_documents, "a\tx\na\ty\n", "f:2: the document 'a' is here twice, first on line 1"),
    ],
)
def test_mistake_is_told_with_its_line(read: Any, text: str | bytes, message: str) -> None:
    assert mistake(read, text) == message
