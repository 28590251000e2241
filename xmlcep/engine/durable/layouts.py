"""What a table of running state says of a class, and how objects are written and filled by it.

A `Form` is how the value of one attribute is written, with its way back. ``read`` gets what the attribute holds in a
detector that is new (``present``), made by the constructor of its owner: what follows from the rules is there already.
What an attribute holds then is not written: a state is as long as what has happened, not as the rules.

A state is a list of items. Each is an attribute of a part of the detector, such as an operator, or of an attribute that
is divided by keys (`Divided`) what it has for one key: ``[tree, part, attribute, (key,) data]``, the first three by
number. So it can be kept in one list, or in pieces (`pieces`).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from contexts.grouping import Key

from ..errors import StateError
from .pool import Json, Known, Reader, Writer

OWN = -1
"""In place of a tree's index: of no tree."""
Part: TypeAlias = tuple[Any, "Layout"]
"""An object that a detector has from its making on, with what it has."""
Parts: TypeAlias = dict[int, list[Part]]
"""All parts of a detector: its own, and by their index those of its trees."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What objects of a class have: ``state`` by attribute, each in its form; ``derived`` are the attributes that
    follow from the rules, or are worked out again when they are asked for. ``attributes`` are those of the state in
    their places."""

    state: Mapping[str, Form | Within]
    derived: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, Form | Within], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.state.items()))


class Within:
    """In place of a form: the attribute holds a part of the detector, or None."""

    def parts(self, value: Any) -> Iterable[tuple[int | None, Any]]:
        """The parts, each with its index if it is an event tree."""
        return () if value is None else ((None, value),)


class AllWithin(Within):
    """Several of them, in a tuple or by number."""

    def parts(self, value: Any) -> Iterable[tuple[int | None, Any]]:
        return [(None, one) for one in (value.values() if isinstance(value, dict) else value)]


class TreesWithin(Within):
    """Event trees, by index."""

    def parts(self, value: Any) -> Iterable[tuple[int | None, Any]]:
        trees: Mapping[int, Any] = value
        return trees.items()


class Table:
    """Layouts by class."""

    def __init__(self, layouts: Mapping[type, Layout]) -> None:
        self._layouts = dict(layouts)

    def layout(self, kind: type) -> Layout:
        """What objects of a class have; raises `StateError` for a class that the table does not have."""
        layout = self._layouts.get(kind)
        if layout is None:
            raise StateError(
                f"{kind.__module__}.{kind.__qualname__} has no layout in xmlcep/engine/durable/table.py: say there "
                "which of its attributes are running state"
            )
        return layout

    def parts(self, owner: object, layout: Layout) -> Parts:
        """The parts of a detector, which is one itself."""
        found: Parts = {}
        self._note(owner, layout, OWN, found)
        return found

    def _note(self, owner: object, layout: Layout, tree: int, found: Parts) -> None:
        found.setdefault(tree, []).append((owner, layout))
        for name, form in layout.attributes:
            if isinstance(form, Within):
                for index, part in form.parts(getattr(owner, name)):
                    self._note(part, self.layout(type(part)), tree if index is None else index, found)

    def digest(self, more: Layout) -> str:
        """What changes with the classes and the names of what is written of them, and of one ``more``."""
        lines = [f"{kind.__qualname__}: {' '.join(layout.state)}" for kind, layout in self._layouts.items()]
        return hashlib.sha256("\n".join([*lines, *more.state]).encode()).hexdigest()[:12]


class Form(ABC):
    """How one kind of value is written, and read.

    ``new`` is what the attribute holds in an object that is new, which is not written. Of forms that do not say,
    everything is.
    """

    new: Any = object()

    @abstractmethod
    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        """The value of an attribute of ``owner`` as plain data."""

    @abstractmethod
    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        """The value again: ``present`` itself, if that was filled."""


class Divided(Form):
    """How an attribute of a part is written that has something for each of many keys; ``write`` and ``read`` are about
    one, and get the key in place of what is ``present``."""

    def pairs(self, value: Any, tree: int) -> Iterable[tuple[int, Key, Any]]:
        """What the attribute has, by key, with the index of the tree whose key it is; ``tree`` is the part's."""
        return [(tree, key, one) for key, one in value.items()]

    def put(self, present: Any, key: Key, one: Any) -> None:
        """Has one of them, which has been read, in what the attribute holds."""
        present[key] = one


class Scribe(Writer):
    """A writer that knows the table; ``writes_a_part``: the detector has not read all of its state."""

    writes_a_part = False

    def __init__(self, table: Table, known: Known | None = None) -> None:
        super().__init__(known)
        self._table = table
        self.items: list[Json] = []

    def turn_to(self, tree: int, key: Key) -> None:
        """The next item is of this key of a tree."""

    def turn_back(self) -> None:
        """What comes next is of no key."""

    def detector(self, owner: object, layout: Layout) -> list[Json]:
        """The running state of a detector: its items."""
        for tree, parts in self._table.parts(owner, layout).items():
            for number, (part, of) in enumerate(parts):
                for place, (name, form) in enumerate(of.attributes):
                    if not isinstance(form, Within) and (value := getattr(part, name)) != form.new:
                        self._write([tree, number, place], form, value, part)
        return self.items

    def _write(self, address: list[int], form: Form, value: Any, part: object) -> None:
        if not isinstance(form, Divided):
            self.items.append([*address, form.write(self, value, part)])
            return
        for tree, key, one in form.pairs(value, address[0]):
            self.turn_to(tree, key)
            self.items.append([*address, key, form.write(self, one, part)])
        self.turn_back()

    def fields(self, owner: object) -> list[Json]:
        """The running state of an object that a part keeps: of each attribute that is not as new its place in the
        layout, and how it is written."""
        written: list[Json] = []
        for place, (name, form) in enumerate(self._table.layout(type(owner)).attributes):
            value = getattr(owner, name)
            if not isinstance(form, Within) and value != form.new:
                written += (place, form.write(self, value, owner))
        return written


class Interpreter(Reader):
    """A reader that knows the table; ``moved``: where the trees of the state are in the rules of the reader, by their
    indexes, None if these are the same rules (G7)."""

    def __init__(
        self,
        state: Mapping[str, Json],
        table: Table,
        moved: Mapping[int, int] | None = None,
        known: Known | None = None,
    ) -> None:
        super().__init__(state, known)
        self._table = table
        self._moved = moved

    def tree(self, index: int) -> int | None:
        """The index of an event tree in the rules of the reader; None if these do not have it (G7)."""
        return index if self._moved is None or index == OWN else self._moved.get(index)

    def detector(self, items: Iterable[Sequence[Json]], owner: object, layout: Layout) -> None:
        """Gives a detector that is new, or has other items already, what was written."""
        parts = self._table.parts(owner, layout)
        for of_tree, number, place, *key, data in items:
            tree = self.tree(of_tree)
            if tree is None:
                continue
            part, of = parts[tree][number]
            name, form = of.attributes[place]
            if isinstance(form, Divided):
                read = read_key(*key)
                form.put(getattr(part, name), read, form.read(self, data, part, read))
            elif isinstance(form, Form):
                self._set(part, name, form, data)

    def fill(self, owner: object, data: list[Json]) -> None:
        """Gives an object that is new the running state that was written."""
        attributes = self._table.layout(type(owner)).attributes
        for place, written in zip(data[::2], data[1::2], strict=True):
            name, form = attributes[place]
            assert isinstance(form, Form)
            self._set(owner, name, form, written)

    def _set(self, owner: object, name: str, form: Form, data: Json) -> None:
        present = getattr(owner, name)
        value = form.read(self, data, owner, present)
        if value is present:
            return
        if isinstance(present, (dict, set)):  # others may have it, too
            present.clear()
            present.update(value)
        else:
            setattr(owner, name, value)


def read_key(data: Json) -> Key:
    """A group's key: a place, or a place with values."""
    return tuple(data) if isinstance(data, list) else data
