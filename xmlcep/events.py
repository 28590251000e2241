"""Events and event types (rules E1 to E5).

One module because events and their types name each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from html import escape
from itertools import repeat
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from path_types import PathInstance, PathSyntaxError, PathType, equals_or_ends
from path_types.relations import offsets
from path_types.xpath import xpath_of

from .errors import RecordError

Operation: TypeAlias = Literal["ins", "upd", "del"]
OPERATIONS: tuple[Operation, ...] = ("ins", "upd", "del")
ANY = "*"
UNNAMED = "document"
"""What documents are called that nobody gives a name."""


class Scope(Enum):
    """Which nodes a leaf's path means (F5); the value is how it is written behind the path."""

    NODE = ""
    """Those that the path leads to (E2)."""
    BELOW = "//*"
    """Those below, however deep."""
    AT_OR_BELOW = "//"
    """Both."""

    def covers(self, place: PathType, path: PathType) -> bool:
        """Whether a node of the absolute path type ``path`` is meant by ``place`` and this scope (E2, F5)."""
        if self is Scope.NODE:
            return equals_or_ends(place, path)
        found = offsets(place, path)
        return bool(found) and (self is Scope.AT_OR_BELOW or found[0] + len(place) < len(path))


class PrimitiveType(NamedTuple):
    """A primitive event type (E1): an operation, ``"*"`` for any, and a path type, with a scope (F5)."""

    operation: str
    path: PathType
    scope: Scope = Scope.NODE

    def accepts(self, operation: str, path: PathType) -> bool:
        """Whether events of this operation and absolute path type are compatible with this type (E2)."""
        return self.operation in (ANY, operation) and self.scope.covers(self.path, path)

    def __str__(self) -> str:
        return f"{self.operation}({self.path}{self.scope.value})"


class CompositeType(NamedTuple):
    """A composite event type (E1): the name of an event definition, None for any, a path type, a scope (F5)."""

    name: str | None
    path: PathType
    scope: Scope = Scope.NODE

    def accepts(self, name: str, path: PathType) -> bool:
        """Whether composites of this name and absolute path type are compatible with this type (E2)."""
        return self.name in (None, name) and self.scope.covers(self.path, path)

    def __str__(self) -> str:
        return f"{self.name or '?'}({self.path}{self.scope.value})"


EventType: TypeAlias = PrimitiveType | CompositeType


class PrimitiveEvent(NamedTuple):
    """A change of one node (E3): what happened (``op``) at which time point (``ts``) to which node.

    ``path`` is the node's absolute path type and ``ids`` its node identifiers, one per step. ``value`` and
    ``old`` are the text of a text or attribute node after and before; ``pos`` the index of an inserted
    element or text node among its parent's child nodes; ``at`` the wall-clock time (RFC 3339 UTC); ``txn``
    and ``meta`` the transaction the change belongs to; ``more`` says that the next event of the document belongs
    to the same edit (U1). See the change log record for the exact meaning.
    """

    ts: int
    op: str
    path: PathType
    ids: tuple[int, ...]
    value: str | None = None
    old: str | None = None
    pos: int | None = None
    at: str | None = None
    doc: str = ""
    txn: int | None = None
    meta: Mapping[str, str] | None = None
    more: bool = False

    @property
    def instance(self) -> PathInstance:
        """The path instance of the changed node (P7)."""
        return PathInstance(self.path, self.ids)

    @property
    def start(self) -> int:
        """Where its interval starts: at its time point (E5)."""
        return self.ts

    @property
    def end(self) -> int:
        """Where its interval ends: at its time point (E5)."""
        return self.ts

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> PrimitiveEvent:
        """The event that a change log record (a dict) describes.

        Raises `RecordError`, which names the field, what was given and what is expected.
        """
        if not isinstance(record, Mapping):
            raise RecordError(
                f"{record!r} is not a record: expected a dict with the fields ts, op, path, ids …"
            )
        ts, op, ids = record.get("ts"), record.get("op"), record.get("ids")
        if type(ts) is not int or ts < 1:
            raise RecordError(f"ts is {ts!r}: expected a whole number from 1 on")
        if op not in OPERATIONS:
            raise RecordError(f"op is {op!r}: expected 'ins', 'upd' or 'del'")
        path = record_path(record.get("path"))
        if not isinstance(ids, (list, tuple)) or not all(type(node) is int for node in ids):
            raise RecordError(f"ids is {ids!r}: expected a list of whole numbers")
        if len(ids) != len(path):
            raise RecordError(
                f"path {path} has {len(path)} steps, ids has {len(ids)}: expected one id per step"
            )
        for field in ("value", "old", "at", "doc"):
            if not isinstance(record.get(field), (str, type(None))):
                raise RecordError(f"{field} is {record[field]!r}: expected a string or null")
        for field in ("pos", "txn"):
            given = record.get(field)
            if given is not None and type(given) is not int:
                raise RecordError(f"{field} is {given!r}: expected a whole number or null")
        meta = record.get("meta")
        if meta is not None and not (
            isinstance(meta, Mapping) and all(isinstance(s, str) for pair in meta.items() for s in pair)
        ):
            raise RecordError(f"meta is {meta!r}: expected an object of strings or null")
        more = record.get("more")
        if not isinstance(more, (bool, type(None))):
            raise RecordError(f"more is {more!r}: expected true, or no such field")
        return cls(
            ts, op, path, tuple(ids), record.get("value"), record.get("old"), record.get("pos"),
            record.get("at"), record.get("doc") or "", record.get("txn"), meta, bool(more),
        )  # fmt: skip

    def __deepcopy__(self, memo: object) -> PrimitiveEvent:
        return self

    def to_record(self) -> dict[str, Any]:
        """The event as a change log record; ``more`` only if it is true."""
        record: dict[str, Any] = {
            "doc": self.doc, "ts": self.ts, "op": self.op, "path": str(self.path), "ids": list(self.ids),
            "value": self.value, "old": self.old, "pos": self.pos, "at": self.at, "txn": self.txn,
            "meta": None if self.meta is None else dict(self.meta),
        }  # fmt: skip
        if self.more:
            record["more"] = True
        return record

    def to_constituent(self) -> dict[str, Any]:
        """The event as a constituent in a finding record.

        ``at``, ``txn`` and ``meta``, when and by whom it was made, are left out where the event has none (E3).
        """
        ts, op, path, ids, value, old, _, at, _, txn, meta, _ = self
        record: dict[str, Any] = {
            "ts": ts, "op": op, "path": str(path), "ids": list(ids), "value": value, "old": old
        }  # fmt: skip
        if at is not None:
            record["at"] = at
        return _with_provenance(record, txn, meta)

    @property
    def xpath(self) -> str:
        """An XPath expression, without prefixes, for the nodes of its path: `tree.xpath(event.xpath)`.

        Which of them it is about only the ids say: ``document.element(event)``.
        """
        return xpath_of(self.path)

    def __str__(self) -> str:
        return _with_prefixes(f"{self.op}({self.instance}) at {self.ts}")


def as_event(row: PrimitiveEvent) -> PrimitiveEvent:
    """A plain tuple of the layout of primitive events as an event; an event as it is.

    Who reads and records hands on such tuples: what most of them come to needs no more, and to make the event costs.
    """
    return row if type(row) is PrimitiveEvent else tuple.__new__(PrimitiveEvent, row)


_NAMESPACE = re.compile(r"\{([^{}]*)\}")


def _with_prefixes(text: str, more: str = "") -> str:
    """The text with a prefix in place of each namespace, and behind it which these are, then ``more``."""
    prefixes: dict[str, str] = {}
    short = _NAMESPACE.sub(lambda found: prefixes.setdefault(found[1], f"ns{len(prefixes) + 1}") + ":", text)
    where = ", ".join(f"{prefix}={namespace!r}" for namespace, prefix in prefixes.items())
    return f"{short}{more}{where and f' where {where}'}"


def _with_provenance(
    record: dict[str, Any], txn: int | None, meta: Mapping[str, str] | None
) -> dict[str, Any]:
    """A finding record, or a constituent, with ``txn`` and ``meta``, where there are any."""
    if txn is not None:
        record["txn"] = txn
    if meta is not None:
        record["meta"] = dict(meta)
    return record


_parse = lru_cache(4096)(PathType.parse)


def record_path(given: object) -> PathType:
    """The path of a change record, which is absolute; raises `RecordError` for anything else."""
    if not isinstance(given, str):
        raise RecordError(f"path is {given!r}: expected a string such as '/order/item'")
    try:
        path = _parse(given)
    except PathSyntaxError as error:
        raise RecordError(f"path is not a path type: {error}") from error
    if not path.absolute:
        raise RecordError(f"path is {given!r}: expected an absolute path (it starts with '/')")
    return path


class TimePoint(NamedTuple):
    """A time point at which something is raised that no record of the document's own raises: a timer is due (W5), or
    something happened elsewhere that is known by its time only (D2)."""

    ts: int
    at: str | None = None
    doc: str = ""
    txn: int | None = None
    meta: Mapping[str, str] | None = None


Cause: TypeAlias = PrimitiveEvent | TimePoint
"""At what a composite is raised."""


# Fields of a primitive event by number: logs are replayed as plain tuples of the same fields.
OP: Final = 1
PATH: Final = 2
IDS: Final = 3
VALUE: Final = 4
OLD: Final = 5
POS: Final = 6


Names: TypeAlias = "str | tuple[str | None, ...]"
"""What the operands are called that constituents are of: a name or None for each, or one name for all."""


class CompositeEvent(NamedTuple):
    """An event raised by an operator of an event tree (E4).

    ``name`` is the event type's name, ``operator`` the label of the inner operator that raised it, None for
    the root of the tree (G5); ``path`` and ``ids`` are the path instance, ``constituents`` the events it is
    made of, in order of operand, then of arrival; ``start`` and
    ``end`` its interval, None when empty (E5); ``cause`` the primitive event, or the time point, at which it was
    raised; ``bindings`` its variables, a value or a tuple of values each, None if the event has none (V5); ``span``
    the moments of its first and last primitive event, where rules look at these (W3); ``names`` what the
    operands are called that its constituents are of (V10), one for each, or one for all. ``severity`` and ``message``
    are its texts for people, ``ended`` says that its event is not raised at its node at a later time point; they are
    known of what is raised to the outside (Y10, Y11).
    """

    # path and ids are where PrimitiveEvent has them, so that the engine reads both in one way.
    name: str
    operator: str | None
    path: PathType | None
    ids: tuple[int, ...]
    constituents: Sequence[Event]
    start: int | None
    end: int | None
    cause: Cause
    bindings: Mapping[str, Any] | None = None
    span: tuple[Any, Any] | None = None
    names: Names | None = None
    severity: str | None = None
    message: str | None = None
    ended: bool = False

    @property
    def ts(self) -> int:
        """The detection time: the time point at which it was raised (E5)."""
        return self.cause.ts

    @property
    def instance(self) -> PathInstance | None:
        """The path instance; None for a flat event whose constituents have no common ancestor (T4)."""
        return None if self.path is None else PathInstance(self.path, self.ids)

    @property
    def xpath(self) -> str | None:
        """As that of a primitive event; None if it has no path (T4)."""
        return None if self.path is None else xpath_of(self.path)

    def __deepcopy__(self, memo: object) -> CompositeEvent:
        return self

    def flattened(self) -> Iterator[PrimitiveEvent]:
        """The primitive events in it, in order of operand, then of arrival (E4)."""
        for event in self.constituents:
            if isinstance(event, PrimitiveEvent):
                yield event
            else:
                yield from event.flattened()

    def to_record(self) -> dict[str, Any]:
        """The composite as a finding record, its fields in the order in which an audit writes them (V5); ``bindings``
        is there if it has variables (V7), ``txn`` and ``meta`` are those of its cause, where that has them."""
        return self._record(self._constituents())

    def _record(self, constituents: Any) -> dict[str, Any]:
        name, operator, path, ids, _, start, end, cause, bindings, _, _, severity, message, ended = self
        record = {
            "doc": cause.doc, "ts": cause.ts, "at": cause.at, "name": name,
            "path": None if path is None else str(path), "ids": list(ids), "start": start, "end": end,
            "constituents": constituents, "operator": operator,
        }  # fmt: skip
        if severity is not None:
            record["severity"] = severity
        if message is not None:
            record["message"] = message
        if ended:
            record["ended"] = True
        if bindings is not None:
            record["bindings"] = bindings_in_finding(bindings)
        return _with_provenance(record, cause.txn, cause.meta)

    def to_constituent(self) -> dict[str, Any]:
        """The composite as a constituent in a finding record."""
        return {
            "name": self.operator or self.name, "path": None if self.path is None else str(self.path),
            "ids": list(self.ids), "constituents": self._constituents(),
        }  # fmt: skip

    def _constituents(self) -> list[dict[str, Any]]:
        """Each with the name of its operand (V10), and its document if this is about no node (V11)."""
        names = repeat(self.names) if self.names is None or isinstance(self.names, str) else self.names
        return [
            ({} if name is None else {"as": name})
            | ({"doc": document_of(event)} if self.path is None and event.path is not None else {})
            | event.to_constituent()
            for name, event in zip(names, self.constituents, strict=False)
        ]

    def _repr_html_(self) -> str:
        """For notebooks (Y8): what it is, and the changes in it."""
        rows = "".join(
            f"<tr><td>{event.ts}</td><td>{escape(event.op)}</td><td>{escape(str(event.instance))}</td>"
            f"<td>{escape(event.old or '')}</td><td>{escape(event.value or '')}</td></tr>"
            for event in self.flattened()
        )
        head = "<tr><th>ts</th><th>op</th><th>node</th><th>old</th><th>new</th></tr>"
        return f"<p>{escape(self.name)}({escape(str(self.instance))}) at {self.ts}</p><table>{head}{rows}</table>"

    def __str__(self) -> str:
        inside = ", ".join(f"{event.op}@{event.ts}" for event in self.flattened())
        return _with_prefixes(f"{self.operator or self.name}({self.instance}) at {self.ts}", f" {{{inside}}}")


Event: TypeAlias = PrimitiveEvent | CompositeEvent


def document_of(event: Event) -> str:
    """The name of the document that an event is of."""
    return event.cause.doc if isinstance(event, CompositeEvent) else event.doc


_WHOLE = 2.0**63  # beyond, JSON readers do not agree on whole numbers


def bindings_in_finding(bindings: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a composite as they are in a finding record, by name (V7)."""
    return {
        name: [_in_finding(inner) for inner in value]
        if isinstance(value, (tuple, list))
        else _in_finding(value)
        for name, value in sorted(bindings.items())
    }


def _in_finding(value: Any) -> Any:
    """Whole numbers without a point, NaN and infinities as text (V1)."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value
