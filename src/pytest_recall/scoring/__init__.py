"""Scoring rankings that you already have, from judgments and rankings as users hold them; see `functions`."""
