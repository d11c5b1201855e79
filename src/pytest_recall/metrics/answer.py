"""The metrics of answers: how near what was answered comes to the references, of which the best counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_recall.answers.similarity import SIMILARITIES, best_similarity

if TYPE_CHECKING:
    from pytest_recall.metrics.judged import JudgedRanking

__all__ = ["anls", "edit_similarity", "exact_match", "token_f1"]


def exact_match(judged: JudgedRanking, _: int | None) -> float | None:
    """1 if the answer is a reference, but for case, ASCII punctuation, English articles and blanks, else 0.

    Rajpurkar et al. 2016 (SQuAD). Answer "Eiffel tower." with "The Eiffel Tower" expected: exact_match = 1.
    """
    return _best("exact_match", judged)


def token_f1(judged: JudgedRanking, _: int | None) -> float | None:
    """Harmonic mean of precision and recall over the words of answer and reference, read as for ``exact_match``.

    Rajpurkar et al. 2016 (SQuAD). Answer "Paris, France" with "Paris" or "City of Paris" expected: token_f1 = 2/3.
    """
    return _best("token_f1", judged)


def anls(judged: JudgedRanking, _: int | None) -> float | None:
    """The edit similarity without case and surplus blanks, 0 where it is below 0.5.

    Biten et al. 2019. Answer "ABXD" with "abcd" expected: anls = 3/4. Answer "wxyz" with "abcd" expected: anls = 0.
    """
    return _best("anls", judged)


def edit_similarity(judged: JudgedRanking, _: int | None) -> float | None:
    """1 − Levenshtein distance / length of the longer text, as the texts are.

    Answer "sitting" with "kitten" expected: edit_similarity = 4/7.
    """
    return _best("edit_similarity", judged)


def _best(metric: str, judged: JudgedRanking) -> float | None:
    if judged.answer is None:
        return None
    similarity, normalize = SIMILARITIES[metric]
    return best_similarity(similarity, normalize, judged.judgments.answers, judged.answer)
