"""Operators that combine stored events of their operands: a context chooses among the combinations there are."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, MutableSequence, Sequence

from contexts import Combination, Entry, Group, Owner
from contexts.constraints import Constraint, Within
from contexts.entry import EVENT, FIRST, parts
from contexts.group import NO_STORES, Store, discard
from contexts.grouping import Key
from contexts.runs import Runs

from ...algebra import Order, Window
from ...events import Cause, PrimitiveType
from ...rules.programs import bound_by_operands
from ...rules.trees import LeafNode, OperatorNode
from ..timers import MEASURE, Due
from .choosing import ChoosingState, reach
from .deferrable import DeferrableState
from .state import Account, Arrivals, Blueprint, Input, Kept, by_group


class CombiningState(ChoosingState, DeferrableState):
    """Arrivals are stored, then the group is evaluated (H3): ``context`` chooses among what ``exists``.

    ``prompt`` says that whatever arrives ends at the time point at which it arrives, so that with a window what is
    older can be freed as time passes (G4).
    """

    def __init__(self, of: Blueprint) -> None:
        super().__init__(of)
        self.groups: dict[Key, Group] = {}
        self.width = len(of.node.children)
        self.collections: Mapping[int, Store] = NO_STORES  # of what is taken along, by place
        self._stores = self.context.replaces or self.context.runs  # in its own way
        # Whether combinations may be there that are not chosen, and that its window leaves behind.
        self._moves_on = (
            self.context.batches and of.node.window is not None and self.values.having is not None
        )
        self._stored_owners: tuple[Owner | None, ...] | None = None
        self.prompt = all(operand.prompt for operand in of.operands)
        # Whether everything arrives in the order in which it ends (Q1).
        self._in_order = self.prompt or of.tree.order is Order.DETECTION
        self._expires = of.node.window if self.prompt else None
        # The events of leaves begin in the order in which they come.
        self._aging: Collection[int] = ()

    def set_owners(self) -> None:
        super().set_owners()
        owners = self._owners
        self._stored_owners = None if owners is None else tuple(owners[k] for k in self.stored_operands)
        if self._expires is not None and not self.setting.general:
            self._aging = frozenset(
                k
                for k, operand in enumerate(self.stored_operands)
                if _is_primitive(self.node.children[operand])
            )

    # ---- groups ---------------------------------------------------------------------------------------

    def open_group(self, key: Key) -> Group:
        """A new group under this key."""
        # A flat group can become long and loses its oldest events first: a deque does that in one step.
        kind: type[MutableSequence[Entry]] = deque if self.flat else list
        stored = [kind() for _ in range(self.width)]
        group = self.groups[key] = Group(
            stored,
            self._stored_owners,
            key,
            self.shared,
            self._aging,
            self.end_of,
            self._in_order,
            self.collections,
        )
        if self.context.runs:
            group.runs = Runs()
        if self.by_value:
            self.note_key(key)
        return group

    def close_group(self, key: Key) -> None:
        """Forgets a group."""
        if self.groups.pop(key, None) is not None and self.by_value:
            self.drop_key(key)

    def drop_if_empty(self, key: Key) -> None:
        """Forgets a group in which nothing is stored."""
        group = self.groups.get(key)
        if group is not None and group.is_empty():
            self.close_group(key)

    def withdraw(self, child: int, entry: Entry) -> None:
        key = self.groupings[child].key_of(entry)
        group = self.groups.get(key)
        position = self.position(child)
        if group is not None and discard(group.stored[position], entry):
            self.context.withdrawn(group, self.exists, position, entry)
            self.drop_if_empty(key)

    def position(self, child: int) -> int:
        """Where the group stores operand ``child``'s events."""
        return child

    def stores(self, child: int, key: Key, node: int) -> bool:
        group = self.groups.get(key)
        return group is not None and any(
            entry[EVENT][3][-1:] == (node,) for entry in group.stored[self.position(child)]
        )

    def kept(self) -> Kept:
        return (self.groups,)

    def size(self) -> int:
        return sum(len(stored) for group in self.groups.values() for stored in group.stored)

    def _check(self) -> None:
        super()._check()
        for key, group in self.groups.items():
            assert not group.is_empty(), (self.node.label, key)

    def binders(self) -> frozenset[int]:
        """Where the group stores the events that bind what ``having`` asks for (S2)."""
        program = self.values.program
        having = program.having
        if having is None:
            return frozenset()
        wanted = set(having.variables)
        for name, expression in reversed(program.lets):
            if name in wanted:
                wanted.remove(name)
                wanted |= expression.variables
        bound = bound_by_operands(self.node, self.setting.programs[self.tree_index])
        return frozenset(self.position(child) for child in self.stored_operands if wanted & bound[child])

    # ---- arrivals -------------------------------------------------------------------------------------

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        group = self.groups.get(key)
        if group is None:
            group = self.open_group(key)
        self.admit(group, child, key, arrivals, cause)

    def arrive_together(self, inputs: Sequence[Input], cause: Cause) -> None:
        """All is stored, then each group is evaluated (H3)."""
        for key, arrivals in by_group(inputs):
            self.hold(key, arrivals, cause)
            if key in self.groups:
                self.release(key, cause)

    def take(self, child: int, key: Key, entry: Entry, cause: Cause) -> None:
        group = self.groups.get(key) or self.open_group(key)
        self.admit(group, child, key, (entry,), cause)
        if self.outbox:
            self.hand_up(cause, key)

    def admit(self, group: Group, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        """Stores arrivals in a group that has something, and evaluates it if enough operands have."""
        if self._stores:
            self.context.store(group, self.exists, child, arrivals)
        elif self._in_order:
            group.stored[child].extend(arrivals)
        else:
            arrivals = sorted(arrivals, key=self.end_of)  # as they are chosen, too (Q1, Q2)
            group.store(child, arrivals)
        if self._moves_on:
            self._let_go(group, [(child, entry) for entry in arrivals])
        if group.runs.has_complete() if group.runs is not None else self.exists.enough(group):
            self.raise_all(key, group, cause, child, arrivals)
        elif (self._stores or self._moves_on) and group.is_empty():
            self.close_group(key)
            return
        if self._expires is not None and group.expiry is None:
            self.watch_over(group, self._expires)

    def raise_all(
        self, key: Key, group: Group, cause: Cause, child: int = 0, arrivals: Sequence[Entry] = ()
    ) -> None:
        """Evaluates a group and raises what it finds; forgets the group if that has emptied it. What is new are the
        ``arrivals`` of an operand, or what is fresh."""
        for combination in self.chosen(group, child, arrivals):
            self.raise_chosen(combination, key, cause)
        if group.is_empty():
            self.close_group(key)

    def chosen(self, group: Group, child: int, arrivals: Sequence[Entry]) -> list[Combination]:
        """What the context chooses."""
        group.now = self.clock.point
        if arrivals:
            return self.context.on_arrival(group, self.exists, child, arrivals)
        return self.context.on_release(group, self.exists)

    def raise_chosen(self, combination: Combination, key: Key, cause: Cause) -> None:
        """Raises a combination without the operands that are left out (S1, M5)."""
        if self.collections:
            combination = tuple([entry for _, entry in parts(combination)])
        elif None in combination:
            combination = tuple([entry for entry in combination if entry is not None])
        self.raise_combination(combination, key, cause)

    # ---- asked (Y1, Y3) -------------------------------------------------------------------------------

    def account(self, key: Key) -> Account:
        group = self.groups.get(key)
        if group is None:
            return super().account(key)
        self.setting.tries.begin()  # asking is no arrival (Q5)
        enough = self.exists.enough(group) and not self.context.runs
        objection = self.exists.objection(group) if enough else None
        raised = enough and objection is None and not self.context.is_possible(group, self.exists)
        return Account(self.by_operand(key, self.context.standing(group)), objection, raised)

    # ---- deferred -------------------------------------------------------------------------------------

    def hold(self, key: Key, arrivals: Sequence[Arrivals], cause: Cause) -> None:
        group = self.groups.get(key)
        if group is None:
            group = self.open_group(key)
        waits = self._moves_on and self.context.is_possible(group, self.exists)
        for child, entries in arrivals:
            if not (self._in_order or self._stores):
                entries = sorted(entries, key=self.end_of)
            self.context.store(group, self.exists, child, entries)
            if not self.context.runs:
                group.hold(child, entries)
        if self._moves_on and not waits:
            self._let_go(group, [(child, entry) for child, entries in arrivals for entry in entries])
        if self._expires is not None and group.expiry is None:
            self.watch_over(group, self._expires)
        if self.context.runs or self._moves_on:
            self.drop_if_empty(key)

    def is_possible(self, key: Key) -> bool:
        group = self.groups.get(key)
        return group is not None and self.context.is_possible(group, self.exists)

    def release(self, key: Key, cause: Cause) -> None:
        group = self.groups[key]
        self.raise_all(key, group, cause)
        group.fresh = None
        if self._expires is not None:
            now = self.clock.reading(self._expires.unit, self.clock.ts)
            self._free_old(group, self._expires, now - 1)  # something else may still happen at this time
        self.drop_if_empty(key)

    def _let_go(self, group: Group, new: Sequence[tuple[int, Entry]]) -> None:
        """Frees what the window has left behind now that these have arrived, of a whole of which `having` was false."""
        for k, entry in self.context.overtaken(group, self.exists, new):
            discard(group.stored[k], entry)

    # ---- windows --------------------------------------------------------------------------------------

    def watch_over(self, group: Group, window: Window, after: int | None = None) -> None:
        """Says when (``after`` some time) something of the group is too old for any further combination (Q4, G4)."""
        if group.expiry is not None:
            return
        unit, amount = MEASURE[window.unit], reach(window)
        expiry: int | None = None
        for k, stored in enumerate(group.stored):
            for entry in stored:
                if entry[FIRST] is not None:
                    end = entry[FIRST][unit] + amount
                    if after is None or end > after:
                        if expiry is None or end < expiry:
                            expiry = end
                        if k in group.aging:
                            break
        group.expiry = expiry
        if expiry is not None:
            self.setting.expiries.set(window.unit, self.due(expiry, group.key))

    def expire(self, due: Due) -> None:
        group = self.groups.get(due.key)
        if group is None or group.expiry != due.at or self._expires is None:
            return
        group.expiry = None
        self._free_old(group, self._expires, due.at)
        if group.is_empty():
            self.close_group(due.key)
        else:
            self.watch_over(group, self._expires, due.at)

    def _free_old(self, group: Group, window: Window, now: int) -> None:
        """Frees what was last in time for something at ``now``, which has passed."""
        unit, amount = MEASURE[window.unit], reach(window)
        self.context.expire(
            group, self.exists, lambda e: e[FIRST] is not None and e[FIRST][unit] + amount <= now
        )


def _is_primitive(operand: LeafNode | OperatorNode) -> bool:
    return isinstance(operand, LeafNode) and isinstance(operand.type, PrimitiveType)


def window_constraints(node: OperatorNode) -> list[Constraint]:
    """The constraint that the operator's window is, if it has one (W3)."""
    window = node.definition.options.within
    return [] if window is None else [Within(reach(window), MEASURE[window.unit])]
