"""What a history is made of: primitive events, external ones (L7), that time passed (W6), flushes, at last a close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from path_types import PathInstance
from xmlcep.events import PrimitiveEvent


@dataclass(frozen=True)
class Advance:
    """The application says that it is ``time`` (as in ``at``) although nothing changed (W6)."""

    time: str


@dataclass(frozen=True)
class Raise:
    """An action rule raises the external event ``name`` at a node, at the time point of the last record (L7)."""

    name: str
    place: PathInstance


Step: TypeAlias = PrimitiveEvent | Advance | Raise | Literal["flush", "close"]
