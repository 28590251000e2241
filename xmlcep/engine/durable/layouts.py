"""What a table of running state says of a class, and how objects are written and filled by it.

A `Form` is how the value of one attribute is written, with its way back. ``read`` gets what the attribute holds in a
detector that is new (``present``), made by the constructor of its owner: what follows from the rules is there already.
What an attribute holds then is not written: a state is as long as what has happened, not as the rules.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import StateError
from .pool import Json, Reader, Writer


@dataclass(frozen=True, slots=True)
class Layout:
    """What objects of a class have: ``state`` by attribute, each in its form; ``derived`` are the attributes that
    follow from the rules, or are worked out again when they are asked for. ``attributes`` are those of the state in
    their places."""

    state: Mapping[str, Form]
    derived: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, Form], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.state.items()))


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

    def digest(self, more: Layout) -> str:
        """What changes with the classes and the names of what is written of them, and of one ``more``."""
        lines = [f"{kind.__qualname__}: {' '.join(layout.state)}" for kind, layout in self._layouts.items()]
        return hashlib.sha256("\n".join([*lines, *more.state]).encode()).hexdigest()[:12]


class Form(ABC):
    """How one kind of value is written, and read.

    ``new`` is what the attribute holds in an object that is new, ``nothing`` what is written of an object within that
    is: neither is written. Of forms that do not say, everything is.
    """

    new: Any = object()
    nothing: Any = object()

    @abstractmethod
    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        """The value of an attribute of ``owner`` as plain data."""

    @abstractmethod
    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        """The value again: ``present`` itself, if that was filled."""


class Scribe(Writer):
    """A writer that knows the table."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def fields(self, owner: object, layout: Layout | None = None) -> list[Json]:
        """The running state of an object: of each attribute that is not as new its place in the layout (the given one,
        or that of its class), and how it is written."""
        layout = layout or self._table.layout(type(owner))
        written: list[Json] = []
        for place, (name, form) in enumerate(layout.attributes):
            value = getattr(owner, name)
            if value != form.new:
                data = form.write(self, value, owner)
                if data != form.nothing:
                    written += (place, data)
        return written


class Interpreter(Reader):
    """A reader that knows the table; ``moved``: where the trees of the state are in the rules of the reader, by their
    indexes, None if these are the same rules (G7)."""

    def __init__(
        self, state: Mapping[str, Json], table: Table, moved: Mapping[int, int] | None = None
    ) -> None:
        super().__init__(state)
        self._table = table
        self._moved = moved

    def tree(self, index: int) -> int | None:
        """The index of an event tree in the rules of the reader; None if these do not have it (G7)."""
        return index if self._moved is None else self._moved.get(index)

    def fill(self, owner: object, data: list[Json], layout: Layout | None = None) -> None:
        """Gives an object that is new the running state that was written."""
        layout = layout or self._table.layout(type(owner))
        attributes = layout.attributes
        for place, written in zip(data[::2], data[1::2], strict=True):
            name, form = attributes[place]
            present = getattr(owner, name)
            value = form.read(self, written, owner, present)
            if value is present:
                continue
            if isinstance(present, (dict, set)):  # others may have it, too
                present.clear()
                present.update(value)
            else:
                setattr(owner, name, value)
