"""What is kept between two runs of an audit: how far files were read, waiting matches, what is to be delivered.

A file of JSON lines: one that says whose state it is, one for each file, one for each document, and the digest of all
of them. The lines of documents that a run does not touch are copied as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest, sha256
from mmap import ACCESS_READ, mmap
from os import fstat
from pathlib import Path
from typing import Any, BinaryIO

from ...engine import OnRemoved, StateError
from ...engine.durable import FORM, VERSION, check_version, earlier_rules, rules_stamp
from ...errors import XmlCepError
from ...log.errors import LogLockedError
from ...log.lock import WriterLock
from ...rules import Rules
from ..document_lines import line_of
from ..findings.atomic_files import AtomicFile, same_place
from .deliveries import OUTPUTS, Delivery
from .past_files import Held, PastFile
from .state_documents import BEGIN, PastLines, StateDocuments

_BLOCK = 1 << 20


@dataclass(slots=True)
class AuditState:
    """The state of an audit; ``options`` is what has to be the same in all runs.

    ``documents`` are the lines of documents by name: what `DocumentReplay.pause` says of each. ``final``:
    the last run was told that the log is complete. ``before`` are the rules that wrote it, if those of this run are
    others, which replace them (G7). ``held`` are the records above gaps in the time points of documents.
    ``late`` is what becomes of records that come out of order, ``kept`` are the runs of which the state is kept.
    ``across`` is what events over documents have seen, and how far they are (V11).
    """

    path: Path
    options: dict[str, Any]
    runs: int = 0
    final: bool = False
    files: dict[str, PastFile] = field(default_factory=dict)
    documents: StateDocuments = field(default_factory=StateDocuments)
    deliveries: list[Delivery] = field(default_factory=list)
    before: Rules | None = None
    held: list[Held] = field(default_factory=list)
    late: str = "refuse"
    kept: list[int] = field(default_factory=list)
    across: dict[str, Any] | None = None

    @classmethod
    def load(
        cls, path: Path, rules: Rules, options: Mapping[str, Any], targets: Mapping[str, Path],
        on_removed: OnRemoved | None,
    ) -> AuditState:  # fmt: skip
        """The state in a file, or that of an audit that begins, if there is none.

        What a run that was killed has not delivered is delivered, to the ``targets`` of this run (by `OUTPUTS`) and to
        no other place that the file names. ``on_removed`` says what becomes of events that other rules had. Raises
        `StateError` for a state that cannot be gone on from, `OutputError` where there is no room.
        """
        if not path.exists():
            if not path.parent.is_dir():
                raise StateError(f"{path}: cannot be written: there is no folder {path.parent}")
            state = cls(path, dict(options))
            state._own_folder()
            return state
        try:
            with path.open("rb") as stream:
                header = json.loads(stream.readline())
                check_version(header, "audit")
                start, end = stream.tell(), _sealed_end(stream)
                text = mmap(stream.fileno(), 0, access=ACCESS_READ)
            text.seek(start)
            before = earlier_rules(header, rules, on_removed, "start without the state")
            state = cls._begin(path, header, options)
            state.before = before
            state.late, state.kept = header["late"], header["kept"]
            while start < end and not (line := text.readline()).startswith(BEGIN):
                state._take(json.loads(line))
                start += len(line)
            state.documents = StateDocuments(PastLines(text, start, end))
            state._deliver_what_was_left(header["deliveries"], targets)
        except OSError as error:
            raise StateError(f"{path}: cannot be read: {error.strerror}") from error
        except StateError as error:
            raise StateError(f"{path}: {error}") from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise StateError(f"{path}: is not a state of an audit, or a damaged one") from error
        return state

    @classmethod
    def _begin(cls, path: Path, header: Any, options: Mapping[str, Any]) -> AuditState:
        for name, value in options.items():
            if header["options"].get(name) != value:
                raise StateError(
                    f"the runs before had {name} {_shown(header['options'].get(name))}, this one has {_shown(value)}: "
                    "all runs of an audit need the same"
                )
        return cls(path, dict(options), int(header["runs"]), bool(header["final"]))

    def _take(self, record: Mapping[str, Any]) -> None:
        """A line that is not of a document."""
        if "across" in record:
            self.across = record["across"]
        elif "held" in record:
            self.held.append(Held(*record["held"]))
        else:
            self.files[record["file"]] = PastFile.from_record(record)

    def _deliver_what_was_left(
        self, records: Iterable[Mapping[str, Any]], targets: Mapping[str, Path]
    ) -> None:
        folder = self._own_folder()
        left = [
            (folder / f"{self.runs}.{what}", what, record)
            for record in records
            if (what := str(record["from"]).rpartition(".")[2]) in OUTPUTS
        ]
        for source, what, record in left:
            if source.is_file() and what in targets and not same_place(targets[what], record["to"]):
                raise StateError(
                    f"the last run was cut short before its {what} were in {record['to']}, and this run writes to "
                    f"{targets[what]}: run once more with the former name"
                )
        for source, what, record in left:
            if what in targets:
                Delivery(source, targets[what], record["at"]).make()
        if self.final:
            self.end_run()
            raise StateError(
                "the audit was closed by its last run (`final`): use another state, or a copy of the"
                " state from before that run"
            )

    def _own_folder(self) -> Path:
        """Where output is until it is delivered; raises `StateError` if something else has its name."""
        folder = self.path.with_name(f".{self.path.name}.run")
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise StateError(f"{folder}: is not a folder made by runs with this state: remove it")
        return folder

    def reached(self, doc: str) -> int:
        """The time point that a document has gone on to."""
        ts, clock = self.place(doc)
        return max(ts, clock[0])

    def place(self, doc: str) -> tuple[int, tuple[int, int]]:
        """The last time point of a document, and that of its last clock record with the time (microseconds)."""
        line = self.documents.get(doc)
        state: dict[str, Any] = {"ts": 0, "clock": None} if line is None else json.loads(line)
        ts, time = state["clock"] or (0, 0)
        return int(state["ts"]), (int(ts), int(time))

    def begin_run(self, *, final: bool) -> None:
        """A run begins: what one that was killed has left lying about is taken away."""
        self.runs += 1
        self.final = final
        folder = self._own_folder()
        folder.mkdir(exist_ok=True)
        for file in folder.iterdir():
            if _MADE.fullmatch(file.name):
                file.unlink()

    def end_run(self) -> None:
        """A run is over, and what it had to deliver is delivered."""
        self.beside("held").unlink(missing_ok=True)
        with suppress(OSError):  # somebody else keeps something there
            self._own_folder().rmdir()

    def as_read(self) -> AuditState:
        """The same state for another replay."""
        return replace(self, files=dict(self.files), documents=self.documents.as_read())

    def save(self, rules: Rules) -> None:
        """Replaces the file: it is seen as it was or as it is now."""
        header = {
            "xmlcep": "audit", "version": VERSION, "form": FORM, **rules_stamp(rules), "options": self.options,
            "runs": self.runs, "final": self.final, "late": self.late, "kept": self.kept,
            "deliveries": [each.to_record() for each in self.deliveries],
        }  # fmt: skip
        with AtomicFile(self.path, self._own_folder()) as file:
            stream = file.stream
            stream.write(line_of(header))
            stream.writelines(line_of(past.to_record(path)) for path, past in self.files.items())
            stream.writelines(line_of({"held": each}) for each in self.held)
            if self.across is not None:
                stream.write(line_of({"across": self.across}))
            self.documents.write(stream)
            stream.flush()
            assert file.temporary is not None
            with file.temporary.open("rb") as written:
                stream.write(_seal(file_digest(written, sha256).hexdigest()))

    def beside(self, what: str) -> Path:
        """A file for output of this run that is to be delivered. A run that was not committed never has the name of one
        that was: its output is not taken for the other's."""
        return self._own_folder() / f"{self.runs}.{what}"


# What runs make in their folder: output, and files that are not complete.
_MADE = re.compile(rf"\d+\.(?:{'|'.join((*OUTPUTS, 'held'))})|\..+\.[a-z0-9_]{{8}}")


def document_line(state: Mapping[str, Any]) -> bytes:
    """The line of a document."""
    return line_of({"doc": state["doc"], **state})


def _seal(digest: str) -> bytes:
    """The last line of a state, the digest of all before it: one that was changed, or cut off, is not resumed."""
    return line_of({"sha256": digest})


def _sealed_end(stream: BinaryIO) -> int:
    """Where the seal begins; raises `ValueError` if it is not that of all before it.

    All of it is read, before it is mapped: what cannot be read is an error here, and would end the process there.
    """
    end = left = max(fstat(stream.fileno()).st_size - len(_seal("0" * 64)), 0)
    digest = sha256()
    stream.seek(0)
    while block := stream.read(min(left, _BLOCK)):
        digest.update(block)
        left -= len(block)
    if stream.read() != _seal(digest.hexdigest()):
        raise ValueError("not what was written")
    return end


def _shown(value: object) -> str:
    return json.dumps(value)


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Keeps other runs from this state while the block lasts; raises `XmlCepError` if there is one."""
    if not path.parent.is_dir():
        raise StateError(f"{path}: cannot be written: there is no folder {path.parent}")
    try:
        lock = WriterLock(path.with_name(f".{path.name}.lock"))
    except LogLockedError:
        raise XmlCepError(f"{path}: another run is using this state: wait until it ends") from None
    try:
        yield
    finally:
        lock.release()
