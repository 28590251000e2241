"""What became of event trees when rules were replaced (rule G7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..arguments import one_word
from ..events import CompositeEvent
from ..rules.comparison import Comparison
from ..suggestions import listed

OnRemoved: TypeAlias = Literal["flush", "drop"]
"""What becomes of partial matches in trees that are removed or changed: what a flush releases is raised, or nothing."""
ON_REMOVED = one_word("flush", "drop")
SINCE = one_word("now", "begin")
"""Since when new trees have seen what happens: since the beginning of the log, or from now on."""
_MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Replacement:
    """What became of the event trees of a detector when its rules were replaced, by the names of their events.

    ``kept`` keep their partial matches, ``new`` and ``changed`` begin, ``removed`` have ended, and so have the
    former trees of the changed events. ``lost`` has for each that has ended the number of its partial matches
    ; ``raised`` is what was released then.
    """

    kept: tuple[str, ...]
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    lost: Mapping[str, int]
    raised: tuple[CompositeEvent, ...] = ()

    def __str__(self) -> str:
        return said_of(Comparison(self.kept, self.new, self.changed, self.removed), self.lost)


def said_of(trees: Comparison, lost: Mapping[str, int]) -> str:
    """A line about each kind of trees: ``2 kept: A, B``; of trees that end with the partial matches that are lost."""
    return "\n".join(
        f"{len(names)} {kind}: {listed([_with_loss(name, lost) for name in names], _MOST_NAMES)}"
        for kind, names in trees._asdict().items()
        if names
    )


def _with_loss(name: str, lost: Mapping[str, int]) -> str:
    count = lost.get(name, 0)
    return f"{name} ({count:,} partial {'match' if count == 1 else 'matches'} lost)" if count else name
