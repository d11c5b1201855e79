"""How the files of suites and of recorded agent runs are named."""

from __future__ import annotations

from fnmatch import fnmatch

__all__ = ["CAPTURE_SUFFIX", "SUITE_FILES", "is_suite_name"]

# The plugin's patterns where no ini file sets others.
SUITE_FILES = ("*.eval.yaml", "*.eval.yml", "*.eval.json", "*.eval.capture.json")

CAPTURE_SUFFIX = ".capture.json"


def is_suite_name(name: str) -> bool:
    """Whether a file of this name is a suite or a recorded agent run."""
    return name.endswith(CAPTURE_SUFFIX) or any(fnmatch(name, pattern) for pattern in SUITE_FILES)
