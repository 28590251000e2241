"""Chronicle context: the oldest events first, each used once."""

from __future__ import annotations

from collections.abc import Sequence

from .combinations import Combinations
from .context import Context, Stays, Takes
from .entry import Combination, Entry
from .group import Group


class Chronicle(Context):
    """The oldest event of every operand that can be extended to a combination; all of them are consumed."""

    name = "chronicle"
    preference = "the oldest events are taken first, each once"
    takes = Takes.OLDEST
    stays = Stays.NOTHING

    def on_arrival(
        self, group: Group, exists: Combinations, child: int, arrivals: Sequence[Entry]
    ) -> list[Combination]:
        found: list[Combination] = []
        while (oldest := exists.oldest(group)) is not None:
            chosen = exists.filled(group, oldest)
            group.consume(self.consumed(exists, enumerate(chosen), child))
            found.append(chosen)
        return found

    def on_release(self, group: Group, exists: Combinations) -> list[Combination]:
        return self.on_arrival(group, exists, 0, ())
