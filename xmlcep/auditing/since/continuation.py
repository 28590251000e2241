"""One run of an audit that goes on: the state it found, and what is new."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...log import Header
from ..inputs import FilePart, LogFile
from .past_files import key_of, read_until
from .state_file import AuditState


class Since(NamedTuple):
    """``state`` is brought up to date as the run goes; ``parts`` are what is new, by the places of files.

    ``frontier`` says up to which time point the records of a document are read; None: all are.
    """

    state: AuditState
    parts: list[FilePart]
    frontier: Callable[[str], int] | None = None

    @property
    def logs(self) -> list[LogFile]:
        """The files that are no file of the state's own, with records that were held."""
        own = str(self.state.beside("held"))
        return [part.file for part in self.parts if part.file.path != own]

    def left(self, doc: str) -> dict[str, Any] | None:
        """What earlier runs have left of a document; None if they had nothing of it."""
        line = self.state.documents.get(doc)
        return None if line is None else json.loads(line)

    def note_files(self, lines: Mapping[int, int], headers: Mapping[int, dict[str, Header]]) -> None:
        """All new parts have been read: how many lines files have, which headers they had, by their places."""
        for part in self.parts:
            if part.file not in self.logs:
                continue
            begun = self.state.documents
            found = {doc: each for doc, each in headers.get(part.file.place, {}).items() if doc not in begun}
            self.state.files[key_of(part.file)] = read_until(part, lines.get(part.file.place, 0), found)
