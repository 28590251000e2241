"""What a history is made of: primitive events, that time passed (W6), flushes, at last a close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from xmlcep.events import PrimitiveEvent


@dataclass(frozen=True)
class Advance:
    """The application says that it is ``time`` (as in ``at``) although nothing changed (W6)."""

    time: str


Step: TypeAlias = PrimitiveEvent | Advance | Literal["flush", "close"]
