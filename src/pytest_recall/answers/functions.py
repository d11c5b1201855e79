"""The functions: how near answers come to the references that would do."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast, overload

from pytest_recall._text import count
from pytest_recall.answers.similarity import NORMALIZERS, SIMILARITIES, best_similarity
from pytest_recall.errors import MetricError, RecallError, did_you_mean
from pytest_recall.stats import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pytest_recall.answers.similarity import Normalize

__all__ = ["AnswerScore", "References", "anls_score", "edit_similarity_score", "exact_match_score", "token_f1_score"]

References: TypeAlias = "Sequence[str | Sequence[str]]"
"""For each question one text that would do, or several of which the best counts."""


class AnswerScore(Protocol):
    """The mean over the questions, or with ``average=None`` the value of each."""

    @overload
    def __call__(
        self,
        references: References,
        answers: Sequence[str],
        *,
        normalize: Normalize = ...,
        average: Literal["mean"] = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, references: References, answers: Sequence[str], *, normalize: Normalize = ..., average: None
    ) -> list[float]: ...


def _score(function: Callable[..., Any]) -> AnswerScore:
    return cast("AnswerScore", function)


@_score
def exact_match_score(
    references: References, answers: Sequence[str], *, normalize: Normalize = "squad", average: str | None = "mean"
) -> Any:
    """1 where an answer equals a reference, else 0. Rajpurkar et al. 2016 (SQuAD).

    Args:
        references: for each question one text, or several of which the best counts.
        answers: for each question the text to score, in the same order.
        normalize: "squad" drops case, ASCII punctuation, English articles and surplus blanks; "basic" drops case and
            surplus blanks; None compares the texts as they are.
        average: "mean", or None for the value of each question.

    Returns:
        From 0 to 1; a list of these with ``average=None``.

    Raises:
        RecallError: the two sides differ in length, there are no questions, or something is no text; it is named.
        MetricError: an option that means nothing.

    >>> exact_match_score(["The Eiffel Tower", ["Paris", "City of Paris"]], ["eiffel tower.", "Paris, France"])
    0.5
    """
    return _scored("exact_match", references, answers, normalize, average)


@_score
def token_f1_score(
    references: References, answers: Sequence[str], *, normalize: Normalize = "squad", average: str | None = "mean"
) -> Any:
    """Harmonic mean of precision and recall over the words of answer and reference. Rajpurkar et al. 2016 (SQuAD).

    Words are what stands between blanks, a repeated one counts as often as both sides hold it, and nothing against
    nothing is 1. Arguments and errors as `exact_match_score`.

    >>> token_f1_score(["City of Paris"], ["Paris, France"])  # 1 common word, 2 + 3 words: 2 · 1 / 5
    0.4
    """
    return _scored("token_f1", references, answers, normalize, average)


@_score
def anls_score(
    references: References, answers: Sequence[str], *, normalize: Normalize = "basic", average: str | None = "mean"
) -> Any:
    """Average normalised Levenshtein similarity: the edit similarity, 0 where it is below 0.5. Biten et al. 2019.

    A similarity of exactly 0.5 is kept, where the authors' own script drops it. Arguments and errors as
    `exact_match_score`.

    >>> anls_score(["abcd", "abcd"], ["abxd", "wxyz"])
    0.375
    """
    return _scored("anls", references, answers, normalize, average)


@_score
def edit_similarity_score(
    references: References, answers: Sequence[str], *, normalize: Normalize = None, average: str | None = "mean"
) -> Any:
    """1 − Levenshtein distance / length of the longer text, over code points; nothing against nothing is 1.

    Computed by RapidFuzz where it is installed (``pip install 'pytest-recall[answers]'``), else, with the same values
    and slower, here. Arguments and errors as `exact_match_score`.

    >>> edit_similarity_score(["kitten"], ["sitting"], average=None)  # 3 edits, 7 characters
    [0.5714285714285714]
    """
    return _scored("edit_similarity", references, answers, normalize, average)


def _scored(metric: str, references: Any, answers: Any, normalize: Normalize, average: str | None) -> Any:
    _check_choice("normalize", normalize, NORMALIZERS)
    _check_choice("average", average, ("mean", None))
    expected, given = _entries("references", references), _entries("answers", answers)
    one: Any = getattr(references, "index", None)
    other = getattr(answers, "index", None)
    # That of a list is a method.
    if hasattr(one, "equals") and hasattr(other, "equals") and not one.equals(other):
        raise RecallError("the two pandas Series must have the same index")
    if len(expected) != len(given):
        raise RecallError(
            f"references hold {count(len(expected), 'question')} and answers {len(given):,}; they must match"
        )
    if not expected:
        raise RecallError("there are no questions, so there is nothing to score")
    similarity, _ = SIMILARITIES[metric]
    scores = [
        best_similarity(
            similarity, normalize, _texts(f"references[{position}]", some), _text(f"answers[{position}]", answer)
        )
        for position, (some, answer) in enumerate(zip(expected, given, strict=True))
    ]
    return scores if average is None else mean(scores)


def _check_choice(name: str, value: object, choices: Collection[str | None]) -> None:
    if (value is None or isinstance(value, str)) and value in choices:
        return
    hint = did_you_mean(value, filter(None, choices)) if isinstance(value, str) else ""
    raise MetricError(f"{name} must be {' or '.join(map(repr, choices))}, got {value!r:.80}{hint}")


def _entries(name: str, value: Any) -> list[Any]:
    """The entries of a sequence by position: a list, a tuple, an array or a column of a table."""
    if isinstance(value, (str, bytes, Mapping, AbstractSet)) or not hasattr(value, "__len__"):
        raise RecallError(f"{name} must be a sequence, one entry a question, not {type(value).__name__}")
    return list(value)


def _texts(name: str, value: Any) -> list[str]:
    """The texts that would do for one question."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bytes, Mapping, AbstractSet)) or not hasattr(value, "__len__"):
        raise RecallError(f"{name} must be text, or a list of texts, not {type(value).__name__} {value!r:.80}")
    texts = [_text(name, reference) for reference in _entries(name, value)]
    if not texts:
        raise RecallError(f"{name} is empty; a question needs one text that would do")
    return texts


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise RecallError(f"{name} must be text, not {type(value).__name__} {value!r:.80}")
