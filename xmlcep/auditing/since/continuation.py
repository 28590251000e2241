"""One run of an audit that goes on: the state it found, and what is new."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...log import Header
from .past_files import NewPart, key_of, read_until
from .state_file import AuditState


class Since(NamedTuple):
    """``state`` is brought up to date as the run goes; ``parts`` are what is new, by the places of files."""

    state: AuditState
    parts: list[NewPart]

    def left(self, doc: str) -> dict[str, Any] | None:
        """What earlier runs have left of a document; None if they had nothing of it."""
        line = self.state.documents.get(doc)
        return None if line is None else json.loads(line)

    def note_files(self, lines: Mapping[int, int], headers: Mapping[int, dict[str, Header]]) -> None:
        """All new parts have been read: how many lines files have, which headers they had, by their places."""
        for part in self.parts:
            begun = self.state.documents
            found = {doc: each for doc, each in headers.get(part.file.place, {}).items() if doc not in begun}
            self.state.files[key_of(part.file)] = read_until(part, lines.get(part.file.place, 0), found)
