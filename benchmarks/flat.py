"""What an event costs must not depend on how much there is besides: open items, history, groups that wait, other rules.

Each case is the same work with more of one thing beside it; the ratio is to the case with the least of it. Calls of
functions are counted, too: they are the same in every run, and do not know how far the memory is. The loop written by
hand (`floor`) shows what more open items cost anyway: what belongs together lies further apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from path_types import PathType

from .engine import as_events, count
from .floor import count_complete
from .frame import Figure, Settings, Unavailable
from .histories import TEXT, History, Row
from .measure import measure, per_event
from .queries import ITEM, both_rule, complete_rule

if TYPE_CHECKING:
    from xmlcep import PrimitiveEvent

TITLE = "What an event costs beside more of something; the ratio is to the least of it"
ORDER = PathType.parse("/order")
OPEN = (1, 100, 10_000)  # no more than a tenth of the events
SHARES = (100, 10, 1)  # of ten times the events
WAITING = (10, 1_000, 100_000)  # no more than there are events
OTHERS = (0, 100, 1_000, 10_000)  # no more than a tenth of them
_USUAL = 100  # items open at once, where nothing else is said
_LIFE = 20  # more events than an item has
_STEP = 10_000  # events that are measured behind a history
_LONG = 10**9  # changes: a window longer than any history here


@dataclass(frozen=True, slots=True)
class Kind:
    """Rules of one kind.

    ``text`` makes them for elements of a name, a suffix of the rules' names and windows of so many changes.
    ``waits_complete``: groups wait when all parts are there, for the end of a transaction or for a condition; else they
    wait for parts.
    """

    name: str
    text: Callable[[str, str, int], str]
    waits_complete: bool = False


def _plain(item: str, tag: str, window: int) -> str:
    return f"{complete_rule(item, tag)}\n{both_rule(item, tag)}"


def _ending(end: str, item: str, tag: str, window: int) -> str:
    return complete_rule(item, tag).replace(" =", f" {{end={end}}} =", 1)


def _with_windows(item: str, tag: str, window: int) -> str:
    within = f'{{within="{window} changes"}}'
    soon = f"event Soon{tag} = (ins({item}/price) & ins({item}/quantity)) {within}"
    return f"{soon}\nevent Missing{tag} = (ins({item}) ; not ins({item}/quantity)) {within}"


def _with_condition(item: str, tag: str, window: int) -> str:
    return f'event Noted{tag} {{when="comment"}} = ins({item}/price) & ins({item}/quantity)'


KINDS = (
    Kind("Q1 and Q2", _plain),
    Kind("non-local", partial(_ending, "non-local")),
    Kind("custom", partial(_ending, "custom"), waits_complete=True),
    Kind("windows", _with_windows),
    Kind("condition", _with_condition, waits_complete=True),
)


class Feeding:
    """A detector that gets rows under the clock; before that, each time, it is as new and gets ``past``.

    ``goes_on``: the transaction of the last row is not over with it, nor that of the last row before.
    """

    def __init__(
        self,
        rules_text: str,
        rows: Iterable[Row],
        past: Callable[[], Iterable[Row]] = tuple,
        *,
        goes_on: bool = False,
    ) -> None:
        try:
            from xmlcep import Detector, parse_rules
        except ImportError as error:
            raise Unavailable(f"the engine: {error}") from error
        self._detector = Detector(parse_rules(rules_text))
        self._rows = list(as_events(rows))
        self._past = past
        self._take = self._feed if goes_on else self._replay

    @property
    def events(self) -> int:
        """How many rows it gets under the clock."""
        return len(self._rows)

    def prepare(self) -> None:
        """What comes before."""
        self._detector.reset()
        self._take(as_events(self._past()))

    def run(self) -> int:
        """How many composites the rows raise."""
        return self._take(self._rows)

    def _replay(self, events: Iterable[PrimitiveEvent]) -> int:
        return count(self._detector.replay(events))

    def _feed(self, events: Iterable[PrimitiveEvent]) -> int:
        feed = self._detector.feed
        return sum(len(feed(event)) for event in events)


def run(settings: Settings) -> Iterator[Figure]:
    """The four tables; ``settings.only`` chooses by their names and those of the kinds of rules."""
    floor = "items open: by hand"
    if settings.only in floor:
        rows = {
            f"{many:,}": list(_settled(settings, many)[1]) for many in _up_to(settings.events // 10, OPEN)
        }
        loops = {name: partial(count_complete, its, ITEM) for name, its in rows.items()}
        timings = measure(loops, runs=settings.runs)
        yield from per_event("flat", floor, timings, events=settings.events, base=next(iter(loops)))
    for what, feedings_of in (
        ("items open", _open), ("events before", _behind), ("groups waiting", _waiting), ("other rules", _others),
    ):  # fmt: skip
        for kind in KINDS:
            case = f"{what}: {kind.name}"
            if settings.only in case:
                yield from _measured(case, feedings_of(kind, settings), settings.runs)


def _measured(case: str, feedings: Mapping[str, Feeding], runs: int) -> Iterator[Figure]:
    timings = measure(
        {name: feeding.run for name, feeding in feedings.items()},
        before={name: feeding.prepare for name, feeding in feedings.items()},
        runs=runs,
    )
    least = next(iter(feedings))
    yield from per_event("flat", case, timings, events=feedings[least].events, base=least)
    calls = {name: _calls(feeding) / feeding.events for name, feeding in feedings.items()}
    for name, number in calls.items():
        ratio, base = (None, "") if name == least else (number / calls[least], least)
        yield Figure("flat", f"{case}, {name}", number, "calls/event", ratio, base)


def _calls(feeding: Feeding) -> int:
    """How many functions are called while it gets its rows."""
    calls = 0

    def note(frame: object, what: str, argument: object) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    feeding.prepare()
    sys.setprofile(note)
    try:
        feeding.run()
    finally:
        sys.setprofile(None)
    return calls


def _up_to(most: int, numbers: tuple[int, ...]) -> list[int]:
    return [each for each in numbers if each <= most]


def _history(settings: Settings, window: int = _USUAL, events: int | None = None) -> History:
    """Transactions of 50 events, and every item is deleted in the end."""
    return History(events or settings.events, window, deleted=1.0, transaction=50, seed=settings.seed)


def _open(kind: Kind, settings: Settings) -> dict[str, Feeding]:
    """W items at once. Windows are as long as what happens to an item, however far that lies apart."""
    feedings = {}
    for many in _up_to(settings.events // 10, OPEN):
        past, rows = _settled(settings, many)
        feedings[f"{many:,}"] = Feeding(kind.text("item", "", _LIFE * many), rows, past)
    return feedings


def _settled(settings: Settings, window: int) -> tuple[Callable[[], Iterable[Row]], Iterator[Row]]:
    """What comes before and what is measured: events of items that have begun at different times, not all at once,
    which would be other work; the windows of the first items are over."""
    before = 2 * _LIFE * window
    history = _history(settings, window, before + settings.events)
    return partial(_first, history, before), islice(history.rows(), before, None)


def _behind(kind: Kind, settings: Settings) -> dict[str, Feeding]:
    """A hundredth, a tenth, all of ten times the events came before."""
    feedings = {}
    for share in SHARES:
        before = 10 * settings.events // share
        history = _history(settings, events=before + min(_STEP, settings.events))
        later = islice(history.rows(), before, None)
        past = partial(_first, history, before)
        feedings[f"{before:,}"] = Feeding(kind.text("item", "", _LIFE * _USUAL), later, past)
    return feedings


def _first(history: History, count: int) -> Iterable[Row]:
    return islice(history.rows(), count)


def _waiting(kind: Kind, settings: Settings) -> dict[str, Feeding]:
    """So many items have come before that still wait for something."""
    _, *rows = _history(settings).rows()  # without the order, which is there
    feedings = {}
    for many in _up_to(settings.events, WAITING):
        past = list(_items(many, complete=kind.waits_complete))
        last = past[-1][0]
        # In the transaction of those that wait for its end, and without end.
        later = [(row[0] + last, *row[1:9], 1, *row[10:]) for row in rows]
        feedings[f"{many:,}"] = Feeding(
            kind.text("item", "", _LONG), later, partial(tuple, past), goes_on=True
        )
    return feedings


def _items(count: int, *, complete: bool) -> Iterator[Row]:
    """An order with so many items that stay: with a price that was changed, if ``complete`` with a quantity."""
    ts, node = 1, 1 << 40
    yield _row(ts, "ins", ORDER, (1,))
    text = ITEM.price.child(TEXT)
    for _ in range(count):
        item, price = (1, node), (1, node, node + 1)
        changes = [
            ("ins", ITEM.item, item, None, None),
            ("ins", ITEM.price, price, None, None),
            ("ins", text, (*price, node + 2), "1", None),
            ("upd", text, (*price, node + 2), "2", "1"),
        ]
        if complete:
            changes.append(("ins", ITEM.quantity, (*item, node + 3), None, None))
        for op, path, ids, value, old in changes:
            ts += 1
            yield _row(ts, op, path, ids, value, old)
        node += 4


def _row(
    ts: int, op: str, path: PathType, ids: tuple[int, ...], value: str | None = None, old: str | None = None
) -> Row:
    return ts, op, path, ids, value, old, 0 if op == "ins" else None, None, "order", 1, None, False


def _others(kind: Kind, settings: Settings) -> dict[str, Feeding]:
    """So many rules of the kind over other elements, beside Q1 and Q2."""
    rows = list(_history(settings).rows())
    feedings = {}
    for many in _up_to(settings.events // 10, OTHERS):
        others = [kind.text(f"other{number}", str(number), _LONG) for number in range(many)]
        feedings[f"{many:,}"] = Feeding("\n".join([_plain("item", "", 0), *others]), rows)
    return feedings
