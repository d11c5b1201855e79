"""How like two texts are, and what of them counts."""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "NORMALIZERS",
    "SIMILARITIES",
    "Normalize",
    "Similarity",
    "anls",
    "best_similarity",
    "edit_distance",
    "edit_similarity",
    "exact_match",
    "levenshtein",
    "token_f1",
]

Normalize: TypeAlias = Literal["squad", "basic"] | None
"""What of a text counts before it is compared."""

Similarity: TypeAlias = "Callable[[str, str], float]"
"""Of a reference and an answer, from 0 to 1."""

# Below this similarity ANLS takes an answer for another one, not for a misreading.
ANLS_THRESHOLD = 0.5

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def exact_match(reference: str, answer: str) -> float:
    """1 where two texts are equal."""
    return float(reference == answer)


def token_f1(reference: str, answer: str) -> float:
    """The F1 of two texts as bags of words."""
    expected, got = reference.split(), answer.split()
    if not expected or not got:
        return float(expected == got)
    return 2 * sum((Counter(expected) & Counter(got)).values()) / (len(expected) + len(got))


def anls(reference: str, answer: str) -> float:
    """The edit similarity of two texts, 0 where it is below the threshold."""
    similarity = edit_similarity(reference, answer)
    return similarity if similarity >= ANLS_THRESHOLD else 0.0


def edit_similarity(reference: str, answer: str) -> float:
    """1 − the share of the longer text that would have to be edited."""
    longer = max(len(reference), len(answer))
    return 1 - levenshtein()(reference, answer) / longer if longer else 1.0


def _squad(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _basic(text: str) -> str:
    return " ".join(text.lower().split())


NORMALIZERS: Mapping[Normalize, Callable[[str], str]] = {"squad": _squad, "basic": _basic, None: str}


@cache
def levenshtein() -> Callable[[str, str], int]:
    """RapidFuzz's distance, else our own; they are equal."""
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # an extra
    except ImportError:
        return edit_distance
    return cast("Callable[[str, str], int]", Levenshtein.distance)


def edit_distance(left: str, right: str) -> int:
    """The fewest insertions, deletions and substitutions of a code point that turn one text into the other.

    A column of the table is two integers, the bits of which say where the distance rises and where it falls down the
    column, so that each code point of `right` costs a few operations on whole integers. Myers 1999, in Hyyrö's form of
    2003.
    """
    if not left:
        return len(right)
    full, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    places: dict[str, int] = {}
    for position, character in enumerate(left):
        places[character] = places.get(character, 0) | 1 << position
    rises, falls, distance = full, 0, len(left)
    for character in right:
        equal = places.get(character, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up, down = falls | (full & ~(diagonal | rises)), rises & diagonal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & full, (down << 1) & full
        rises, falls = down | (full & ~(diagonal | up)), up & diagonal
    return distance


SIMILARITIES: Mapping[str, tuple[Similarity, Normalize]] = {
    "exact_match": (exact_match, "squad"),
    "token_f1": (token_f1, "squad"),
    "anls": (anls, "basic"),
    "edit_similarity": (edit_similarity, None),
}
"""Metric of an answer → how two texts are compared, and what of them counts."""


def best_similarity(similarity: Similarity, normalize: Normalize, references: Sequence[str], answer: str) -> float:
    """The score of one answer: that of the reference it is nearest to."""
    normal = NORMALIZERS[normalize]
    normal_answer = normal(answer)
    return max(similarity(normal(reference), normal_answer) for reference in references)
