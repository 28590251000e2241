"""A Parquet log is the same whatever types another program has written its columns as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from xmlcep.log import LogError, read_log
from xmlcep.log.parquet import arrow_schema
from xmlcep.timestamps import microseconds

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

RECORDS: list[dict[str, Any]] = [
    {
        "doc": "d", "ts": ts, "op": "ins", "path": path, "ids": ids, "value": value, "pos": 0,
        "at": f"2026-01-31T09:30:0{ts}.250Z", "txn": 1, "meta": [("user", "ann"), ("reason", "é")],
    }
    for ts, path, ids, value in (
        (1, "/a/b", [1, 2], None), (2, "/a/c", [1, 3], None), (3, "/a/d", [1, 4], None), (4, "/a/@n", [1, 5], "x"),
    )
]  # fmt: skip
TEXTS = ("doc", "op", "path", "value", "old", "at")
NUMBERS = ("ts", "pos", "txn")


def stamps(unit: str, zone: str | None) -> Any:
    return pa.timestamp(unit, zone)


TYPES: dict[str, dict[str, Any]] = {
    "large text": dict.fromkeys(TEXTS, pa.large_string()),
    "text as dictionaries": dict.fromkeys(TEXTS, pa.dictionary(pa.int32(), pa.string())),
    "text as large dictionaries": dict.fromkeys(TEXTS, pa.dictionary(pa.int16(), pa.large_string())),
    "small numbers": {**dict.fromkeys(NUMBERS, pa.int16()), "ids": pa.list_(pa.int32())},
    "unsigned numbers": {**dict.fromkeys(NUMBERS, pa.uint64()), "ids": pa.large_list(pa.uint32())},
    "lists of one size": {"ids": pa.list_(pa.int64(), 2)},
    "seconds": {"at": stamps("s", "UTC")},
    "milliseconds": {"at": stamps("ms", "UTC")},
    "microseconds of another zone": {"at": stamps("us", "Europe/Berlin")},
    "nanoseconds of a fixed zone": {"at": stamps("ns", "-03:30")},
}
if hasattr(pa, "string_view"):
    TYPES["text as views"] = dict.fromkeys(TEXTS, pa.string_view())


def table(types: dict[str, Any]) -> Any:
    plain = pa.Table.from_pylist(RECORDS, arrow_schema())
    for index, name in enumerate(plain.column_names):
        wanted = types.get(name)
        if wanted is None:
            continue
        column = plain.column(name)
        if pa.types.is_timestamp(wanted):
            instants = [None if at is None else microseconds(at) for at in column.to_pylist()]
            column = pa.array(instants, pa.timestamp("us", "UTC")).cast(wanted, safe=False)
        elif pa.types.is_fixed_size_list(wanted):
            column = pa.array(column.to_pylist(), wanted)
        else:
            column = column.cast(wanted)
        plain = plain.set_column(index, name, column)
    return plain


def reordered(given: Any) -> Any:
    return given.select(given.column_names[::-1]).append_column("zz", [[0] * len(given)])


@pytest.mark.parametrize("shape", [lambda given: given, reordered], ids=["", "columns in another order"])
@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
def test_it_is_read_as_the_same(types: dict[str, Any], shape: Callable[[Any], Any], tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    pq.write_table(shape(table(types)), file, row_group_size=3)
    events = list(read_log(file))
    pq.write_table(table({}), tmp_path / "plain.parquet")
    expected = list(read_log(tmp_path / "plain.parquet"))
    assert [event._replace(at=None) for event in events] == [event._replace(at=None) for event in expected]
    whole = types.get("at") == stamps("s", "UTC")
    for event, other in zip(events, expected, strict=True):
        assert event.at is not None and other.at is not None
        assert microseconds(event.at) == microseconds(other.at) - (250_000 if whole else 0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("at", pa.timestamp("us")),
        ("ts", pa.float64()),
        ("op", pa.dictionary(pa.int8(), pa.int8())),
        ("path", pa.binary()),
    ],
)
def test_what_says_something_else_is_refused(name: str, wrong: Any, tmp_path: Path) -> None:
    plain = table({})
    column = pa.nulls(len(plain), wrong)
    pq.write_table(plain.set_column(plain.column_names.index(name), name, column), tmp_path / "log.parquet")
    with pytest.raises(LogError, match=f"columns missing or of another type: {name} "):
        list(read_log(tmp_path / "log.parquet"))
