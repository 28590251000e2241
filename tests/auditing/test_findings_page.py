"""docs/findings.md: a finding field by field, in every format, and the formats against each other."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xmlcep
from tests.project.source import ROOT
from xmlcep.auditing import AuditResult, audit
from xmlcep.auditing.findings import rows as people
from xmlcep.auditing.findings.columns import (
    BINDINGS,
    CONSTITUENT,
    FINDING,
    Column,
    findings_schema,
    findings_table,
    record_of,
)
from xmlcep.cli.main import run
from xmlcep.provenance import WHO

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
TABLES = [
    [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table.splitlines()[2:]]
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
]
FIELDS = next(rows for rows in TABLES if rows[0][0] == "`doc`")
PARTS = next(rows for rows in TABLES if rows[0][0] == "`within`")
PEOPLE = next(rows for rows in TABLES if rows[0][0] == "`time`")
VARIABLES = next(rows for rows in TABLES if rows[0][0] == "`text`")

RULES = xmlcep.parse_rules(
    'event Priced(item) {severity=error, message="price {$price} of {@part}"}'
    "    = ins(item) & ins(item/@part) as $part as part"
    "    & (ins(item/price) as placed ; ins(item/price/text()) as $price)\n"
    "event Twice(/order) = Priced(item) ; Priced(item)\n"
    "event Maybe(item) = x[0,1] ins(item/comment) & ins(item/price)\n"
)


def as_spelled(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{as_spelled(kind.value_type)}>"
    if pa.types.is_map(kind):
        return f"map<{as_spelled(kind.key_type)}, {as_spelled(kind.item_type)}>"
    return "struct" if pa.types.is_struct(kind) else str(kind)


def as_said(columns: tuple[Column, ...]) -> list[tuple[str, str, str]]:
    return [(f"`{c.name}`", f"`{as_spelled(c.kind.arrow(pa))}`", c.meaning) for c in columns]


@pytest.mark.parametrize(("rows", "columns"), [(FIELDS, FINDING), (PARTS, CONSTITUENT)])
def test_the_page_has_what_is_declared(rows: list[Any], columns: tuple[Column, ...]) -> None:
    assert [(name, column, meaning) for name, _, column, meaning in rows] == as_said(columns)
    for (_, said, _, _), column in zip(rows, columns, strict=True):
        assert re.split(",? or ", said)[0] == column.kind.json
        assert ("absent" in said) == column.optional


def test_the_page_has_the_parts_of_a_variable() -> None:
    struct = BINDINGS.arrow(pa).item_type
    assert [(name, column) for name, column, _ in VARIABLES] == [
        (f"`{field.name}`", f"`{as_spelled(field.type)}`") for field in struct
    ]
    assert [field.name for field in struct.field("items").type.value_type] == ["text", "number", "boolean"]


def test_the_page_has_the_columns_for_people() -> None:
    assert [(f"`{column.name}`", column.meaning) for column in people.SHOWN] == PEOPLE
    said = "`, `".join(WHO[:-1]) + f"` or `{WHO[-1]}"
    assert f"`{said}`" in PAGE


@pytest.fixture
def log(tmp_path: Path) -> Path:
    doc = xmlcep.fromstring("<order/>", name="order", now=lambda: 1_767_225_600.5)
    with xmlcep.record(doc, tmp_path / "log.jsonl"):
        for number in range(2):
            with doc.transaction(author="ann", reason="prices"):
                item = doc.root.makeelement("item")
                doc.root.append(item)
                item.set("part", "7")
                price = item.makeelement("price")
                item.append(price)
                price.text = f"{number}.5"
    return tmp_path / "log.jsonl"


def test_records_have_the_fields_in_their_order(log: Path) -> None:
    records = list(audit(log, RULES, engine="local", operators=True).records())
    names = [column.name for column in FINDING]
    assert {record["name"] for record in records} == {"Priced", "Twice", "Maybe"}
    for record in records:
        assert list(record) == [name for name in names if name in record]
        assert {c.name for c in FINDING if not c.optional} <= set(record)
    assert any(list(record) == names for record in records)
    parts = [name.name for name in CONSTITUENT]
    for each in json_parts(records):
        assert set(each) <= {*parts, "constituents"}


def json_parts(records: Any) -> Any:
    for record in records:
        for part in record.get("constituents", ()):
            yield part
            yield from json_parts([part])


def test_all_formats_hold_the_same(log: Path, tmp_path: Path) -> None:
    """JSON Lines, Parquet, the Arrow table of both, and a pandas frame."""

    def audited(format: Any) -> AuditResult:
        return audit(log, RULES, engine="local", operators=True, format=format, out=tmp_path / f"f.{format}")

    lines, parquet = audited("jsonl"), audited("parquet")
    records = list(lines.records())
    assert records == [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert list(parquet.records()) == records
    assert list(map(list, parquet.records())) == list(map(list, records))  # in the same order of fields
    table = lines.to_arrow()
    assert table == parquet.to_arrow() and table.schema == findings_schema()
    frame = lines.to_pandas()
    assert list(frame.columns) == [column.name for column in FINDING]
    assert str(frame["at"].dtype) == "datetime64[us, UTC]"
    twice = frame[frame["name"] == "Twice"].iloc[0]
    assert twice["meta"] == {"author": "ann", "reason": "prices"}
    assert [each["within"].tolist() for each in twice["constituents"]][:2] == [[], ["Priced"]]
    priced = frame[(frame["name"] == "Priced") & frame["operator"].isnull()].iloc[0]
    assert priced["bindings"]["part"]["items"][0]["text"] == "7"


def test_a_polars_frame(log: Path) -> None:
    pytest.importorskip("polars")
    frame = audit(log, RULES, engine="local").to_polars()
    assert frame.columns == [column.name for column in FINDING]


def test_csv_and_the_table_have_the_columns_for_people(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.xcep"
    rules.write_text(RULES.text)
    names = [column.name for column in people.SHOWN]
    arguments = ["audit", str(log), "--rules", str(rules), "-q", "--format"]
    assert run([*arguments, "csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    records = list(audit(log, RULES, engine="local").records())
    assert rows == [names, *map(list, map(people.row_of, records))]
    assert 'part=["7"], price=["0.5"]' in [row[names.index("variables")] for row in rows]
    assert ["error", "price 0.5 of 7"] in [[row[1], row[names.index("message")]] for row in rows]
    assert run([*arguments, "table"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == names


WHOS = [({key: "ann", "other": "x"}, "ann") for key in WHO] + [
    ({"by": "bob", "author": "ann"}, "ann"), ({"file": "a.xml"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("meta", "user"), WHOS)
@pytest.mark.parametrize("where", ["cause", "change", "change within"])
def test_who_is_found_wherever_it_is_said(meta: dict[str, str], user: str, where: str) -> None:
    change: dict[str, Any] = {"ts": 1, "op": "ins", "path": "/a", "ids": [1], "value": None, "old": None}
    inside = [change, change | {"meta": meta}]
    constituents = {
        "cause": [change], "change": inside, "change within": [{"name": "B", "constituents": inside}]
    }  # fmt: skip
    record = {"ts": 1, "name": "A", "path": None, "ids": [], "constituents": constituents[where]}
    assert people.user(record | ({"meta": meta} if where == "cause" else {})) == user


# ---- any finding -------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(codec="utf-8"), max_size=4)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
TIMES = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999).map(xmlcep.timestamps.timestamp)
METAS = st.dictionaries(TEXTS, TEXTS, max_size=2)
SINGLE = TEXTS | st.booleans() | NUMBERS | st.floats(allow_nan=False, allow_infinity=False)
PLACES = {"path": TEXTS, "ids": st.lists(NUMBERS, max_size=2)}
CHANGES = st.fixed_dictionaries(
    {
        "ts": NUMBERS, "op": st.sampled_from(("ins", "upd", "del")), **PLACES,
        "value": st.none() | TEXTS, "old": st.none() | TEXTS,
    },
    optional={"as": TEXTS, "at": TIMES, "txn": NUMBERS, "meta": METAS},
)  # fmt: skip
EVENTS = st.recursive(
    CHANGES,
    lambda events: st.fixed_dictionaries(
        {"name": TEXTS, **PLACES, "path": st.none() | TEXTS, "constituents": st.lists(events, max_size=3)},
        optional={"as": TEXTS},
    ),
    max_leaves=8,
)
RECORDS = st.fixed_dictionaries(
    {
        "doc": TEXTS, "ts": NUMBERS, "at": st.none() | TIMES, "name": TEXTS, **PLACES, "path": st.none() | TEXTS,
        "start": st.none() | NUMBERS, "end": st.none() | NUMBERS, "constituents": st.lists(EVENTS, max_size=3),
        "operator": st.none() | TEXTS,
    },
    optional={
        "bindings": st.dictionaries(TEXTS, SINGLE | st.lists(SINGLE, max_size=3), max_size=3),
        "severity": TEXTS, "message": TEXTS, "ended": st.just(True), "txn": NUMBERS, "meta": METAS,
    },
)  # fmt: skip


@given(st.lists(RECORDS, max_size=3))
def test_columns_lose_nothing(records: list[dict[str, Any]]) -> None:
    rows = findings_table(records).to_pylist()
    again = [record_of(row) for row in rows]
    assert json.dumps(again, sort_keys=True) == json.dumps(records, sort_keys=True)
    assert [set(record) for record in again] == [set(record) for record in records]


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z"),
        ("2026-01-31T12:00:00.1234567Z", "2026-01-31T12:00:00.123456Z"),
        ("tomorrow", None), ("2026-01-31", None), ("0001-01-01T00:00:00+02:00", None),
    ],
)  # fmt: skip
def test_times_are_moments(at: str, moment: str | None) -> None:
    record = {
        "doc": "a", "ts": 1, "at": at, "name": "A", "path": None, "ids": [], "start": 1, "end": 1, "operator": None,
        "constituents": [{"ts": 1, "op": "ins", "path": "/a", "ids": [1], "value": None, "old": None, "at": at}],
    }  # fmt: skip
    [row] = findings_table([record]).to_pylist()
    assert record_of(row)["at"] == moment
    assert record_of(row)["constituents"][0].get("at") == moment


def test_the_python_on_the_page(log: Path) -> None:
    (python,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"xmlcep": xmlcep, "rules": RULES}
    exec(python.replace('"logs/"', repr(str(log))), names)
    assert names["record"]["name"] == "Twice"


def test_the_sql_on_the_page(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    audit(log, RULES, engine="local", format="parquet", out="findings.parquet")
    (sql,) = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    rows = duckdb.sql(sql).fetchall()
    assert ("Twice", 8, "ins", "/order/item/@part", None, "7") in rows


def test_the_finding_on_the_page(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    doc = xmlcep.fromstring("<order><item/></order>", name="order-1", now=lambda: 1_767_225_600)
    with xmlcep.record(doc, tmp_path / "log.jsonl"):
        price = doc.root.makeelement("price")
        doc.root[0].append(price)
        price.text = "10"
        with doc.transaction(user="ben"):
            price.text = "15"
    rules = xmlcep.parse_rules("event Dearer(item) = upd(item/price/text())[. > 1.1 * number($old)]")
    assert list(audit(tmp_path / "log.jsonl", rules).records()) == [json.loads(shown)]
