"""Windows that events open and close, whatever is raised in them (W8)."""

from __future__ import annotations

from xmlcep.algebra import ContextName, Order

from .. import constraints
from ..events import Entry, Event, Group
from ..values import Variables
from .operator import OperatorState


class OpeningState(OperatorState):
    """Operands: the first opens a window, the last closes windows. Open windows are what is stored of the first."""

    opens = 0

    @property
    def closes(self) -> int:
        """The child that closes."""
        return len(self.children) - 1

    @property
    def needed(self) -> tuple[int, ...]:
        """What closes need not bind what joins (V4)."""
        return tuple(range(self.closes))

    def order_of_turns(self) -> list[int]:
        """At one time point what closes is looked at first, what opens last (W8)."""
        return list(reversed(range(len(self.children))))

    def arrive(self, event: Event, child: int, group: Group, values: Variables) -> None:
        entry = self.entry(event, child, values)
        if child == self.closes:
            self.close(group, entry)
        elif child == self.opens:
            group.stored.append(entry)
            if self.context is ContextName.RECENT:
                for older in group.child(self.opens)[:-1]:
                    group.stored.remove(older)
            self.opened(group)
        else:
            self.between(group, entry)

    def dealt_with(self, event: Event, child: int) -> None:
        """What closes is used up, whether it closed something or not (W8)."""
        if child == self.closes:
            self.tell_consumed(self.entry(event, child, {}))

    def opened(self, group: Group) -> None:
        """A window has been opened."""

    def between(self, group: Group, entry: Entry) -> None:
        """Something that is to be raised."""

    def close(self, group: Group, closing: Entry) -> None:
        """W8: the windows that this closes are closed, their first events used up."""
        self.consume(group, self.chosen(group, closing))

    def chosen(self, group: Group, later: Entry) -> list[Entry]:
        """The open windows that lie before this and that the context chooses: all; the oldest; the newest, which is
        the only one."""
        found = [
            entry for entry in group.child(self.opens) if constraints.before(Order.INTERVAL, entry, later)
        ]
        return found[:1] if self.context in (ContextName.CHRONICLE, ContextName.NEXT) else found

    def together(self, windows: list[Entry]) -> list[list[Entry]]:
        """What goes into one composite: in cumulative context all windows, otherwise each by itself."""
        if self.context is ContextName.CUMULATIVE:
            return [windows] if windows else []
        return [[entry] for entry in windows]
