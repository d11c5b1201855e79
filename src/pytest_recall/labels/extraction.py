"""The labels that a text names, of which only one alone counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_recall.errors import RecallError
from pytest_recall.labels.entries import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["LabelSpec", "checked_specs", "extract_label", "folded_name", "named_labels"]


# Those that don't break a line, of the typographer, the small and the wide one, and the minus.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2212\ufe63\uff0d", "-"))


@dataclass(frozen=True, slots=True)
class LabelSpec:
    """A label, and what else names it.

    Attributes:
        canonical: the label itself.
        aliases: other texts that mean it, kept as a tuple.

    Raises:
        RecallError: a text of it is blank or no text.

    >>> extract_label("I want my money back", [LabelSpec("refund", ["money back"]), LabelSpec("delivery")])
    'refund'
    """

    canonical: str
    aliases: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.aliases, str):
            raise RecallError(f"label {self.canonical!r:.80}: aliases must be a sequence of texts, not a bare str")
        if not isinstance(self.aliases, Iterable):
            raise RecallError(
                f"label {self.canonical!r:.80}: aliases must be a sequence of texts, not {self.aliases!r:.80}"
            )
        object.__setattr__(self, "aliases", tuple(self.aliases))
        names: tuple[object, ...] = (self.canonical, *self.aliases)
        for name in names:
            if not isinstance(name, str) or not name.strip():
                raise RecallError(
                    f"label {self.canonical!r:.80}: a name must be text that is not blank, got {name!r:.80}"
                )


def extract_label(output: str, specs: Sequence[LabelSpec]) -> str | None:
    """The canonical of the one label that a text names; None when it names none, or several.

    A label is named where its canonical or an alias stands as whole tokens: no letter, digit or ``_`` beside it, so
    that ``-`` and ``'`` separate. Letter case, the Unicode form and the kinds of blanks and hyphens do not matter. A
    match inside a longer match of another label does not count: "EU AI Act" does not name "AI Act".

    Args:
        output: what a classifier or a model said.
        specs: the labels.

    Raises:
        RecallError: the output is no text, the specs are no sequence of `LabelSpec`, or two labels share a name.

    >>> specs = [LabelSpec("DORA"), LabelSpec("AIAct", ("AI Act", "EU AI Act"))]
    >>> extract_label("The answer is dora.", specs)
    'DORA'
    >>> extract_label("either DORA or the AI Act", specs) is None
    True
    """
    named = named_labels(output, specs)
    return named[0] if len(named) == 1 else None


def named_labels(output: str, specs: Sequence[LabelSpec]) -> tuple[str, ...]:
    """The canonicals of all labels that a text names, in the order of `specs`.

    Raises:
        RecallError: as `extract_label`.

    >>> named_labels("either DORA or the AI Act", [LabelSpec("AIAct", ("AI Act",)), LabelSpec("DORA")])
    ('AIAct', 'DORA')
    """
    if not isinstance(output, str):
        raise RecallError(f"an output must be text, not {type(output).__name__} {output!r:.80}")
    matches = list(_matches(_folded(output), _patterns(checked_specs(specs))))
    return tuple(
        dict.fromkeys(match.label for match in matches if not any(match.is_inside(other) for other in matches))
    )


def checked_specs(specs: Sequence[LabelSpec]) -> tuple[LabelSpec, ...]:
    """The specs.

    Raises:
        RecallError: they are no sequence, or one is no `LabelSpec`.
    """
    entries = entries_of("specs", "a sequence of LabelSpec", specs)
    for index, spec in enumerate(entries):
        if not isinstance(spec, LabelSpec):
            raise RecallError(f"specs[{index}] must be a LabelSpec, not {type(spec).__name__} {spec!r:.80}")
    return tuple(entries)


class _Match(NamedTuple):
    start: int
    end: int
    label: str

    def is_inside(self, other: _Match) -> bool:
        """Whether a longer match of another label covers this one."""
        longer = other.end - other.start > self.end - self.start
        return longer and other.label != self.label and other.start <= self.start and self.end <= other.end


def _matches(text: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> Iterator[_Match]:
    for pattern, label in patterns:
        for match in pattern.finditer(text):
            yield _Match(*match.span(), label)


@lru_cache(maxsize=64)
def _patterns(specs: tuple[LabelSpec, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    owner: dict[str, str] = {}
    for spec in specs:
        for name in (spec.canonical, *spec.aliases):
            words = folded_name(name)
            other = owner.setdefault(words, spec.canonical)
            if other != spec.canonical:
                raise RecallError(f"labels {other!r:.80} and {spec.canonical!r:.80} share the name {name!r:.80}")
    return tuple((_pattern(words), label) for words, label in owner.items())


def folded_name(name: str) -> str:
    """What names of labels have in common that an output can't tell apart.

    >>> folded_name("Money-Back") == folded_name("money-back")
    True
    """
    return " ".join(_folded(name).split())


def _pattern(words: str) -> re.Pattern[str]:
    phrase = r"\s+".join(map(re.escape, words.split()))
    return re.compile(rf"(?<!\w){phrase}(?!\w)")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.translate(_HYPHENS)).casefold())
