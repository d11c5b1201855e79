from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

from pytest_recall.retrieval.awaiting import discard

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def search() -> list[str]:
    await asyncio.sleep(0)
    return ["a"]


async def generate() -> AsyncIterator[str]:
    yield "a"


# Warnings are errors in these tests, so what nobody awaits must be closed.


def test_what_never_began_is_discarded_without_a_warning() -> None:
    discard(search())
    discard(generate())
    discard(["a"])
    gc.collect()


def test_task_on_a_loop_that_never_runs_is_discarded_without_a_warning() -> None:
    loop = asyncio.new_event_loop()
    discard(loop.create_task(search()))
    loop.close()
    gc.collect()


def test_task_that_began_is_cancelled() -> None:
    async def main() -> bool:
        began = asyncio.create_task(search())
        await asyncio.sleep(0)
        discard(began)
        await asyncio.wait([began])
        return began.cancelled()

    assert asyncio.run(main())
