"""A local audit in which documents rest as soon as they can, however few they are: nothing of them stays in memory."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest import mock

from xmlcep.auditing.local import documents


def tired(always: bool = True, *, waiting: int = 0) -> AbstractContextManager[Any]:
    """While this lasts documents rest so, if they are to; so many in which something waits stay, or twice as many."""
    if not always:
        return nullcontext()
    return mock.patch.multiple(
        documents, _MOST_AWAKE=0, _MOST_WAITING=waiting, _MOST_ASLEEP=0, _MOST_HELD=100
    )
