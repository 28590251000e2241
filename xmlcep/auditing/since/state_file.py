"""What is kept between two runs of an audit: how far files were read, what waits in documents, what is to be delivered.

A file of JSON lines: one that says whose state it is, one for each file, one for each document, and the digest of all
of them. The lines of documents that a run does not touch are copied as they are.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...engine import StateError
from ...engine.durable import FORM, VERSION, check_rules, check_version, rules_stamp
from ...errors import XmlCepError
from ...log.errors import LogLockedError
from ...log.lock import WriterLock
from ...rules import Rules
from ..document_lines import line_of
from ..findings.atomic_files import AtomicFile
from .deliveries import Delivery
from .past_files import PastFile
from .seals import Sealing, sealed_end
from .state_documents import BEGIN, PastLines, StateDocuments


@dataclass(slots=True)
class AuditState:
    """The state of an audit; ``options`` is what has to be the same in all runs.

    ``documents`` are the lines of documents by name: what `DocumentReplay.pause` says of each. ``final``:
    the last run was told that the log is complete.
    """

    path: Path
    options: dict[str, Any]
    runs: int = 0
    final: bool = False
    files: dict[str, PastFile] = field(default_factory=dict)
    documents: StateDocuments = field(default_factory=StateDocuments)
    deliveries: list[Delivery] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path, rules: Rules, options: Mapping[str, Any]) -> AuditState:
        """The state in a file, or that of an audit that begins, if there is none.

        What a run that was killed has not delivered is delivered. Raises `StateError` for a state that cannot be gone
        on from, `OutputError` where there is no room.
        """
        if not path.exists():
            if not path.parent.is_dir():
                raise StateError(f"{path}: cannot be written: there is no folder {path.parent}")
            return cls(path, dict(options))
        try:
            with ExitStack() as failed:
                stream = failed.enter_context(path.open("rb"))
                header = json.loads(stream.readline() or b"null")
                check_version(header, "audit")
                start, end = stream.tell(), sealed_end(stream)
                stream.seek(start)
                files: dict[str, PastFile] = {}
                while start < end and not (line := stream.readline()).startswith(BEGIN):
                    record = json.loads(line)
                    files[record["file"]] = PastFile.from_record(record)
                    start += len(line)
                documents = StateDocuments(PastLines(stream, start, end))
                state = cls._begin(path, header, rules, options)
                state.files, state.documents = files, documents
                failed.pop_all()
        except OSError as error:
            raise StateError(f"{path}: cannot be read: {error.strerror}") from error
        except StateError as error:
            raise StateError(f"{path}: {error}") from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise StateError(f"{path}: is no state of an audit, or a damaged one") from error
        return state

    @classmethod
    def _begin(cls, path: Path, header: Any, rules: Rules, options: Mapping[str, Any]) -> AuditState:
        check_rules(header, rules)
        deliveries = [Delivery.from_record(each, path.parent) for each in header["deliveries"]]
        for delivery in deliveries:
            delivery.make()
        if header["final"]:
            raise StateError(
                "the audit was closed by its last run (--final): begin anew with another state, or go on with a copy of"
                " the state before that run"
            )
        for name, value in options.items():
            if header["options"].get(name) != value:
                raise StateError(
                    f"the runs before had {name} {_shown(header['options'].get(name))}, this one has {_shown(value)}: "
                    "all runs of an audit have to have the same"
                )
        return cls(path, dict(options), header["runs"])

    def begin_run(self, *, final: bool) -> None:
        """A run begins: what one that was killed has left lying about is taken away."""
        self.runs += 1
        self.final = final
        name = glob.escape(self.path.name)
        for left in (f".{name}.{self.runs}.*", f"..{name}.*", f".{name}.????????"):
            for file in self.path.parent.glob(left):
                file.unlink()

    def save(self, rules: Rules) -> None:
        """Replaces the file: it is seen as it was or as it is now."""
        header = {
            "xmlcep": "audit", "version": VERSION, "form": FORM, **rules_stamp(rules), "options": self.options,
            "runs": self.runs, "final": self.final,
            "deliveries": [each.to_record() for each in self.deliveries],
        }  # fmt: skip
        with AtomicFile(self.path) as file:
            assert file.stream is not None
            sealing = Sealing(file.stream)
            sealing.write(line_of(header))
            sealing.writelines(line_of(past.to_record(path)) for path, past in self.files.items())
            self.documents.write(sealing)
            sealing.seal()

    def beside(self, what: str) -> Path:
        """A file for output of this run that is to be delivered. A run that was not committed never has the name of one
        that was: its output is not taken for the other's."""
        return self.path.with_name(f".{self.path.name}.{self.runs}.{what}")


def document_line(state: Mapping[str, Any]) -> bytes:
    """The line of a document."""
    return line_of({"doc": state["doc"], **state})


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
        raise XmlCepError(f"{path}: another run goes on from this state just now: wait for its end") from None
    try:
        yield
    finally:
        lock.release()
