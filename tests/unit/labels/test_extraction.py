"""Which label a text names."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_recall.errors import RecallError
from pytest_recall.labels import LabelSpec, extract_label, named_labels

ACTS = [LabelSpec("DORA", ("dora act",)), LabelSpec("AIAct", ("AI Act", "ai-act")), LabelSpec("EU", ("EU AI Act",))]


@pytest.mark.parametrize(
    ("output", "label"),
    [
        ("The answer is dora.", "DORA"),
        ("DORA", "DORA"),
        ("DORA: the Dora Act", "DORA"),  # twice, and by an alias, is still one label
        ("see the AI\n  Act", "AIAct"),
        ("by ai-act", "AIAct"),
        ("under the EU AI Act", "EU"),  # the longer match of another label
        ("the EU AI Act, or the AI Act alone", None),  # here both are named
        ("DORA and the AI Act", None),
        ("none apply", None),
        ("", None),
        ("doraemon", None),
        ("pandora", None),
        ("dora2", None),
        ("2dora", None),
        ("dora_act", None),
        ("_dora_", None),
        ("éDORA", None),
        ("non-dora", "DORA"),
        ("'dora'", "DORA"),
        ("dora's", "DORA"),
        ('{"label": "DORA"}', "DORA"),
        ("**DORA**", "DORA"),
        ("(dora)", "DORA"),
    ],
)
def test_label_of_an_output(output: str, label: str | None) -> None:
    assert extract_label(output, ACTS) == label


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("Straße", "die STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("café", "CAFE\u0301"),
        ("İstanbul", "i\u0307stanbul"),
        ("c++", "in C++."),
        ("1.5", "version 1.5"),
        ("第一类", "第一类"),
        ("not-spam", "not\u2011spam"),
        ("not\u2010spam", "NOT-SPAM"),
    ],
)
def test_case_and_unicode_form_do_not_matter(name: str, output: str) -> None:
    assert extract_label(output, [LabelSpec(name), LabelSpec("other")]) == name


def test_every_hyphen_keeps_a_name_together() -> None:
    assert extract_label("not\u2011spam", [LabelSpec("spam"), LabelSpec("not-spam")]) == "not-spam"


def test_specs_must_be_specs() -> None:
    with pytest.raises(RecallError) as caught:
        extract_label("b", ["a", "b"])  # type: ignore[list-item]
    assert str(caught.value) == "specs[0] must be a LabelSpec, not str 'a'"


@pytest.mark.parametrize(("specs", "kind"), [(None, "NoneType"), ("ab", "str"), (iter(ACTS), "list_iterator")])
def test_specs_must_be_a_sequence(specs: Any, kind: str) -> None:
    for read in (extract_label, named_labels):
        with pytest.raises(RecallError) as caught:
            read("b", specs)
        assert str(caught.value) == f"specs must be a sequence of LabelSpec, not {kind}"


def test_aliases_must_be_texts() -> None:
    with pytest.raises(RecallError) as caught:
        LabelSpec("a", None)  # type: ignore[arg-type]
    assert str(caught.value) == "label 'a': aliases must be a sequence of texts, not None"


def test_a_name_is_no_pattern() -> None:
    assert extract_label("1x5", [LabelSpec("1.5")]) is None


def test_longest_of_a_chain_wins() -> None:
    specs = [LabelSpec("a", ("act", "the eu ai act")), LabelSpec("b", ("eu ai act",))]

    assert extract_label("the EU AI Act", specs) == "a"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (lambda: LabelSpec(" "), "label ' ': a name must be text that is not blank, got ' '"),
        (lambda: LabelSpec("a", ("",)), "label 'a': a name must be text that is not blank, got ''"),
        (lambda: LabelSpec("a", "money back"), "label 'a': aliases must be a sequence of texts, not a bare str"),
        (lambda: LabelSpec("a", [3]), "label 'a': a name must be text that is not blank, got 3"),  # type: ignore[list-item]
        (
            lambda: extract_label("x", [LabelSpec("a", ("Money  back",)), LabelSpec("b", ("money back",))]),
            "labels 'a' and 'b' share the name 'money back'",
        ),
        (lambda: extract_label(None, ACTS), "an output must be text, not NoneType None"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_label_is_refused(spec: Any, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        spec()

    assert str(caught.value) == message
