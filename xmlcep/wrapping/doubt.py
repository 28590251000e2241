"""Calls and blocks that were begun and have not ended: what an interrupt has cut short, as the next call finds it.

A KeyboardInterrupt, or what a signal's handler raises, comes between any two steps: at the entry of ``__exit__``, too,
and in a ``finally``. So nothing here relies on what is done at the end. What begins leaves a mark first, and takes it
away last; a mark of something that is not under way any more says that it was cut short.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from types import FrameType
from typing import Any

from .not_copyable import Single

CUT_SHORT = (
    "an edit of the document {!r} was cut short, as by a KeyboardInterrupt or a MemoryError: events, records or "
    "findings may be missing since then; close() the document and wrap the tree again"
)


def is_running(call: FrameType) -> bool:
    """Whether a call has not ended, in whatever thread it is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame is call:
            return True
        frame = frame.f_back
    return any(_is_below(top, call) for top in sys._current_frames().values())


def _is_below(top: FrameType | None, call: FrameType) -> bool:
    while top is not None and top is not call:
        top = top.f_back
    return top is not None


_Counted: Any = type(lru_cache(maxsize=0)(abs))
"""C code that counts a call before it makes it: what `functools.lru_cache` makes of a function."""


def _counts(*given: int | None) -> tuple[int | None, ...]:
    """What it has counted: its second number is how often it was called."""
    return given


class _Exit:
    """``__exit__`` of a block: a callable of its own for each (see `Block`)."""

    def __get__(self, block: Block | None, owner: type[Block]) -> Callable[..., None]:
        if block is None:  # ExitStack asks the class
            return lambda each, *given: each.left(*given)
        block.exit = _Counted(block.left, 0, False, _counts)
        return block.exit  # type: ignore[no-any-return]


_ENDED: FrameType = (lambda: sys._getframe())()
"""A call that has ended."""


class Block(Single):
    """A ``with`` block. That it is being left is counted by C code: at the entry of a Python function an interrupt
    comes before its first statement.
    """

    __slots__ = ("exit", "under_way")

    def __init__(self) -> None:
        self.exit: Any = None
        self.under_way: FrameType | None = None  # what enters or leaves it

    def __enter__(self) -> Any:
        self.under_way = sys._getframe()
        try:
            given = self._enter()
            self.under_way = None
            return given
        except BaseException:
            self.under_way = _ENDED
            raise

    __exit__ = _Exit()

    def left(self, kind: type[BaseException] | None, *_: object) -> None:
        """What ``__exit__`` does."""
        self.under_way = sys._getframe()
        try:
            self._leave(failed=kind is not None)
            self.exit = None
        finally:
            self.under_way = None

    @property
    def is_cut_short(self) -> bool:
        """Whether it has been left, or its beginning, in the middle; asked while it is known as open."""
        if self.under_way is not None:
            return not is_running(self.under_way)
        return self.exit is not None and self.exit.cache_info()[1] > 0

    @property
    def tells_at_its_end(self) -> bool:
        """Whether its edits are delivered then, and not as they are made."""
        return True

    @abstractmethod
    def _enter(self) -> Any:
        """What ``__enter__`` does."""

    @abstractmethod
    def _leave(self, *, failed: bool) -> None:
        """What `left` does; ``failed``: an exception leaves the block."""
