"""What an assignment costs that Python is to see, part by part: element classes that do ever more of what a wrapped
document does at ``tail = ``, and no document.

Each class writes out what the one before it does: a call for that would be measured, too.
"""

from __future__ import annotations

from time import time
from typing import Any

from lxml import etree

from path_types import PathType
from xmlcep.events import PrimitiveEvent
from xmlcep.wrapping.lxml_access import set_tail

_new_event = tuple.__new__
_PATH = PathType.parse("/order/text()")


class _Known:
    """What is known of a node, and what a document counts."""

    __slots__ = ("ids", "number", "tail", "ts")

    def __init__(self) -> None:
        self.ids, self.number, self.tail, self.ts = (1, 2, 3, 4, 5, 6, 7), 8, "", 0


_known: dict[Any, _Known] = {}


def _heard(_: object) -> None:
    """A subscriber that does nothing."""


class PassedOn(etree.ElementBase):
    """Elements of which Python sees every assignment, and does nothing with it."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


class Dispatched(etree.ElementBase):
    """By the name of the attribute a function is called, which sets the text."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        _SETTERS[name](self, value)


class LookedUp(etree.ElementBase):
    """It knows whose node this is and what its text was."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        known = _known.get(self)
        if known is None:
            known = _known[self] = _Known()
        _SETTERS[name](self, value)
        if value != known.tail:
            known.tail = value


class Told(etree.ElementBase):
    """It makes an event without contents, and calls one subscriber."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        known = _known.get(self)
        if known is None:
            known = _known[self] = _Known()
        _SETTERS[name](self, value)
        if value != known.tail:
            known.tail = value
            _heard(_new_event(PrimitiveEvent, _EMPTY))


class Complete(etree.ElementBase):
    """The event has time point, path, ids, both values and the wall clock."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        known = _known.get(self)
        if known is None:
            known = _known[self] = _Known()
        _SETTERS[name](self, value)
        old = known.tail
        if value != old:
            known.tail = value
            known.ts = ts = known.ts + 1
            time()
            ids = (*known.ids, known.number)
            _heard(
                _new_event(
                    PrimitiveEvent, (ts, "upd", _PATH, ids, value, old, None, "", "", None, None, False)
                )
            )


_SETTERS = {"tail": set_tail}
_EMPTY = (0, "upd", _PATH, (1,), "", "", None, "", "", None, None, False)

STEPS: dict[str, type[etree.ElementBase]] = {
    "seen by Python and passed on": PassedOn,
    "sent on by the attribute's name": Dispatched,
    "whose node it is, and the old text": LookedUp,
    "an event without contents, one subscriber": Told,
    "the event's contents": Complete,
}
"""What is done, each with all that stands before it."""
