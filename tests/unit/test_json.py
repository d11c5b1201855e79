from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_recall import _json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (2.0**53, "9007199254740992.0"),  # from here on not every whole number is a float
        (True, "true"),
        (None, "null"),
        ({"b": [1.0, (2.0, "é")], "a": {}}, '{"a":{},"b":[1,[2,"é"]]}'),
    ],
)
def test_canonical_is_compact_sorted_and_without_point_zero(value: Any, text: str) -> None:
    assert _json.canonical(value) == text


@pytest.mark.parametrize("value", [0.1, 1.0, 1, 10**30, "é\ud800\u2028", [{"b": 1, "a": None}], 5e-324])
def test_dumped_value_is_loaded_as_it_was(value: Any) -> None:
    loaded = _json.loads(_json.dumps(value))
    assert loaded == value
    assert type(loaded) is type(value)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_has_no_nan_and_no_infinity(number: float) -> None:
    for write in (_json.canonical, _json.dumps):
        with pytest.raises(ValueError, match="JSON"):
            write([number])


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_nan_is_refused_when_read(text: str) -> None:
    constant = text.strip('[]{}"a: ')
    with pytest.raises(ValueError, match=f"^{constant} is not JSON$"):
        _json.loads(text)
