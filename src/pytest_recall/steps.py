"""Two runs of an agent side by side: the steps that were recorded, and those that are made now."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from pytest_recall._text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Divergence", "Kind", "StepPair", "beside", "first_divergence"]

Kind = Literal["llm", "tool", "final"]

_WIDTH = 100
_ABSENT = {"llm": "the end", "tool": "the end", "final": "nothing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPair:
    """A step as it was recorded beside the one that is made now; the last pair are the final texts.

    Attributes:
        recorded: what was asked then, None where nothing was.
        now: what is asked now, None where nothing is.
        answer: what the recording holds as the answer, None of what was not recorded and of a final text.
        same: both ask the same, however much of their texts is shown.

    >>> StepPair(kind="llm", recorded="llm request aa", now="llm request bb", answer='{"text": "4"}').same
    False
    """

    kind: Kind
    recorded: str | None
    now: str | None
    answer: str | None = None
    same: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where a run is not as it was recorded.

    Attributes:
        step: counted from 1; of the final text, one after the last that was recorded.
        kind: of the step as recorded, as made now where nothing was recorded.
        recorded: what was asked then, None where the recording had ended.
        now: what is asked now, None where the run has ended.

    >>> print(Divergence(step=1, kind="tool", recorded='tool add({"a":2})', now='tool add({"a":3})'))
    step 1: recorded tool add({"a":2}), now tool add({"a":3})
    """

    step: int
    kind: Kind
    recorded: str | None
    now: str | None

    @property
    def place(self) -> str:
        return "the final text" if self.kind == "final" else f"step {self.step}"

    @property
    def sides(self) -> tuple[str, str]:
        """Both sides as messages show them: cut, but never to the same text."""
        texts = beside(self.recorded, self.now, _WIDTH)
        recorded, now = (_shown(text, self.kind) for text in texts)
        return recorded, now

    def __str__(self) -> str:
        recorded, now = self.sides
        return f"{self.place}: recorded {recorded}, now {now}"


def _shown(text: str | None, kind: Kind) -> str:
    if text is None:
        return _ABSENT[kind]
    return repr(text) if kind == "final" else printable(text)


def first_divergence(pairs: Sequence[StepPair]) -> Divergence | None:
    """Where a run first differs from its recording, step against step; None when it does nowhere."""
    same = len([*takewhile(lambda pair: pair.same, pairs)])
    rest = pairs[same:]
    if not rest:
        return None
    # Of steps that were left out or put in, each stands beside nothing; at its place in the run stands the next one.
    recorded, now = (
        next(((pair.kind, text) for pair, text in texts if text is not None and pair.kind != "final"), None)
        for texts in ([(pair, pair.recorded) for pair in rest], [(pair, pair.now) for pair in rest])
    )
    here = recorded or now
    if here is None:
        return Divergence(step=same + 1, kind="final", recorded=rest[0].recorded, now=rest[0].now)
    return Divergence(step=same + 1, kind=here[0], recorded=recorded and recorded[1], now=now and now[1])


def beside(one: str | None, other: str | None, width: int) -> tuple[str | None, str | None]:
    """Two texts in about `width` characters each, cut so that the first difference of long ones is still there."""
    if one is None or other is None:
        return _cut(one, 0, width), _cut(other, 0, width)
    alike = len([*takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))])
    start = 0 if alike < width * 2 // 3 else alike - width // 3
    return _cut(one, start, width), _cut(other, start, width)


def _cut(text: str | None, start: int, width: int) -> str | None:
    if text is None:
        return None
    end = start + width
    return ("…" if start else "") + text[start:end] + ("…" if len(text) > end else "")
