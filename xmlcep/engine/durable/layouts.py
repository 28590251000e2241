"""What a table of running state says of a class, and how objects are written and filled by it.

A `Form` is how the value of one attribute is written, with its way back. ``read`` gets what the attribute holds in a
detector that is new (``present``), made by the constructor of its owner: what follows from the rules is there already.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import StateError
from .pool import Json, Reader, Writer


class Layout(NamedTuple):
    """What objects of a class have: ``state`` by attribute, each in its form; ``derived`` are the attributes that
    follow from the rules, or are worked out again when they are asked for."""

    state: Mapping[str, Form]
    derived: frozenset[str] = frozenset()


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
    """How one kind of value is written, and read."""

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
        """The running state of an object, in the order of its layout: the given one, or that of its class."""
        layout = layout or self._table.layout(type(owner))
        return [form.write(self, getattr(owner, name), owner) for name, form in layout.state.items()]


class Interpreter(Reader):
    """A reader that knows the table."""

    def __init__(self, state: Mapping[str, Json], table: Table) -> None:
        super().__init__(state)
        self._table = table

    def fill(self, owner: object, data: list[Json], layout: Layout | None = None) -> None:
        """Gives an object that is new the running state that was written."""
        layout = layout or self._table.layout(type(owner))
        for (name, form), written in zip(layout.state.items(), data, strict=True):
            present = getattr(owner, name)
            value = form.read(self, written, owner, present)
            if value is present:
                continue
            if isinstance(present, (dict, set)):  # others may have it, too
                present.clear()
                present.update(value)
            else:
                setattr(owner, name, value)
