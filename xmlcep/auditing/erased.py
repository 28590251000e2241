"""Values that were erased from the logs of an audit: which events read them, and so cannot be judged from there on.

An erased value is seen as ``[erased]``. An event whose expressions may read it could be raised, or not, for that
reason alone: from its time point on findings of the event, and of events that use it, are left out in its document, and
said to be. All other events are found as ever: the change itself, its node and its time are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from path_types import PathType, Step

from ..documents.snapshots import SnapshotError, parse_snapshot
from ..engine.needs import document_needs
from ..errors import RecordError
from ..events import PrimitiveEvent, PrimitiveType
from ..log.erasable import ERASED, has_erased, values_in
from ..log.errors import Origin
from ..log.json_codec import FASTEST
from ..log.reading import read_lines
from ..log.records import MARK, Header
from ..rules import Rules
from ..rules.event_graph import EventGraph
from ..rules.trees import EventTree, LeafNode
from ..suggestions import listed
from .findings.writers import FindingsWriter
from .inputs import LogFile
from .result import Summary

_MOST = 5  # places of a note


class ErasedValue(NamedTuple):
    """A value that was erased: in which record, of which document, from which time point on; ``op`` is that of a
    change, None in a snapshot."""

    origin: Origin
    doc: str
    ts: int
    op: str | None
    path: PathType


def erased_values(origin: Origin, line: bytes) -> Iterator[ErasedValue]:
    """The values that a record, given as a line, has lost, one for each path type."""
    try:
        record = FASTEST.loads(line)
        if all(value.text is not None for value in values_in(record)):
            return
        if MARK not in record:
            event = PrimitiveEvent.from_record(record)
            yield ErasedValue(origin, event.doc, event.ts, event.op, event.path)
            return
        header = Header.from_record(record)
        for path in dict.fromkeys(_erased_in(header.snapshot or "")):
            yield ErasedValue(origin, header.doc, header.ts, None, path)
    except (ValueError, TypeError, AttributeError, RecordError, SnapshotError):
        return  # a bad record, which the audit says


def _erased_in(snapshot: str) -> Iterator[PathType]:
    root = parse_snapshot(snapshot)
    pending = [(PathType.of(True, (Step.element(str(root.tag)),)), root)]
    while pending:
        path, element = pending.pop()
        for name, value in element.attrib.items():
            if value == ERASED:
                yield path.child(Step.attribute(str(name)))
        if ERASED in (element.text, *(child.tail for child in element)):
            yield path.child(Step.text())
        pending += [
            (path.child(Step.element(str(child.tag))), child) for child in element if not callable(child.tag)
        ]


def events_reading(rules: Rules, op: str | None, path: PathType) -> frozenset[str]:
    """The events whose expressions may read the value of such a node, and those that use them; ``op`` of a change of
    it, None for what it is in a snapshot."""
    graph = rules.graph
    direct = {tree.index for tree in graph.trees if _reads(graph, tree, op, path)}
    return frozenset(
        tree.name for tree in graph.trees if any(used.index in direct for used in graph.with_used([tree]))
    )


def _reads(graph: EventGraph, tree: EventTree, op: str | None, path: PathType) -> bool:
    if document_needs([tree], graph.programs).keeps_node(path):
        return True
    return op is not None and any(
        leaf is not None
        and (leaf.expressions or leaf.opaque or leaf.binds)
        and isinstance(child, LeafNode)
        and isinstance(child.type, PrimitiveType)
        and child.type.accepts(op, path)
        for node, program in zip(tree.operators, graph.programs[tree.index], strict=True)
        for child, leaf in zip(node.children, program.leaves, strict=True)
    )


def erased_in(files: Iterable[LogFile]) -> Iterator[ErasedValue]:
    """The values that were erased from the files of logs."""
    for file in files:
        for origin, line in read_lines([file.path]) if file.kind != "parquet" else ():
            if has_erased(line):
                yield from erased_values(origin._replace(file=file.name), line)


class Unjudged:
    """The events that cannot be judged in a document, each from a time point on; an event ``{across}`` in all."""

    def __init__(self, rules: Rules, values: Iterable[ErasedValue]) -> None:
        self._from: dict[tuple[str | None, str], int] = {}
        self._places: dict[str, dict[PathType, list[Origin]]] = {}
        self._unread = 0
        across = {tree.name for tree in rules.graph.trees if tree.across}
        known: dict[tuple[str | None, PathType], frozenset[str]] = {}
        for value in values:
            kind = value.op, value.path
            if kind not in known:
                known[kind] = events_reading(rules, *kind)
            self._unread += not known[kind]
            for event in known[kind]:
                key = None if event in across else value.doc, event
                self._from[key] = min(value.ts, self._from.get(key, value.ts))
                self._places.setdefault(event, {}).setdefault(value.path, []).append(value.origin)

    def __bool__(self) -> bool:
        return bool(self._from)

    @property
    def events(self) -> list[str]:
        """Their names."""
        return sorted(self._places)

    def notes(self) -> Iterator[str]:
        """What is said of them."""
        for event in self.events:
            docs = sorted({doc for doc, name in self._from if name == event and doc is not None})
            where = f" in {listed([f'document {doc!r}' for doc in docs], _MOST)}" if docs else ""
            places = [
                f"{path} in {origins[0]}" + (f" and {more:,} more" if (more := len(origins) - 1) else "")
                for path, origins in self._places[event].items()
            ]
            yield (
                f"event {event} cannot be judged{where}: it reads values that were erased. Its findings from there"
                f" on are left out: {listed(places, _MOST)}"
            )
        if self._unread:
            yield f"erased values that no event reads: {self._unread:,}"

    def writer(self, inner: FindingsWriter, summary: Summary) -> FindingsWriter:
        """A writer of what can be judged; what cannot is not counted any more."""
        return _Judged(inner, self, summary) if self else inner

    def drops(self, line: bytes, summary: Summary) -> bool:
        """Whether a finding, as a line, cannot be judged; takes it out of the counts then."""
        found = FASTEST.loads(line)
        doc, event, ts = found["doc"], found["name"], found["ts"]
        drops = any(ts >= self._from.get((each, event), ts + 1) for each in (doc, None))
        if drops:
            summary.documents.found(doc, {event: -1})
        return drops


class _Judged:
    def __init__(self, inner: FindingsWriter, unjudged: Unjudged, summary: Summary) -> None:
        self._inner, self._unjudged, self._summary = inner, unjudged, summary

    def write(self, text: bytes, name: str | None = None) -> None:
        lines = text.splitlines(keepends=True)
        kept = b"".join(line for line in lines if not self._unjudged.drops(line, self._summary))
        if kept:
            self._inner.write(kept, name)

    def close(self) -> None:
        self._inner.close()

    def abandon(self) -> None:
        self._inner.abandon()
