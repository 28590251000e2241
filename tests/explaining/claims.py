"""What the sentence of a reason claims, reckoned from the history alone (rule Y3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.strategies import History as Steps
from xmlcep.events import CompositeEvent, Event, PrimitiveEvent
from xmlcep.explaining import Reason
from xmlcep.explaining.values import Cause
from xmlcep.timestamps import microseconds


class Past(NamedTuple):
    """A history, and what it has raised, composites of operators, too."""

    history: Steps
    raised: list[CompositeEvent]

    def has(self, event: Event) -> bool:
        """Whether an event is one of it."""
        return any(event is one for one in (*self.history.events, *self.raised))

    def time(self, ts: int) -> int:
        """The document time at a time point in microseconds, which stands still within an edit (W1)."""
        begin, before = 0, None
        for step in self.history.steps:
            if isinstance(step, PrimitiveEvent):
                if step.ts > ts:
                    break
                if before is None or not before.more or before.txn != step.txn:
                    begin = step.ts
            before = step if isinstance(step, PrimitiveEvent) else None
        return max(microseconds(one.at) for one in self.history.events if one.ts <= begin and one.at)


def is_so(cause: Cause, past: Past) -> bool:
    """Whether what the sentence says of the events that it names is so."""
    judge = _JUDGES.get(cause.reason)
    return all(map(past.has, cause.events)) and (judge is None or judge(cause, past))


def interval(event: Event) -> tuple[int, int]:
    """When its first and its last primitive event were (E5)."""
    times = [one.ts for one in (event.flattened() if isinstance(event, CompositeEvent) else (event,))]
    return min(times), max(times)


def _consumed(cause: Cause, past: Past) -> bool:
    """The second has the first."""
    if " is part of " not in cause.text:
        return len(cause.events) == 1
    event, whole = cause.events
    return isinstance(whole, CompositeEvent) and any(one is event for one in whole.constituents)


def _node_deleted(cause: Cause, past: Past) -> bool:
    return [event.op for event in cause.events if isinstance(event, PrimitiveEvent)] == ["del"]


def _wrong_order(cause: Cause, past: Past) -> bool:
    if "came before" in cause.text:  # by when they began, or, with order=detection, were detected
        first, second = cause.events
        return interval(second)[0] < interval(first)[0] or second.ts <= first.ts
    if "did not end before" in cause.text:
        return interval(cause.events[0])[1] >= interval(cause.events[1])[0]
    return True


_APART = re.compile("further apart than ([^,]+), by (.+)$")


def _expired(cause: Cause, past: Past) -> bool:
    """They lie as far apart as it says: by time points or by time; to what is last, if only one is named."""
    said = _APART.search(cause.text)
    if said is None or not cause.events:
        return True  # of transactions
    first = min(interval(event)[0] for event in cause.events)
    last = max(interval(event)[1] for event in cause.events)
    if " and now " in cause.text:
        last = past.history.events[-1].ts
    if "change" in said[1]:
        return last - first == sum(int(each.split()[0].replace(",", "")) for each in said.groups())
    apart = past.time(last) - past.time(first)
    return apart == sum(map(_amount, said.groups())) or " and now " in cause.text


def _gap(cause: Cause, past: Past) -> bool:
    said = _APART.search(cause.text)
    if said is None or len(cause.events) < 2:
        return True
    before, after = interval(cause.events[0])[1], interval(cause.events[1])[0]
    if "change" in said[1]:
        return after - before == sum(int(each.split()[0].replace(",", "")) for each in said.groups())
    return past.time(after) - past.time(before) == sum(map(_amount, said.groups()))


def _amount(text: str) -> int:
    """Of a span of time as Python writes it, in microseconds."""
    days, _, clock = text.rpartition(", ") if "day" in text else ("0", "", text)
    hours, minutes, seconds = clock.split(":")
    whole = (int(days.split()[0]) * 24 + int(hours)) * 60 + int(minutes)
    return whole * 60_000_000 + round(float(seconds) * 1_000_000)


def _contiguous(cause: Cause, past: Past) -> bool:
    """What else happened was after the one and before the other."""
    times = list(map(int, cause.text.rpartition(" at ")[2].split(", ")))
    known = {event.ts for event in past.history.events}
    return known.issuperset(times) and _lie_between(times, cause.events)


def _lie_between(times: Iterable[int], events: tuple[Event, ...]) -> bool:
    if len(events) < 2:
        return True
    (_, after), (before, _) = sorted(map(interval, events[:2]))
    return all(after < ts < before for ts in times)


def _relation(cause: Cause, past: Past) -> bool:
    found = re.match(r".* \(from (\d+) to (\d+)\) ([a-z-]+) .* \(from (\d+) to (\d+)\) is false$", cause.text)
    if found is None:
        return "(detected " in cause.text or "(from inf" in cause.text or len(cause.events) < 2
    start, end, other_start, other_end = (int(found[n]) for n in (1, 2, 4, 5))
    return [(start, end), (other_start, other_end)] == [
        interval(event) for event in cause.events[:2]
    ] and not holds(found[3], start, end, other_start, other_end)


def holds(word: str, s: int, e: int, t: int, f: int) -> bool:
    """Whether the interval from s to e stands in a relation to that from t to f (R1)."""
    inverse = {
        "after": "before", "met-by": "meets", "overlapped-by": "overlaps", "started-by": "starts",
        "contains": "during", "finished-by": "finishes",
    }  # fmt: skip
    if word in inverse:
        return holds(inverse[word], t, f, s, e)
    return {
        "before": e < t, "meets": e == t, "overlaps": s < t < e < f, "starts": s == t and e < f,
        "during": t < s and e < f, "finishes": e == f and s > t, "equals": (s, e) == (t, f), "par": s <= f and t <= e,
    }[word]  # fmt: skip


def _replaced(cause: Cause, past: Past) -> bool:
    """The newer of the two has taken the place of the other."""
    if len(cause.events) < 2:
        return True
    return interval(cause.events[0])[1] <= interval(cause.events[1])[1]


def _listed(cause: Cause, past: Past) -> bool:
    """What has occurred instead has, as often as it says."""
    counts: dict[str, int] = {}
    for event in past.history.events:
        type_ = f"{event.op}({event.path})"
        counts[type_] = counts.get(type_, 0) + 1
    return all(counts.get(type_) == count for type_, count in _counted(cause.text))


def _counted(text: str) -> Iterator[tuple[str, int]]:
    for type_, times in re.findall(r"((?:ins|upd|del)\(/[^ ]*\)) \((once|[\d,]+ times)\)", text):
        yield type_, 1 if times == "once" else int(times.split()[0].replace(",", ""))


_JUDGES: dict[Reason, Callable[[Cause, Past], bool]] = {
    Reason.NEVER_OCCURRED: _listed,
    Reason.CONSUMED: _consumed,
    Reason.NODE_DELETED: _node_deleted,
    Reason.WRONG_ORDER: _wrong_order,
    Reason.EXPIRED: _expired,
    Reason.GAP: _gap,
    Reason.NOT_CONTIGUOUS: _contiguous,
    Reason.RELATION_FALSE: _relation,
    Reason.REPLACED: _replaced,
}
