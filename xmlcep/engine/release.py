"""What a time point releases."""

from __future__ import annotations

from enum import Enum


class Release(Enum):
    """What a time point releases, beside what waits for a condition (D2, D3)."""

    NOTHING = "nothing"
    """A timer is due: nothing happened anywhere."""
    LEFT = "left"
    """An event: the non-local groups that it does not project on."""
    FLUSH = "flush"
    """Everything."""
