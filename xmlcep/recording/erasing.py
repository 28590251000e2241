"""Values taken out of a log for good, as the law may ask: its seal, its tree and its proofs stay what they were."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments import PATH, check
from ..log.erasable import SALTS, Value, erased, has_erased, sealed_form, values_in
from ..log.errors import LogError
from ..log.json_codec import FASTEST
from ..log.reading import read_lines
from ..log.segments import Source, segments
from ..log.tail import object_in
from ..log.writing import lock_log, write_new_file
from .places import state_path


class Erasure(NamedTuple):
    """How many values were erased, and in which records, by number (`n`); ``elsewhere`` are other nodes that have a
    value like one of these."""

    values: int
    records: tuple[int, ...]
    elsewhere: tuple[int, ...]


def erase(log: str | os.PathLike[str], *, nodes: Iterable[int] = (), records: Iterable[int] = ()) -> Erasure:
    """Takes all values of nodes, and of nodes below them, out of an erasable log (`record(…, erasable=True)`): of
    ``nodes`` by id, and of the node that each of the ``records``, by number (`n`), is about.

    They are ``[erased]`` then: in changes, as `old` and in snapshots. Each file is replaced as a whole; a call that was
    cut short can be made again. The state beside the log, which has values, too, is deleted. Raises `LogError` for a
    log that is not erasable, and for nodes that have no value in it; `LogLockedError` while it is being recorded.
    """
    check("erase()", log=(log, PATH))
    first = Path(log)
    if not first.is_file():
        raise LogError(f"{first}: there is no log to erase values from")
    lock = lock_log(first)
    try:
        chosen = {*nodes, *_nodes_of(first, set(records))}
        parts = [_Part(file, chosen) for file in segments(first)]
        texts = [text for part in parts for text in part.texts]
        if not texts:
            raise LogError(
                f"{first}: has no value of node {', '.join(map(str, sorted(chosen)))}, or it was erased before"
            )
        state_path(first).unlink(missing_ok=True)
        for part in parts:
            if part.records:
                write_new_file(part.file, part.lines())
    finally:
        lock.release()
    known = {text for text in texts if len(text.strip()) >= _LONG_ENOUGH}
    elsewhere = {node for part in parts for text in known for node in part.others.get(text, ())}
    return Erasure(len(texts), tuple(n for part in parts for n in part.records), tuple(sorted(elsewhere)))


_LONG_ENOUGH = 3  # characters: shorter texts are alike by chance


def erased_records(log: Source) -> dict[int, int]:
    """How many values were erased from the records of a log, by number (`n`)."""
    found = {}
    for _, line in read_lines(log):
        record = object_in(line) if has_erased(line) else None
        if record is not None and (count := sum(value.text is None for value in values_in(record))):
            found[record["n"]] = count
    return found


class _Part:
    """A file from which the values of nodes are taken: their texts, in which records, and which nodes have others."""

    def __init__(self, file: Path, nodes: Set[int]) -> None:
        self.file = file
        self._nodes = nodes
        self.texts: list[str] = []
        self.records: list[int] = []
        self.others: dict[str, set[int]] = {}
        for record, _ in _records(file):
            before = len(self.texts)
            for value in values_in(record):
                self._note(value)
            if len(self.texts) > before:
                self.records.append(record["n"])

    def _note(self, value: Value) -> None:
        if value.text is None:
            return
        if self._nodes.isdisjoint(value.ids):
            self.others.setdefault(value.text, set()).add(value.ids[-1])
        else:
            self.texts.append(value.text)

    def lines(self) -> Iterator[bytes]:
        """Its lines as they are to be."""
        chosen = set(self.records)
        for record, line in _records(self.file):
            yield FASTEST.dumps(erased(record, self._nodes)) + b"\n" if record["n"] in chosen else line


def _nodes_of(first: Path, records: set[int]) -> Iterator[int]:
    for file in segments(first) if records else ():
        for record, _ in _records(file):
            if record["n"] in records:
                ids = record.get("ids")
                if "op" not in record or not ids:
                    raise LogError(f"{first}: record {record['n']} is not a change: choose its nodes by id")
                records.remove(record["n"])
                yield ids[-1]
    if records:
        raise LogError(f"{first}: has no record {', '.join(map(str, sorted(records)))} (n)")


def _records(file: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    for origin, line in read_lines([file]):
        record = object_in(line)
        if record is None or not isinstance(record.get(SALTS), list) or type(record.get("n")) is not int:
            raise LogError(
                f"{origin}: the log is not erasable: values can be taken out of one that was recorded with"
                " erasable=True, or made by `xmlcep history --erasable`; every other would be broken"
            )
        try:
            sealed_form(record)
        except ValueError as error:
            raise LogError(f"{origin}: was altered: {error}: `xmlcep verify` says more") from error
        yield record, line
