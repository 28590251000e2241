"""What recovery would know of a log if it had replayed it up to some place: a file beside the log.

Two lines of JSON: one that says of which log, up to where, and the digest of the other, which is the state. It is a
short cut and nothing else: what cannot be used is left alone, and the log is replayed as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engine import Detector, StateError
from ..engine.durable import FORM, VERSION, check_version
from ..errors import XmlCepError
from ..log.identity import digests
from ..log.reading import Start
from ..log.records import Header
from ..log.segments import segment
from ..log.writing import write_new_file
from ..rules import Rules
from .places import Place, state_path


@dataclass(frozen=True, slots=True)
class WatchState:
    """What is known of the recorded watch that was opened last.

    ``stamp`` says of which rules it is, ``opened`` where in the log it was opened; ``told`` how many composite events
    it has raised, all of them delivered; ``detector`` is the state of its detector, None if it has been closed.
    """

    stamp: Mapping[str, Any]
    opened: str
    operators: bool
    told: int
    detector: Mapping[str, Any] | None

    def new_detector(self, rules: Rules) -> Detector | None:
        """The detector that it had, None if it was closed; raises `StateError`."""
        return None if self.detector is None else Detector.from_state(rules, self.detector)


@dataclass(frozen=True, slots=True)
class RecordingState:
    """What a log has up to a place: the document with its clock (``header``), the last transaction, the next node
    id, the watch. ``size`` is that of the file it was read from."""

    place: Place
    header: Header
    txn: int
    next_id: int
    watch: WatchState | None
    size: int = 0

    def start(self, log: Path) -> Start:
        """Where reading goes on."""
        number, byte, line = self.place
        return Start(str(segment(log, number)), byte, line + 1, self.header.doc, self.header.ts)

    def save(self, log: Path) -> int:
        """Writes it beside the log; returns the size of the file. Raises `OSError`."""
        watch = self.watch
        body = _line(
            {
                "document": self.header.to_record(), "txn": self.txn, "next_id": self.next_id,
                "watch": None if watch is None else {
                    "of": dict(watch.stamp), "opened": watch.opened, "operators": watch.operators,
                    "told": watch.told, "detector": watch.detector,
                },
            }
        )  # fmt: skip
        number, byte, line = self.place
        head = _line(
            {
                "xmlcep": "recording", "version": VERSION, "form": FORM, "number": number, "bytes": byte,
                "lines": line, "file": digests(segment(log, number), byte),
                "body": hashlib.sha256(body).hexdigest(),
            }
        )  # fmt: skip
        write_new_file(state_path(log), head + body)
        return len(head) + len(body)

    @classmethod
    def load(cls, log: Path, sizes: Mapping[int, int]) -> RecordingState | None:
        """The state beside a log, of whose files so many bytes count, by number; None if there is none.

        Raises `StateError` for one that is damaged, of another log, or of another version of xmlcep.
        """
        path = state_path(log)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateError(f"{path}: cannot be read: {error.strerror}") from error
        try:
            head, _, body = content.partition(b"\n")
            says = json.loads(head)
            check_version(says, "recording")
            if says["body"] != hashlib.sha256(body).hexdigest():
                raise ValueError("other bytes")
            place = Place(says["number"], says["bytes"], says["lines"])
            if not _is_of(log, place, says["file"], sizes):
                raise StateError("belongs to another log, or to records that are no longer in this one")
            return cls._of(json.loads(body), place, len(content))
        except (StateError, OSError) as error:
            raise StateError(f"{path}: {error}") from error
        except (ValueError, LookupError, TypeError, AttributeError, XmlCepError) as error:
            raise StateError(f"{path}: is not a state of a recording, or a damaged one") from error

    @classmethod
    def _of(cls, body: Mapping[str, Any], place: Place, size: int) -> RecordingState:
        watch = body["watch"]
        return cls(
            place, Header.from_record(body["document"]), body["txn"], body["next_id"],
            None if watch is None else WatchState(
                watch["of"], watch["opened"], watch["operators"], watch["told"], watch["detector"]
            ),
            size,
        )  # fmt: skip


def _is_of(log: Path, place: Place, known: list[str], sizes: Mapping[int, int]) -> bool:
    if sizes.get(place.number, -1) < place.byte:
        return False
    return list(digests(segment(log, place.number), place.byte)) == known


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"
