"""A shop's own search: two ways to rank its products, which know nothing of the tests."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def words(text: str) -> list[str]:
    return [word.removesuffix("s") for word in re.findall(r"\w+", text.lower())]


class Overlap:
    """Ranks by how many words of the query a text holds."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._words = {identifier: set(words(text)) for identifier, text in texts.items()}

    def search(self, query: str, top_k: int = 10) -> list[str]:
        wanted = set(words(query))
        found = [identifier for identifier, known in self._words.items() if wanted & known]
        return sorted(found, key=lambda identifier: len(wanted & self._words[identifier]), reverse=True)[:top_k]


class Bm25:
    """Ranks by BM25: rare words weigh more, repeated ones less and less, and long texts need more of them."""

    def __init__(self, texts: Mapping[str, str], k1: float = 1.2, b: float = 0.75) -> None:
        self._counts = {identifier: Counter(words(text)) for identifier, text in texts.items()}
        mean_length = sum(count.total() for count in self._counts.values()) / len(texts)
        self._norms = {
            identifier: k1 * (1 - b + b * count.total() / mean_length) for identifier, count in self._counts.items()
        }
        self._k1 = k1
        self._holders = Counter(word for count in self._counts.values() for word in count)

    def search(self, query: str, top_k: int = 10) -> list[tuple[str, float]]:
        scores = {identifier: self._score(set(words(query)), identifier) for identifier in self._counts}
        found = [(identifier, score) for identifier, score in scores.items() if score > 0]
        return sorted(found, key=lambda pair: pair[1], reverse=True)[:top_k]

    def _score(self, wanted: set[str], identifier: str) -> float:
        count, norm = self._counts[identifier], self._norms[identifier]
        return math.fsum(
            self._weight(word) * count[word] * (self._k1 + 1) / (count[word] + norm) for word in wanted & count.keys()
        )

    def _weight(self, word: str) -> float:
        holders = self._holders[word]
        return math.log(1 + (len(self._counts) - holders + 0.5) / (holders + 0.5))
