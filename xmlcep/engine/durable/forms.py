"""Forms of the values that many attributes have: single ones, entries, keys, dicts of these, objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from contexts.grouping import Key

from ...events import as_event
from ..errors import StateError
from ..operators.prompt_pairs import items_of
from .layouts import Divided, Form, Interpreter, Scribe, read_key
from .pool import Json, read_number, read_span, write_number

NO_ITEMS: list[Any] = []
_NO_KEYS: set[Any] = set()
_NO_GROUPS: dict[Any, Any] = {}

# ---- single values ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plain(Form):
    """Strings, whole numbers, booleans, nothing."""

    new: Any = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return value

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return data


class Number(Form):
    """A number that may be infinite."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return write_number(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return read_number(data)


@dataclass(frozen=True, slots=True)
class Nothing(Form):
    """A list or set that is empty between two events: this one."""

    new: Any

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        raise StateError("the state of a detector can be asked for between two events only")

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return present


class EventOrNothing(Form):
    """An event or a time point, or None."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return None if value is None else writer.event(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return None if data is None else reader.event(data)


class EntryOrNothing(Form):
    """A stored entry, or None."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return None if value is None else writer.entry(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return None if data is None else reader.entry(data)


class SharedEntries(Form):
    """A list of entries that composites share."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return writer.entries(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return reader.entries(data)


class SharedRecords(SharedEntries):
    """`Records` that composites share."""

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        records = super().read(reader, data, owner, present)
        records.read = present.read
        return records


class Span(Form):
    """The moments of a first and a last event, or None."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return value

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return read_span(data)


class PathInstance(Form):
    """A path type with ids, or None."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return None if value is None else [writer.path(value[0]), list(value[1])]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return None if data is None else (reader.path(data[0]), tuple(data[1]))


# ---- many values --------------------------------------------------------------------------------------------


class Keys(Form):
    """A set of keys, or of whole numbers."""

    new = _NO_KEYS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return sorted(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return set(map(read_key, data))


class Trees(Keys):
    """A set of event trees, by index; what is there stays: it may be of other trees (G7)."""

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return present | {index for one in data if (index := reader.tree(one)) is not None}


class Numbers(Form):
    """A list of whole numbers."""

    new = NO_ITEMS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return list(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return list(data)


class Entries(Form):
    """Entries in a list of their own."""

    new = NO_ITEMS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [writer.entry(entry) for entry in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return [reader.entry(number) for number in data]


@dataclass(frozen=True, slots=True)
class Items(Form):
    """What two operands store of the one: entries, or of a leaf the events as they came."""

    operand: int

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        if owner.bare[self.operand]:
            return [writer.event(as_event(item)) for item in value]
        return [writer.entry(entry) for entry in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        read = reader.event if owner.bare[self.operand] else reader.entry
        return [read(number) for number in data]


class QueuedItems(Items):
    """The same where one item stands without a list."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return super().write(writer, items_of(value), owner)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        items = super().read(reader, data, owner, present)
        return items if len(items) > 1 else items[0]


class BothItems(Form):
    """The same of both operands."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [form.write(writer, stored, owner) for form, stored in zip(_BOTH, value, strict=True)]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return tuple(form.read(reader, stored, owner, None) for form, stored in zip(_BOTH, data, strict=True))


_BOTH = (Items(0), Items(1))


class NumberedEntries(Form):
    """A list of pairs: an operand, or a time, and an entry; or None."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return None if value is None else [[number, writer.entry(entry)] for number, entry in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return None if data is None else [(number, reader.entry(entry)) for number, entry in data]


class Stores(Form):
    """The stored entries of each operand, in the containers that the group has."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [[writer.entry(entry) for entry in stored] for stored in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        for stored, written in zip(present, data, strict=True):
            stored.extend(reader.entry(number) for number in written)
        return present


@dataclass(frozen=True, slots=True)
class Listed(Form):
    """A list of values of one form."""

    form: Form

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [self.form.write(writer, one, owner) for one in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return [self.form.read(reader, one, owner, None) for one in data]


@dataclass(frozen=True, slots=True)
class ByKey(Divided):
    """A dict by key, or by place, in its order."""

    form: Form
    new = _NO_GROUPS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return self.form.write(writer, value, owner)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return self.form.read(reader, data, owner, None)


class KeySet(Divided):
    """A set of keys that belong to groups."""

    new = _NO_KEYS

    def pairs(self, value: Any, tree: int) -> Iterable[tuple[int, Key, Any]]:
        return [(tree, key, None) for key in sorted(value)]

    def put(self, present: Any, key: Key, one: Any) -> None:
        present.add(key)

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return None

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        return None


# ---- objects ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MadeByKey(Divided):
    """Objects by key that their owner makes: ``make`` is asked of owner and key."""

    make: Callable[[Any, Key], Any]
    new = _NO_GROUPS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return writer.fields(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        made = self.make(owner, present)
        reader.fill(made, data)
        return made


@dataclass(frozen=True, slots=True)
class Made(Form):
    """An object that can be made without anything."""

    make: Callable[[], Any]

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return writer.fields(value)

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        made = self.make()
        reader.fill(made, data)
        return made
