"""Random histories with records beside everything, each an edit of its own, where others begin and before they end.

Other histories have few records of which rules know nothing but that they have happened. Here they are put into any
history: in the transaction of what comes next, in one of their own, or where they cut off an edit which was to go on
(U2).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.events import PrimitiveEvent

from .histories import History, HistoryStep

ASIDE = PathType.parse("/order/aside")
_FIRST_ID, _FIRST_TRANSACTION = 2000, 900  # of which histories have none
_PLACES = ("", "", "", "alone", "alone", "transaction", "cut")


@st.composite
def with_asides(draw: st.DrawFn, histories: st.SearchStrategy[History]) -> History:
    """One of these histories, with records beside what it is about, behind its first edit."""
    edits = _edits(draw(histories).steps)
    transactions = count(_FIRST_TRANSACTION)
    found: list[HistoryStep] = []
    for number, edit in enumerate(edits):
        place = draw(st.sampled_from(_PLACES)) if number else ""
        if place and isinstance(edit[0], PrimitiveEvent):
            found += _before(edit[0], place, found, transactions)
        found += edit
    return History(tuple(_numbered(found)))


def _before(
    model: PrimitiveEvent, place: str, so_far: list[HistoryStep], transactions: Iterator[int]
) -> list[HistoryStep]:
    """A record before another one, perhaps in a transaction of its own, and perhaps before the edit in front of it is
    over."""
    last = so_far[-1] if so_far else None
    if place == "cut" and isinstance(last, PrimitiveEvent):
        so_far[-1] = last._replace(more=True)
    if place == "alone" or model.txn is not None:
        return [_aside(model)]
    return [_aside(model)._replace(txn=next(transactions)), "flush"]


def _edits(steps: tuple[HistoryStep, ...]) -> list[list[HistoryStep]]:
    """The records of each edit together (U1, U2), other steps by themselves."""
    found: list[list[HistoryStep]] = []
    for step in steps:
        before = found[-1][-1] if found else None
        if (
            isinstance(before, PrimitiveEvent)
            and before.more
            and isinstance(step, PrimitiveEvent)
            and before.txn == step.txn
        ):
            found[-1].append(step)
        else:
            found.append([step])
    return found


def _aside(model: PrimitiveEvent) -> PrimitiveEvent:
    """A record at the time, and by the user, of another one."""
    return PrimitiveEvent(
        0, "ins", ASIDE, (model.ids[0], 0), None, None, 0, model.at, model.doc, model.txn, model.meta, False
    )


def _numbered(steps: list[HistoryStep]) -> list[HistoryStep]:
    """With time points in order, and new nodes where records are beside everything."""
    found: list[HistoryStep] = []
    ts = 0
    for step in steps:
        if isinstance(step, PrimitiveEvent):
            ts += 1
            step = step._replace(ts=ts)
            if step.path is ASIDE:
                step = step._replace(ids=(step.ids[0], _FIRST_ID + ts))
        found.append(step)
    return found
