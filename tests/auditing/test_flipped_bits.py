"""A damaged time point in an audit: nothing else is lost, whichever engine reads it, in splits of any size."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auditing.test_agreement import orders
from tests.auditing.test_partitioning import both_ways
from xmlcep.auditing import audit
from xmlcep.log.parquet import arrow_schema
from xmlcep.rules import parse_rules

RULES = parse_rules(
    """
    event Price = ins(item/price)
    event Quantity = ins(item/quantity)
    event Pair = ins(item/price) & ins(item/quantity)
    """
)


@cache
def found_in_whole(txn: bool) -> list[dict[str, Any]]:
    """What the log has, undamaged: records are put in order, so it does not depend on how they stand."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        log.write_text("".join(f"{json.dumps(record)}\n" for record in records_of(txn)))
        return list(audit(log, RULES).records())


def records_of(txn: bool) -> list[dict[str, Any]]:
    return [*orders("a", 25, txn), *orders("b", 6)]


@settings(max_examples=10)
@given(st.data(), st.booleans(), st.booleans())
def test_a_flipped_bit_costs_one_record_at_most(data: st.DataObject, parquet: bool, txn: bool) -> None:
    records = records_of(txn)
    records = data.draw(st.permutations(records)) if data.draw(st.booleans()) else records
    place = data.draw(st.integers(0, len(records) - 1))
    bit = data.draw(st.one_of(st.integers(0, 5), st.integers(0, 62)))
    damaged = [dict(record) for record in records]
    damaged[place]["ts"] ^= 1 << bit
    sizes = {
        "split_bytes": data.draw(st.sampled_from((300, 2000, 10**6))),
        "batch": data.draw(st.sampled_from((2, 9, 1000))),
        "partitions": data.draw(st.sampled_from((1, 3))),
    }
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / ("log.parquet" if parquet else "log.jsonl")
        if parquet:
            pq.write_table(pa.Table.from_pylist(damaged, arrow_schema()), log, row_group_size=11)
        else:
            log.write_text("".join(f"{json.dumps(record)}\n" for record in damaged))
        local, distributed = both_ways([log], RULES, operators=False, **sizes)
    assert distributed == local
    lines, bad, _ = local
    assert len(bad) <= 1
    own = (damaged[place]["ts"], records[place]["ts"])
    single = [
        [each for each in found if each["name"] != "Pair" and each["ts"] not in own]
        for found in (found_in_whole(txn), map(json.loads, lines))
    ]
    assert single[0] == single[1]


@pytest.mark.parametrize("bit", [0, 1, 4, 40])
def test_it_is_sorted_to_its_place_or_occurs_twice(tmp_path: Path, bit: int) -> None:
    records = orders("a", 40)
    records[20]["ts"] ^= 1 << bit
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    (_, bad, (documents, *_)), distributed = both_ways(
        [log], RULES, split_bytes=900, batch=7, operators=False
    )
    twice = bit != 40
    assert len(bad) == twice
    assert documents["a"]["records"] == len(records) - twice
    assert distributed[1] == bad
