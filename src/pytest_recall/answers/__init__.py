"""How near an answer comes to the references that would do: SQuAD's exact match and F1, ANLS, edit similarity."""

from __future__ import annotations

from pytest_recall.answers.functions import anls_score, edit_similarity_score, exact_match_score, token_f1_score

__all__ = ["anls_score", "edit_similarity_score", "exact_match_score", "token_f1_score"]
