"""How numbers, counts and other people's texts look in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DECIMALS = 3
MOST_DECIMALS = 12


def number(value: float | None, decimals: int = DECIMALS) -> str:
    """Three decimals unless told; an undefined value is a dash."""
    return "–" if value is None else f"{value:.{decimals}f}"


def exact(value: float) -> str:
    """A number as one would write it, with no digit lost: ``5``, ``0.02``, ``1.0000000001``."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def decimals_to_tell(value: float, *others: float) -> int:
    """How many decimals, three to twelve, tell `value` from each of the others that differs from it."""
    # What twelve decimals can't show is a matter of rounding.
    different = [other for other in others if abs(other - value) > 10**-MOST_DECIMALS]
    enough = (
        decimals
        for decimals in range(DECIMALS, MOST_DECIMALS)
        if all(number(value, decimals) != number(other, decimals) for other in different)
    )
    return next(enough, MOST_DECIMALS)


def count(amount: int, noun: str, plural: str = "") -> str:
    """``1 case``, ``2 cases``; a plural of its own is given."""
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {plural or f'{noun}s'}"


def printable(text: str) -> str:
    """The text on one line, control characters (ANSI escapes among them) and lone surrogates shown escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    """The text with each of its lines printable."""
    return "\n".join(map(printable, text.split("\n")))


def shorten(text: str, width: int) -> str:
    """The printable text in at most `width` characters, an ellipsis where it was cut."""
    if len(text) > 4 * width:
        text = text[: 4 * width]
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def shorten_lines(text: str, width: int, most: int) -> str:
    """The text with each of its lines shortened, at most so many: the first and the last of them."""
    lines = text.split("\n")
    more = len(lines) - most
    if more > 0:
        head = most // 2
        lines[head : head + more] = [f"… {count(more, 'line')} left out …"]
    return "\n".join(shorten(line, width) for line in lines)


def listing(items: Iterable[str], most: int = 3, width: int = 60) -> str:
    """``a, b, c, …``: the first few items, each printable and cut to `width`."""
    some = list(items)
    shown = [shorten(item, width) for item in some[:most]]
    return ", ".join([*shown, "…"] if len(some) > most else shown)
