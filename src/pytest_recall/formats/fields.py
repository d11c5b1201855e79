"""The fields of TREC and BEIR files: numbers, and ids that survive being written."""

from __future__ import annotations

import re
from math import isfinite

from pytest_recall._json import plain
from pytest_recall.errors import FormatError, Problem
from pytest_recall.formats.files import Target, name_of

__all__ = ["Field", "finite"]

# float() would also take nan, infinity, 1_000 and the digits of other scripts.
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
