"""Random histories with records beside everything, where edits and transactions begin, go on and end.

Whoever feeds a part of a document's records only tells of the others that something has happened elsewhere: it may be
the first record of an edit or its last, an edit by itself, all of a transaction, or a record of a transaction that cuts
off an edit which was to go on (U2). Other histories have few records of which nothing has to be told but that. Here
they are put into any history, so that rules about items know nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count

from hypothesis import strategies as st

from path_types import PathType
from xmlcep.events import PrimitiveEvent

from .histories import History, HistoryStep

ASIDE = PathType.parse("/order/aside")
_FIRST_ID, _FIRST_TRANSACTION = 2000, 900  # of which histories have none
_INSIDE = ("first", "within", "last")
# Where records are put beside an edit, and how many; nowhere in every third.
_PLACES = (
    *[("", 0)] * 5, *[("first", 1)] * 3, ("first", 2), ("within", 1), ("last", 1), ("alone", 1), ("alone", 2),
    ("transaction", 1), ("cut", 1), ("cut", 2),
)  # fmt: skip


@st.composite
def with_asides(draw: st.DrawFn, histories: st.SearchStrategy[History], *, often: bool = False) -> History:
    """One of these histories, with records beside what it is about, behind its first edit; ``often``: at each edit."""
    units = _edits(draw(histories).steps)
    chosen = draw(_places(len(units) - 1, often))
    transactions = count(_FIRST_TRANSACTION)
    found: list[HistoryStep] = []
    for unit, (place, many) in zip(units, [("", 0), *chosen], strict=True):
        if not place or not isinstance(unit[0], PrimitiveEvent):
            found += unit
        elif place in _INSIDE:
            found += _with_inside(unit, place, many)
        else:
            found += _before(unit[0], place, many, found, transactions)
            found += unit
    return History(tuple(_numbered(found)))


@cache
def _places(size: int, often: bool) -> st.SearchStrategy[list[tuple[str, int]]]:
    places = [place for place in _PLACES if place[0]] if often else _PLACES
    return st.lists(st.sampled_from(places), min_size=size, max_size=size)


def _with_inside(edit: list[HistoryStep], place: str, many: int) -> list[HistoryStep]:
    """The edit with so many more records at a place in it."""
    at = {"first": 0, "within": (len(edit) + 1) // 2, "last": len(edit)}[place]
    asides = [_aside(_of(edit[0]))._replace(more=True)] * many
    found = [*edit[:at], *asides, *edit[at:]]
    if at == len(edit):
        found[at - 1] = _of(edit[-1])._replace(more=True)
        found[-1] = asides[-1]._replace(more=_of(edit[-1]).more)
    return found


def _before(
    model: PrimitiveEvent, place: str, many: int, so_far: list[HistoryStep], transactions: Iterator[int]
) -> list[HistoryStep]:
    """An edit of so many records before another one, perhaps in a transaction of its own, and perhaps before the edit
    in front of it is over."""
    last = so_far[-1] if so_far else None
    if place == "cut" and isinstance(last, PrimitiveEvent):
        so_far[-1] = last._replace(more=True)
    alone = place == "alone" or model.txn is not None
    aside = _aside(model)._replace(txn=model.txn if alone else next(transactions))
    edit: list[HistoryStep] = [*[aside._replace(more=True)] * (many - 1), aside]
    return edit if alone else [*edit, "flush"]


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


def _of(step: HistoryStep) -> PrimitiveEvent:
    assert isinstance(step, PrimitiveEvent)
    return step


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
