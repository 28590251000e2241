"""What a finding contains: its fields, declared once; and findings as an Arrow table.

JSON Lines have the fields as `CompositeEvent.to_record` writes them. Parquet, Arrow, pandas, polars and Spark get the
columns made from the declaration: a value in a record becomes a value of the column's type and, but for the spelling
of times, the same value again. docs/findings.md is the page; a test holds it against `FINDING` and `CONSTITUENT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ...log.json_codec import FASTEST
from ...log.parquet import load_pyarrow
from ...timestamps import TimeError, as_microseconds, timestamp

if TYPE_CHECKING:
    import pyarrow

Values: TypeAlias = dict[str, Any]


def _same(value: Any) -> Any:
    return value


class Kind(NamedTuple):
    """A type of values: how JSON has them, their Arrow type, and the ways between the two; None is None in both."""

    json: str
    arrow: Callable[[Any], Any]
    to_column: Callable[[Any], Any] = _same
    from_column: Callable[[Any], Any] = _same


Columns: TypeAlias = tuple[Sequence[str], Sequence[tuple[str, Callable[[Any], Any]]]]
"""The names of columns, and of those among them whose values are not what a record has, the way to these."""


class Column(NamedTuple):
    """A field of findings. ``optional``: a record that has no value does not have the field either."""

    name: str
    kind: Kind
    meaning: str
    optional: bool = False


# ---- values that are not the same in both -----------------------------------------------------------------


def _moment(text: str) -> int | None:
    """Microseconds since 1970; None for text that is not a time, which logs may have where no rule measures time."""
    try:
        return as_microseconds(text)
    except TimeError:
        return None


def _time_text(moment: datetime | int) -> str:
    return timestamp(as_microseconds(moment if isinstance(moment, int) else moment.astimezone(UTC)))


def _bound(value: Any) -> Values:
    """A value of a variable: as text, and as what it is if it is not text (V1)."""
    is_flag = isinstance(value, bool)
    return {
        "text": value if isinstance(value, str) else FASTEST.dumps(value).decode(),
        "number": None if is_flag or isinstance(value, str) else float(value),
        "boolean": value if is_flag else None,
    }


def _value(bound: Mapping[str, Any]) -> Any:
    is_text = bound["number"] is None and bound["boolean"] is None
    return bound["text"] if is_text else FASTEST.loads(bound["text"].encode())


_NOTHING_BOUND: Values = {"text": None, "number": None, "boolean": None}


def _bindings(given: Mapping[str, Any]) -> list[tuple[str, Values]]:
    return [
        (name, {**_NOTHING_BOUND, "items": list(map(_bound, value))})
        if isinstance(value, (list, tuple))
        else (name, {**_bound(value), "items": None})
        for name, value in given.items()
    ]


def _variables(columns: Any) -> dict[str, Any]:
    return {
        name: _value(value) if value["items"] is None else list(map(_value, value["items"]))
        for name, value in _pairs(columns)
    }


def _pairs(map_value: Any) -> Iterable[tuple[str, Any]]:
    """The pairs of a map, as a list of them or as a dict: readers differ."""
    return map_value.items() if isinstance(map_value, Mapping) else map_value


def _flat(constituents: Iterable[Mapping[str, Any]]) -> list[Values]:
    """The tree of constituents, each before those in it. `_tree` undoes it."""
    rows: list[Values] = []
    waiting: list[tuple[Iterator[Mapping[str, Any]], list[str]]] = [(iter(constituents), [])]
    while waiting:
        events, within = waiting[-1]
        event = next(events, None)
        if event is None:
            waiting.pop()
            continue
        rows.append({"within": within, **_in_columns(event, _EVENT_COLUMNS)})
        if "constituents" in event:
            waiting.append((iter(event["constituents"]), [*within, event["name"]]))
    return rows


def _tree(rows: Iterable[Mapping[str, Any]]) -> list[Values]:
    open_lists: list[list[Values]] = [[]]  # the one in which an event as deep as the list is long is
    for row in rows:
        del open_lists[len(row["within"]) + 1 :]
        event = {name: row[name] for name in ("as", "doc") if row[name] is not None}
        open_lists[-1].append(event)
        if row["op"] is None:
            event |= {
                "name": row["name"],
                "path": row["path"],
                "ids": row["ids"],
                "constituents": list[Values](),
            }
            open_lists.append(event["constituents"])
        else:
            event |= _in_record(row, _CHANGE)
    return open_lists[0]


def _in_columns(record: Mapping[str, Any], columns: Columns) -> Values:
    names, others = columns
    found = dict(zip(names, map(record.get, names), strict=True))
    for name, to_column in others:
        value = found[name]
        if value is not None:
            found[name] = to_column(value)
    return found


def _in_record(row: Mapping[str, Any], columns: Iterable[Column]) -> Values:
    found: Values = {}
    for name, kind, _, optional in columns:
        value = row[name]
        if value is not None or not optional:
            found[name] = None if value is None else kind.from_column(value)
    return found


# ---- the declaration --------------------------------------------------------------------------------------


def _struct_of_values(pa: Any) -> list[tuple[str, Any]]:
    return [("text", pa.string()), ("number", pa.float64()), ("boolean", pa.bool_())]


def _struct_of_constituents(pa: Any) -> Any:
    return pa.struct([(column.name, column.kind.arrow(pa)) for column in CONSTITUENT])


TEXT = Kind("string", lambda pa: pa.string())
NUMBER = Kind("int", lambda pa: pa.int64())
NUMBERS = Kind("[int]", lambda pa: pa.list_(pa.int64()), list)
TEXTS = Kind("–", lambda pa: pa.list_(pa.string()))
FLAG = Kind("boolean", lambda pa: pa.bool_())
TIME = Kind("string", lambda pa: pa.timestamp("us", tz="UTC"), _moment, _time_text)
META = Kind(
    "object", lambda pa: pa.map_(pa.string(), pa.string()), lambda meta: list(meta.items()),
    lambda pairs: dict(_pairs(pairs)),
)  # fmt: skip
BINDINGS = Kind(
    "object",
    lambda pa: pa.map_(
        pa.string(),
        pa.struct([*_struct_of_values(pa), ("items", pa.list_(pa.struct(_struct_of_values(pa))))]),
    ),
    _bindings,
    _variables,
)
CONSTITUENTS = Kind("[object]", lambda pa: pa.list_(_struct_of_constituents(pa)), _flat, _tree)

_CHANGE = (
    Column("ts", NUMBER, "its time point; null for a composite"),
    Column("op", TEXT, "`ins`, `upd` or `del`; null for a composite"),
    Column("path", TEXT, "path type of its node"),
    Column("ids", NUMBERS, "ids of its path"),
    Column("value", TEXT, "text and attributes: the value after"),
    Column("old", TEXT, "text and attributes: the value before"),
    Column("at", TIME, "when it was made", optional=True),
    Column("txn", NUMBER, "its transaction", optional=True),
    Column("meta", META, "the pairs of its record", optional=True),
)
_EVENT = (
    Column("as", TEXT, "name of its operand (V10)", optional=True),
    Column(
        "doc", TEXT, "its document, if the finding combines events of several documents (V11)", optional=True
    ),
    Column("name", TEXT, "of a composite: its event, or the label of the inner operator"),
    *_CHANGE,
)
CONSTITUENT = (
    Column(
        "within", TEXTS, "names of the composites around it, outermost first"
    ),
    *_EVENT,
)  # fmt: skip
"""A constituent as an element of the column ``constituents``."""

FINDING = (
    Column("doc", TEXT, "the document"),
    Column("ts", NUMBER, "when it was raised (logical clock)"),
    Column("at", TIME, "when it was raised (wall clock)"),
    Column("name", TEXT, "the event"),
    Column("path", TEXT, "path type of its node; null for the whole document"),
    Column("ids", NUMBERS, "ids of the path"),
    Column("start", NUMBER, "first time point of its constituents"),
    Column("end", NUMBER, "last time point"),
    Column("constituents", CONSTITUENTS, "the events in it, by operand, then by arrival"),
    Column("operator", TEXT, "with `--operators`: the label of an inner operator"),
    Column("severity", TEXT, "`info`, `warning` or `error` (Y10)", optional=True),
    Column("message", TEXT, "text for people (Y10)", optional=True),
    Column(
        "ended", FLAG, "true: its event is not raised at its node at a later time point (Y11)", optional=True
    ),
    Column("bindings", BINDINGS, "the event's variables (V7)", optional=True),
    Column("txn", NUMBER, "transaction of the record that caused it", optional=True),
    Column("meta", META, "pairs of that record", optional=True),
)
"""A finding: fields in the order in which records have them."""


def _columns(given: Iterable[Column]) -> Columns:
    given = list(given)
    others = [(column.name, column.kind.to_column) for column in given if column.kind.to_column is not _same]
    return [column.name for column in given], others


_EVENT_COLUMNS, _FINDING_COLUMNS = _columns(_EVENT), _columns(FINDING)


# ---- tables -----------------------------------------------------------------------------------------------


def findings_schema() -> pyarrow.Schema:
    """The columns of findings. Raises `MissingExtraError` without pyarrow."""
    pa = load_pyarrow()
    return pa.schema([pa.field(name, kind.arrow(pa)) for name, kind, _, _ in FINDING])


def findings_table(records: Iterable[Mapping[str, Any]]) -> pyarrow.Table:
    """Finding records as an Arrow table of `findings_schema`."""
    pa = load_pyarrow()
    schema = findings_schema()
    rows = [list(_in_columns(record, _FINDING_COLUMNS).values()) for record in records]
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.table(
        [pa.array(each, field.type) for each, field in zip(columns, schema, strict=True)], schema=schema
    )


def record_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of such a table as the finding record that it was made of; times are written anew, in UTC."""
    return _in_record(row, FINDING)
