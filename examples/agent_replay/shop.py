"""The tools: they look into the shop's database and reckon with its rules."""

from __future__ import annotations

import sqlite3
from typing import Any

RESTOCKING_SHARE = 0.15


class Shop:
    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.executescript(
            """
            CREATE TABLE orders (id TEXT PRIMARY KEY, item TEXT, price REAL, opened INTEGER);
            INSERT INTO orders VALUES ('A-17', 'kettle', 80.0, 1), ('A-18', 'lamp', 45.0, 0);
            """
        )

    def __call__(self, name: str, arguments: Any, /) -> Any:
        if name == "find_order":
            return self._find_order(**arguments)
        if name == "refund":
            return self._refund(**arguments)
        raise LookupError(f"no tool {name!r}")

    def _find_order(self, id: str) -> dict[str, Any]:
        row = self._database.execute("SELECT item, price, opened FROM orders WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise LookupError(f"no order {id!r}; ids look like 'A-17'")
        item, price, opened = row
        return {"item": item, "price": price, "opened": bool(opened)}

    def _refund(self, price: float, *, opened: bool) -> float:
        return round(price * (1 - RESTOCKING_SHARE), 2) if opened else price
