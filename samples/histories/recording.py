"""A document's history made again on a wrapped document, and recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from xmlcep.recording.recorder import record
from xmlcep.wrapping import Document, fromstring

from .edits import Edit, Editor, Script
from .versions import Version, canonical, versions_of


class DifferenceError(ValueError):
    """A document that is not the version it should be by now."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was done: ``edits`` made, ``events`` recorded, ``compared`` versions found to be equal."""

    name: str
    log: Path
    versions: int
    edits: int
    events: int
    compared: int


class CommitClock:
    """The wall clock of a history: it shows the date of the version that is being made."""

    def __init__(self) -> None:
        self.now = 0.0

    def set(self, date: str) -> None:
        """Sets it to a date such as ``2012-11-27T10:00:00+01:00``."""
        self.now = datetime.fromisoformat(date).timestamp()

    def __call__(self) -> float:
        return self.now


def record_history(data: Path, name: str, log: Path, *, check_all: bool = False) -> Recorded:
    """Makes the edits of a document's history, one transaction per version, and records them to ``log``.

    ``data`` is the folder with ``histories`` and ``logs``. Raises `DifferenceError` if the last version (with
    ``check_all``: any version that is there) is not the real one, `EditError` if an edit does not fit.
    """
    script = Script(data / "logs", name)
    versions = versions_of(data / "histories" / name)
    clock = CommitClock()
    clock.set(versions[1].date)
    done = compared = 0
    with fromstring(versions[1].text(), name=name, now=clock) as doc:
        with record(doc, log, durability="os"):
            editor = Editor(doc.root, script.namespaces)
            for number, edits in script:
                clock.set(edits[0].date)
                done += make_version(doc, editor, number, edits)
                if number == script.versions or (check_all and number in versions):
                    _compare(doc, versions[number])
                    compared += 1
        return Recorded(name, log, script.versions, done, doc.clock, compared)


def make_version(doc: Document, editor: Editor, number: int, edits: list[Edit]) -> int:
    """Makes the edits that lead to one version, in a transaction; returns how many they are."""
    with doc.transaction(version=number, date=edits[0].date):
        for edit in edits:
            editor.apply(edit)
    return len(edits)


def _compare(doc: Document, version: Version) -> None:
    if canonical(doc.root) != canonical(version.parse()):
        raise DifferenceError(
            f"{doc.name}: the document is not version {version.number} ({version.file.name}): compare it with"
            " the log rebuilt up to there"
        )
