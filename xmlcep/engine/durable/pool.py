"""Events and stored entries in a state: each is written once, and wherever else it occurs its number is.

The engine asks whether two entries are the same one, not whether they are equal, and composites of an accumulation
share its list: so what is one object before is one object after, also where a state is kept in pieces. Each piece has
all that occurs in it, by numbers that are the same in all of them (`Known`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from contexts import Entry
from contexts.entry import BINDINGS, EMPTY_END, EMPTY_START, EVENT, FIRST, Moment
from path_types import PathType
from path_types.types import DOCUMENT

from ...events import Cause, CompositeEvent, Event, PrimitiveEvent, TimePoint
from ...xpath import RunningValues
from ..errors import StateError
from ..operators.accumulation import Arrivals, Integrated
from ..operators.records import IntegratedRecords, Records
from ..place import Place
from ..values import GatheredBindings

Json: TypeAlias = Any
"""What JSON can hold."""

_PRIMITIVE, _COMPOSITE, _TIME_POINT, _ENTRY, _LIST, _RECORDS = "p", "c", "t", "s", "l", "r"
_NUMBER = "number"
_UNSAID = [None, None, False]  # severity and message, of which "" is one, and whether it is the last
_INFINITE = {float("inf"): "inf", float("-inf"): "-inf"}


def write_number(number: float) -> Json:
    """A number of which an infinity is text."""
    return _INFINITE.get(number, number)


def read_number(data: Json) -> float:
    """What `write_number` wrote."""
    return float(data) if isinstance(data, str) else data


class Known:
    """What has a number: texts that occur often, and what is shared."""

    def __init__(self, texts: Iterable[str] = (), count: int = 0) -> None:
        self.texts = list(texts)
        self.text_numbers = {text: number for number, text in enumerate(self.texts)}
        self.count = count
        self.numbers: dict[int, int] = {}  # by id
        self.things: dict[int, Any] = {}  # so that no other object gets the id of one of these

    def number(self, thing: object) -> int:
        """The number of something shared, from now on."""
        number = self.numbers.get(id(thing))
        if number is None:
            number, self.count = self.count, self.count + 1
            self.have(number, thing)
        return number

    def have(self, number: int, thing: object) -> None:
        """Has this with the number that it was written with."""
        self.things[number] = thing
        self.numbers[id(thing)] = number


class Writer:
    """Collects what is shared: ``objects`` by number, each after those that it is made of, and texts."""

    def __init__(self, known: Known | None = None) -> None:
        self._known = Known() if known is None else known
        self.objects: dict[int, Json] = {}
        self._paths: dict[PathType, int] = {}
        self._primitives: dict[tuple[object, ...], PrimitiveEvent] = {}

    def state(self) -> dict[str, Json]:
        """What has been collected; to be asked when all is written."""
        return {"texts": self._known.texts, "objects": list(self.objects.values())}

    def text(self, text: str) -> int:
        """The number of a text that occurs often."""
        known = self._known
        number = known.text_numbers.get(text)
        if number is None:
            number = known.text_numbers[text] = len(known.texts)
            known.texts.append(text)
        return number

    def path(self, path: PathType | None) -> int | None:
        """The number of a path type's text."""
        if path is None:
            return None
        number = self._paths.get(path)
        if number is None:
            number = self._paths[path] = self.text(str(path))
        return number

    def event(self, event: Event | TimePoint) -> int:
        """The number of an event or time point. A plain tuple counts as the primitive event that it describes."""
        number = self._known.numbers.get(id(event))
        if number in self.objects:
            return number
        if isinstance(event, CompositeEvent):
            return self._add(event, self._composite(event))
        if isinstance(event, TimePoint):
            return self._add(
                event,
                [_TIME_POINT, self._ts(event.ts), event.at, self.text(event.doc), event.txn, _meta(event)],
            )
        ts, op, path, ids, value, old, pos, at, doc, txn, meta, more = event
        # Of a plain tuple events are made where they are needed, each of which is that one.
        known = (*event[:10], more, type(ts))
        same = self._primitives.setdefault(known, event)
        if same is not event and same[10] == meta:
            return self.event(same)
        return self._add(
            event,
            [
                _PRIMITIVE, self._ts(ts), op, self.path(path), list(ids), value, old, pos, at, self.text(doc), txn,
                None if meta is None else dict(meta), int(more),
            ],
        )  # fmt: skip

    def entry(self, entry: Entry) -> int:
        """The number of a stored entry."""
        number = self._known.numbers.get(id(entry))
        if number in self.objects:
            return number
        event = entry[EVENT]
        start, end, at = entry[:EVENT]
        written: list[Json] = [_ENTRY, self.event(event)]
        plain = len(entry) <= FIRST and type(event) is PrimitiveEvent
        if not (plain and start == end == at == event.ts):
            written += [write_number(start), write_number(end), at]
            if len(entry) == FIRST + 1:  # with the flush that was the last (A7)
                written += [False, entry[FIRST]]
            elif len(entry) > FIRST:
                first, last, bindings, *happened = entry[FIRST:]
                same = bindings is not None and type(event) is CompositeEvent and bindings is event.bindings
                written += [
                    first, last, True if same else self.bindings(bindings), *happened,
                ]  # fmt: skip
        return self._add(entry, written)

    def entries(self, entries: Sequence[Entry]) -> int:
        """The number of a list of entries that composites may share."""
        number = self._known.numbers.get(id(entries))
        if number in self.objects:
            return number
        kind = _RECORDS if isinstance(entries, Records) else _LIST
        return self._add(entries, [kind, *map(self.entry, entries)])

    def bindings(self, bindings: Mapping[str, Any] | None) -> Json:
        """The variables of an event."""
        if bindings is None:
            return None
        if isinstance(bindings, GatheredBindings):
            known, lists, part = bindings.parts
            if isinstance(part, (Arrivals, Integrated)):
                return [self.bindings(known), list(lists), self._part(part)]
        return {name: _write_value(value) for name, value in bindings.items()}

    def _composite(self, event: CompositeEvent) -> list[Json]:
        name, operator, path, ids, constituents, start, end, cause, bindings, span, names, *said = event
        parts: Json
        if isinstance(constituents, Integrated):
            parts = {"part": self._part(constituents)}
        elif type(constituents) is tuple:
            parts = [self.event(constituent) for constituent in constituents]
        else:
            raise StateError(
                f"{name} has constituents that were found elsewhere ({type(constituents).__name__}): a detector that "
                "takes such composites has no state that could be written"
            )
        return [
            _COMPOSITE, self.text(name), None if operator is None else self.text(operator), self.path(path), list(ids),
            parts, self._ts(start), self._ts(end), self.event(cause), self.bindings(bindings), span,
            *([names, *said] if said != _UNSAID else [] if names is None else [names]),
        ]  # fmt: skip

    def _ts(self, ts: int | None) -> Json:
        """A time point; of a place in the order of all documents also what has it (V11)."""
        return [int(ts), self.event(ts.of)] if isinstance(ts, Place) else ts

    def _part(self, part: Arrivals | Integrated) -> list[int]:
        entries, start, stop = part.bounds
        return [self.entries(entries), start, stop]

    def _add(self, thing: object, written: list[Json]) -> int:
        number = self._known.number(thing)
        self.objects[number] = written
        return number


class Reader:
    """Makes the shared objects of a state anew, and gives them by number."""

    def __init__(self, state: Mapping[str, Json], known: Known | None = None) -> None:
        known = Known(state["texts"]) if known is None else known
        self._texts = known.texts
        self._objects = known.things
        objects = state["objects"]
        for number, written in zip(state.get("numbers", range(len(objects))), objects, strict=True):
            if number not in known.things:
                known.have(number, self._made(written))

    def event(self, number: int) -> Any:
        """An event or time point."""
        return self._objects[number]

    entry = event
    entries = event

    def path(self, number: int | None) -> PathType | None:
        """A path type."""
        return None if number is None else _path_of(self._texts[number])

    def text(self, number: int) -> str:
        """A text that occurs often."""
        return self._texts[number]

    def _made(self, written: list[Json]) -> object:
        kind = written[0]
        if kind == _ENTRY:
            return self._entry(*written[1:])
        if kind == _PRIMITIVE:
            _, ts, op, path, ids, value, old, pos, at, doc, txn, meta, more = written
            where = self.path(path)
            assert where is not None
            return PrimitiveEvent(
                self._ts(ts),
                op,
                where,
                tuple(ids),
                value,
                old,
                pos,
                at,
                self.text(doc),
                txn,
                meta,
                bool(more),
            )
        if kind == _COMPOSITE:
            return self._composite(*written[1:])
        if kind == _LIST:
            return [self._objects[number] for number in written[1:]]
        if kind == _RECORDS:
            return Records.of([self._objects[number] for number in written[1:]])
        _, ts, at, doc, txn, meta = written
        return TimePoint(self._ts(ts), at, self.text(doc), txn, meta)

    def _ts(self, written: Json) -> Any:
        return Place.at(written[0], self._objects[written[1]]) if isinstance(written, list) else written

    def _entry(self, number: int, *rest: Json) -> Entry:
        event = self._objects[number]
        if not rest:
            return (event.ts, event.ts, event.ts, event)
        start, end, at, *more = rest
        entry = (read_number(start), read_number(end), at, event)
        if not more:
            return entry
        if more[0] is False:
            return (*entry, more[1])
        first, last, bindings, *happened = more
        variables = event.bindings if bindings is True else self.bindings(bindings)
        return (*entry, read_moment(first), read_moment(last), variables, *map(_read_note, happened))

    def bindings(self, data: Json) -> Mapping[str, Any] | None:
        """The variables of an event."""
        if data is None:
            return None
        if isinstance(data, list):
            known, lists, part = data
            variables = self.bindings(known)
            return GatheredBindings(dict(variables or {}), tuple(lists), self._integrated(part))
        return {name: _read_value(value) for name, value in data.items()}

    def _composite(
        self, name: int, operator: int | None, path: int | None, ids: list[int], parts: Json, start: Json,
        end: Json, cause: int, bindings: Json, span: Json, names: Json = None,
        severity: str | None = None, message: str | None = None, ended: bool = False,
    ) -> CompositeEvent:  # fmt: skip
        constituents: Sequence[Event]
        if isinstance(parts, dict):
            constituents = self._integrated(parts["part"])
        else:
            constituents = tuple(self._objects[number] for number in parts)
        raised_at: Cause = self._objects[cause]
        return CompositeEvent(
            self.text(name), None if operator is None else self.text(operator), self.path(path), tuple(ids),
            constituents, self._ts(start), self._ts(end), raised_at, self.bindings(bindings), read_span(span),
            tuple(names) if isinstance(names, list) else names, severity, message, ended,
        )  # fmt: skip

    def _integrated(self, part: list[int]) -> Integrated:
        number, start, stop = part
        entries = self._objects[number]
        kind = IntegratedRecords if isinstance(entries, Records) else Integrated
        return kind(entries, start, stop)


@lru_cache(maxsize=10_000)
def _path_of(text: str) -> PathType:
    return DOCUMENT if text == str(DOCUMENT) else PathType.parse(text)


def read_moment(data: Json) -> Moment | None:
    """A moment, or that there is none."""
    return None if data is None else Moment(*data)


def read_span(data: Json) -> tuple[Any, Any] | None:
    """The moments of a first and a last event."""
    return None if data is None else (read_moment(data[0]), read_moment(data[1]))


def _meta(event: TimePoint) -> dict[str, str] | None:
    return None if event.meta is None else dict(event.meta)


def _read_note(data: Json) -> object:
    """What stands behind all that an entry has: a moment, or how many flushes there had been (A3, A7)."""
    return data if isinstance(data, int) else read_moment(data)


def _write_value(value: Any) -> Json:
    """A variable's value, or its list of values; JSON has no NaN and no infinities."""
    if isinstance(value, (tuple, RunningValues)):
        return [_write_value(one) for one in value]
    if isinstance(value, float) and value - value != 0:
        return {_NUMBER: repr(value)}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise StateError(f"a variable has the value {value!r}: expected a string, a number, a boolean or a list")


def _read_value(data: Json) -> Any:
    if isinstance(data, list):
        return tuple(map(_read_value, data))
    return float(data[_NUMBER]) if isinstance(data, dict) else data


assert BINDINGS == FIRST + 2 and EMPTY_START > EMPTY_END  # what entries look like here
