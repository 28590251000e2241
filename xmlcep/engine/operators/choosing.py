"""An operator whose context chooses among combinations of its operands' events: what it says when asked (Y1 to Y3)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS, Combinations, Entry, Group
from contexts.constraints import Objection
from contexts.entry import AT, EVENT, FIRST, LAST
from contexts.grouping import Key

from ...algebra import Unit, Window
from ..timers import MEASURE
from .state import Blueprint, OperatorState


class ChoosingState(OperatorState):
    """What is stored combines as ``exists`` says, and ``context`` chooses among that (Q1)."""

    exists: Combinations

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.context = CONTEXTS[of.node.context.value]
        self.shared = of.node.may_repeat  # whether one event may be stored in two operands

    @property
    def stored_operands(self) -> Sequence[int]:
        """The operands whose events a group stores, in this order."""
        return range(len(self.node.children))

    def by_operand(self, key: Key, stored: Sequence[Sequence[Entry]]) -> tuple[Sequence[Entry], ...]:
        """What there is of a group, by operand as they are written; ``stored`` is what it stores."""
        return tuple(list(entries) for entries in stored)

    def lost(self, child: int, key: Key, entry: Entry, others: Sequence[Sequence[Entry]]) -> Objection:
        window = self.node.window
        if window is not None and entry[FIRST] is not None:
            unit, most = MEASURE[window.unit], reach(window)
            behind = [e for k, events in enumerate(others) if k != child for e in events if e[AT] > entry[AT]]
            until = min((e[LAST][unit] for e in behind if e[LAST] is not None), default=None)
            now = self.clock.moment()[unit] if until is None else until
            if now - entry[FIRST][unit] > most:
                return Objection("expired", (entry, *behind[:1]), now - entry[FIRST][unit] - most, most, unit)
        alone = [[entry] if k == child else [*events] for k, events in enumerate(others)]
        group = self._group_of(key, alone)
        if self.exists.enough(group):
            against = self.exists.objection(group) or self._newer(key, alone, but=child)
            if against is not None:
                return against
        if self.context.runs and child not in self.node.definition.aside:
            against = self._against_run(group, self.stored_operands.index(child), entry)
            if against is not None:
                return against
        if window is not None and entry[FIRST] is not None:
            apart = self.clock.moment()[unit] - entry[FIRST][unit]
            if apart > most:
                return Objection("expired", (entry,), apart - most, most, unit)
        return super().lost(child, key, entry, others)

    def _group_of(self, key: Key, events: Sequence[Sequence[Entry]]) -> Group:
        """A group that stores these, by operand; of what stands aside it stores nothing."""
        aside = self.node.definition.aside
        return Group(
            [[] if k in aside else list(events[k]) for k in self.stored_operands],
            None,
            key,
            shared=self.shared,
        )

    def _against_run(self, group: Group, operand: int, entry: Entry) -> Objection | None:
        """Why an event begins no run, or none that has what else there is (S2)."""
        alone = [entry if k == operand else None for k in range(len(group.stored))]
        against = self.exists.against_run(group, alone)
        for k, stored in enumerate(group.stored):
            if against is None and k != operand and stored:
                both = [stored[-1] if j == k else one for j, one in enumerate(alone)]
                against = self.exists.against_run(group, both)
        return against

    def superseded(self, key: Key, others: Sequence[Sequence[Entry]]) -> Objection | None:
        group = self._group_of(key, others)
        if not self.exists.enough(group) or self.exists.objection(group) is not None:
            return None
        return self._newer(key, others)

    def _newer(self, key: Key, others: Sequence[Sequence[Entry]], but: int = -1) -> Objection | None:
        """The first event that is no longer stored, and what has come after it; not of operand ``but``."""
        stored = {id(entry[EVENT]) for entries in self.account(key).stored for entry in entries}
        for k, arrived in enumerate(others):
            gone = [
                entry
                for entry in arrived
                if id(entry[EVENT]) not in stored and k not in (but, *self.node.definition.aside)
            ]
            if gone:
                newer = [entry for entry in arrived if entry[AT] > gone[-1][AT]]
                return Objection(
                    "replaced" if self.context.replaces else "withdrawn", (gone[-1], *newer[-1:])
                )
        return None


def reach(window: Window) -> int:
    """How far apart two moments may be: of n changes or transactions the last is n - 1 behind the first (W2)."""
    return window.amount if window.unit is Unit.TIME else window.amount - 1
