from __future__ import annotations

import math

import pytest

from pytest_recall._text import (
    count,
    decimals_to_tell,
    exact,
    listing,
    number,
    printable,
    printable_lines,
    shorten,
    shorten_lines,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (1, "1.000"), (2 / 3, "0.667"), (0.0, "0.000"), (12.3456, "12.346"), (None, "–")],
)
def test_number_has_three_decimals(value: float | None, text: str) -> None:
    assert number(value) == text


def test_number_has_the_decimals_asked_for() -> None:
    assert number(2 / 3, 5) == "0.66667"


@pytest.mark.parametrize(
    ("value", "text"),
    [(5.0, "5"), (5, "5"), (0.02, "0.02"), (1.0000000001, "1.0000000001"), (0.1 + 0.2, "0.30000000000000004")],
)
def test_exact_number_loses_no_digit(value: float, text: str) -> None:
    assert exact(value) == text


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((0.742, 0.85), 3),
        ((0.85, 0.85), 3),  # the same is never told apart
        ((0.85,), 3),
        ((0.8499, 0.85), 4),
        ((0.84996, 0.85), 5),  # 0.8500 at four
        ((0.85, 0.742, 0.8499), 4),
        ((0.5, 0.5 + 1e-9), 9),
        ((0.5, 0.5 + 1e-11), 11),
        ((0.5, 0.5 + 3e-12), 12),
        ((0.1 + 0.2, 0.3), 3),  # no more than rounding
        ((0.0, math.inf), 3),
    ],
)
def test_decimals_grow_until_two_sides_differ(values: tuple[float, ...], decimals: int) -> None:
    value, *others = values
    assert decimals_to_tell(value, *others) == decimals


@pytest.mark.parametrize(("amount", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (12345, "12,345 cases")])
def test_count(amount: int, text: str) -> None:
    assert count(amount, "case") == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("lease-1", "lease-1"),
        ("Übergröße 猫", "Übergröße 猫"),
        ("two\nlines\ttab", "two\\nlines\\ttab"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("no\u00a0break", "no\\xa0break"),
        ("right\u202eleft", "right\\u202eleft"),
        ("\ud800", "\\ud800"),
        ("", ""),
    ],
)
def test_printable_is_one_line_without_control_characters(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_printable_lines_stay_lines() -> None:
    assert printable_lines("a\x1b[31m\n\tb\r\n") == "a\\x1b[31m\n\\tb\\r\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("12345", "12345"),
        ("123456", "1234…"),
        ("1\n45", "1\\n45"),
        ("1\n456", "1\\n4…"),
        ("x" * 1_000_000, "xxxx…"),
        ("\n" * 1_000_000, "\\n\\n…"),
    ],
)
def test_shorten_keeps_within_the_width(text: str, shown: str) -> None:
    assert shorten(text, 5) == shown


def test_shorten_lines_keeps_the_first_and_the_last() -> None:
    assert shorten_lines("a\n\tb\nc", 3, 3) == "a\n\\tb\nc"
    assert shorten_lines("first\nb\nc\nd\nlast", 4, 3) == "fir…\n… 2…\nd\nlast"


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b, c, …"),
        (["a\n", "b" * 100], f"a\\n, {'b' * 59}…"),
    ],
)
def test_listing_shows_the_first_few(items: list[str], text: str) -> None:
    assert listing(iter(items)) == text


def test_listing_has_its_own_length_and_width() -> None:
    assert listing(["abcdef", "b", "c"], most=2, width=3) == "ab…, b, …"
