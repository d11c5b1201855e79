"""What trec_eval's measures are called here."""

from __future__ import annotations

_NAME_OF = {
    "map": "map",
    "map_cut": "map",
    "Rprec": "r_precision",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "ndcg_cut": "ndcg",
    "P": "precision",
    "recall": "recall",
    "success": "hit_rate",
}


def ours(theirs: str) -> str:
    """``ndcg@10`` for ``ndcg_cut_10``."""
    name, _, cutoff = theirs.rpartition("_")
    return f"{_NAME_OF[name]}@{cutoff}" if cutoff.isdigit() else _NAME_OF[theirs]
