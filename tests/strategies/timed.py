"""Random consistent histories with edits of several records, time, transactions, users, and time that passes (U, W).

As `histories`, an example is a list of small tuples of numbers that are played on a random tree. What is more: an edit
is up to three actions (so nodes come and go within one); `at` stands still, grows or goes back, and is missing
now and then; some records are in transactions, some are not; between edits the application may say what time
it is. Texts, attributes and users repeat, so that values meet.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.reference import Advance
from tests.reference.clock import microseconds, written
from xmlcep.events import PrimitiveEvent

from .histories import CONTENTS, History, Player

BEGIN = microseconds("2026-01-01T00:00:00Z")
# How far the clock goes on with an edit, in milliseconds; how far beyond that the application says it is.
_STEPS = (0, 0, 1000, 1000, 2000, 2000, 500, 5000, 12_000, -3000)
_AHEAD = (0, 1000, 2000, 3000, 10_000, 25_000, -2000)
_USERS = ("ann", "ann", "bob", None)
# Contents with texts and attributes, which most filters and variables are about, come often.
_CONTENTS = (5, 6, 11, 11, 7, 5, 6, *range(len(CONTENTS)))
_KINDS = (0, 0, 0, 0, 0, 0, 6, 6, 6, 7, 8)
_TARGETS = (0, 0, 1, 1, *range(2, 9))
_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(_KINDS), st.sampled_from(_TARGETS), st.sampled_from(_CONTENTS), st.integers(0, 3)
    ),
    min_size=1, max_size=3,
)  # fmt: skip


@st.composite
def timed_histories(
    draw: st.DrawFn, *, max_edits: int = 12, advances: bool = True, edits: bool = True, doc: str = "doc"
) -> History:
    """A random history of up to ``max_edits`` edits; ``advances``: whether the application says what time it is;
    ``edits``: whether records say that their edit goes on."""
    player = TimedPlayer(doc, draw(st.sampled_from((1, 37))), edits=edits)
    return played(draw, player, _ACTIONS, max_edits=max_edits, advances=advances)


def played(
    draw: st.DrawFn, player: TimedPlayer, actions: st.SearchStrategy[list[Any]], *,
    min_edits: int = 1, max_edits: int, advances: bool,
) -> History:  # fmt: skip
    """What a player makes of ``min_edits`` to ``max_edits`` edits, each of such actions, and of what is in between."""
    player.start()
    for kind, step, ahead, user, inside, chance in draw(_edits(actions, min_edits, max_edits)):
        if kind == "t":
            player.transaction_or_flush(step)
        elif kind == "a":
            player.say_time(ahead if advances else None)
        else:
            player.edit(step, user, inside, chance)
    return player.history()


@cache
def _edits(
    actions: st.SearchStrategy[list[Any]], min_size: int, max_size: int
) -> st.SearchStrategy[list[tuple[str, int, int, str | None, list[Any], int]]]:
    """Edits of such actions, and what is in between."""
    return st.lists(
        st.tuples(
            st.sampled_from((*"eeeeeeee", "t", "t", "a")), st.sampled_from(_STEPS),
            st.sampled_from(_AHEAD), st.sampled_from(_USERS), actions, st.integers(0, 9),
        ),
        min_size=min_size, max_size=max_size,
    )  # fmt: skip


class TimedPlayer(Player):
    """A player with a clock of its own."""

    def __init__(self, doc: str, factor: int, *, edits: bool) -> None:
        super().__init__(doc, factor, grouped=False, provenance=0)
        self.marks_edits = edits
        self.now = BEGIN
        self.user: str | None = None
        self.in_transaction = False
        self.chance = 0
        self.begun = 0  # the first step of the edit

    def start(self) -> None:
        """The root, an item, and what is in it: there is a time from the first record on."""
        self.begin(unseen=False)
        self.play(0, 0, 7, 0, flushes=False)

    def edit(self, step: int, user: str | None, actions: list[Any], chance: int) -> None:
        """Several actions as one edit."""
        self.now += step * 1000
        self.user, self.chance, self.begun = user, chance, len(self.steps)
        for action in actions:
            self.act(*action)
        if self.marks_edits:
            for index in range(self.begun, len(self.steps) - 1):
                record = self.steps[index]
                assert isinstance(record, PrimitiveEvent)
                self.steps[index] = record._replace(more=True)
            if chance == 9 and len(self.steps) > self.begun:  # an edit that something else ends
                record = self.steps[-1]
                assert isinstance(record, PrimitiveEvent)
                self.steps[-1] = record._replace(more=True)

    def act(self, kind: int, target: int, content: int, value: int) -> None:
        """One of the actions of an edit."""
        self._play(kind, target, content, value, flushes=False)

    def transaction_or_flush(self, step: int) -> None:
        """Begins a transaction or ends it; without one, now and then, only a flush."""
        if self.in_transaction:
            self._end_transaction()
        elif step < 0:
            self.steps.append("flush")
        else:
            self.in_transaction = True

    def say_time(self, ahead: int | None) -> None:
        """W6: outside transactions only."""
        if not self.in_transaction and ahead is not None:
            self.now = max(self.now, self.now + ahead * 1000)
            self.steps.append(Advance(written(self.now + min(ahead, 0) * 1000)))

    def history(self) -> History:
        if self.in_transaction:
            self._end_transaction()
        return History(tuple(self.steps))

    def _insert_below(self, parent: Any, content: tuple[str, ...], value: int) -> None:
        """One text per element: neighbours would be one to XPath."""
        if content[0] != "text" or all(child.step.is_element for child in parent.children):
            super()._insert_below(parent, content, value)

    def _end_transaction(self) -> None:
        self.in_transaction = False
        if any(isinstance(step, PrimitiveEvent) and step.txn == self.transaction for step in self.steps):
            self.steps.append("flush")
            self.transaction += 1

    def _txn(self) -> int | None:
        return self.transaction if self.in_transaction else None

    def _at(self) -> str | None:
        """Within an edit the clock may go on, and be left out."""
        within = len(self.steps) - self.begun
        if self.chance == 8 and self.ts > 1:
            return None
        return written(self.now + (within * 700_000 if self.chance == 7 else 0))

    def _meta(self) -> dict[str, str] | None:
        return None if self.user is None else {"user": self.user}
