"""The cases of a classifier's suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_recall.labels import folded_name
from pytest_recall.suites import getters
from pytest_recall.suites.cases import CaseReader
from pytest_recall.suites.keys import CLASSIFIER_CASE_KEYS
from pytest_recall.suites.nodes import ScalarNode, is_missing, quote
from pytest_recall.suites.plain import plain_labelled_cases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_recall.labels import LabelSpec
    from pytest_recall.suites.model import Case
    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems
    from pytest_recall.suites.thresholds import BoundsReader

__all__ = ["LabelledCaseReader"]


class LabelledCaseReader(CaseReader):
    """Reads cases of a classifier against what the rest of their suite says.

    Args:
        labels: what a case may expect.
        bounds: reader of ``expect``.
        problems: where mistakes are noted.
    """

    keys = CLASSIFIER_CASE_KEYS
    question = "input"
    judged = "expected"

    def __init__(self, labels: Sequence[LabelSpec], bounds: BoundsReader, problems: Problems) -> None:
        super().__init__(None, "linear", bounds, problems)
        self._labels = frozenset(spec.canonical for spec in labels)
        self._owners = {
            folded_name(name): spec.canonical for spec in labels for name in (spec.canonical, *spec.aliases)
        }

    def _plain(self, lines: Sequence[bytes], first: int) -> list[Case] | None:
        return plain_labelled_cases(lines, first, self._labels)

    def _judgments(self, node: Node, fields: Mapping[str, Pair]) -> dict[str, Any]:
        value = getters.required(node, fields, self.judged, self._problems)
        if value is None:
            return {"relevant": {}}
        expected = getters.text(value, self._problems)
        # Without any label that has been told; so has what is no text.
        if self._labels and expected not in self._labels and isinstance(value, ScalarNode) and not is_missing(value):
            owner = self._owners.get(folded_name(expected))
            hint = self._problems.did_you_mean(expected, self._labels)
            named = hint if owner is None else f"; it names {quote(owner)}, and what is expected is the label itself"
            self._problems.add(value, f"unknown label {quote(expected)}{named}")
        return {"relevant": {expected: 1.0}, "expected": expected}
