"""State that stays in the process: events and entries are handed over as they are, not written."""

from __future__ import annotations

from typing import Any

from ..operators.records import Records
from .layouts import Interpreter, Scribe, Table

_NOTHING_SHARED: dict[str, Any] = {"texts": (), "objects": ()}


class _AsItIs:
    """Values are the same on both sides."""

    def event(self, value: Any) -> Any:
        return value

    entry = entries = path = text = bindings = event


class SharingScribe(_AsItIs, Scribe):
    """A writer of state for the same process."""


class SharingInterpreter(_AsItIs, Interpreter):
    """A reader of that; lists that grow are others, but shared by the same."""

    def __init__(self, table: Table, moved: dict[int, int] | None = None) -> None:
        super().__init__(_NOTHING_SHARED, table, moved)
        self._lists: dict[int, tuple[Any, Any]] = {}

    def entries(self, value: Any) -> Any:
        if id(value) not in self._lists:
            self._lists[id(value)] = value, Records.of(value) if isinstance(value, Records) else list(value)
        return self._lists[id(value)][1]
