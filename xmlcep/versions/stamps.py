"""When a record was made, by whom, and why: read from its fields and its ``meta``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..documents import Replica, ReplicaError, Strictness
from ..documents.snapshots import SnapshotError
from ..events import PrimitiveEvent
from ..log.errors import LogError
from ..log.quarantine import BadRecordPolicy, refuse
from ..log.reading import read_everything
from ..log.records import ClockRecord, Control, Header
from ..log.segments import Source, files_of
from ..provenance import who, why
from ..recording.moment import Moment, When
from .history import VERSION

_COMMIT_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and by whom something was made what it is: ``ts`` 0 for what was there when the log began."""

    ts: int
    at: str | None = None
    txn: int | None = None
    meta: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def who(self) -> str:
        """Who made the change, as far as ``meta`` says."""
        return who(self.meta)

    @property
    def why(self) -> str:
        """Why, as far as ``meta`` says."""
        return why(self.meta)

    @property
    def when(self) -> str:
        """When: the date the application gives, else the wall clock of the record."""
        return self.meta.get("date") or self.at or ""

    def to_record(self) -> dict[str, Any]:
        """As a JSON object."""
        return {"ts": self.ts, "at": self.at, "txn": self.txn, "meta": dict(self.meta)}

    @property
    def version(self) -> str:
        """Which version: the commit in short, the file, the transaction, the time point; empty at the start."""
        commit = self.meta.get("commit")
        if commit:
            return commit[:_COMMIT_SHOWN]
        made = f"txn {self.txn}" if self.txn is not None else f"@{self.ts}" if self.ts else ""
        return self.meta.get("file") or made


class Replay:
    """A log's events, one by one, with the document as it is after each (``replica``).

    ``start`` is the stamp of what was there when the log began. A log of several documents needs ``doc``. Raises
    `LogError`, which names the record, for a log that is damaged or holds no such document.
    """

    def __init__(
        self,
        log: Source,
        *,
        at: When | Moment = None,
        doc: str | None = None,
        on_bad: BadRecordPolicy = refuse,
    ) -> None:
        self._log = log
        self._moment = at if isinstance(at, Moment) else Moment(at)
        self.doc = doc
        self._on_bad = on_bad
        self.replica = Replica(strictness=Strictness.STRICT)
        self.start = Stamp(0)
        self._begun = False  # whether there has been an event

    def events(self) -> Iterator[PrimitiveEvent]:
        """The events up to the time point; each is applied when the next is asked for."""
        one, seen = self.doc, False
        for origin, item in read_everything(files_of(self._log), on_bad=self._on_bad):
            if isinstance(item, Control):
                if item.kind == VERSION and not self._begun:
                    self.start = Stamp(0, item.content.get("at"), None, _pairs(item.content.get("meta")))
                continue
            if isinstance(item, ClockRecord):
                continue  # time that passed changes no document
            if one is not None and item.doc != one:
                if self.doc is not None:
                    continue
                raise LogError(
                    f"{origin}: the log holds several documents ({one!r}, {item.doc!r}): name one (doc=…, --doc …)"
                )
            one, seen = item.doc, True
            if not self._moment.includes(item, origin):
                break
            try:
                if isinstance(item, Header):
                    self._begin(item)
                else:
                    yield item
                    self.replica.apply(item)
                    self._begun = True
            except (ReplicaError, SnapshotError) as error:
                raise LogError(f"{origin}: {error}") from error
        if not seen:
            raise LogError(
                f"{', '.join(map(str, files_of(self._log)))}: nothing is recorded of"
                f" {'any document' if self.doc is None else f'the document {self.doc!r}'}"
            )

    def _begin(self, header: Header) -> None:
        self.replica = Replica(strictness=Strictness.STRICT)
        if header.snapshot is not None:
            self.replica = Replica.from_snapshot(header.snapshot, header.ids, strictness=Strictness.STRICT)


def _pairs(meta: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in meta.items()} if isinstance(meta, Mapping) else {}
