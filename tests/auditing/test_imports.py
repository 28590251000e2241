"""What an audit does not load: it would take longer than many a log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from path_types import PathType
from tests.auditing.test_sifting import recorded, write_parquet
from xmlcep.events import PrimitiveEvent

AUDIT = """
import sys
from xmlcep import audit, parse_rules

rules = parse_rules("event E = (ins(item) & ins(item/price))")
result = audit("log.parquet", rules, engine="local", out="findings.jsonl")
print(result.summary.records, result.summary.findings, "pandas" in sys.modules)
"""


def test_pandas_is_not_loaded_for_a_look_whether_somebody_has_given_us_some(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    paths = [("/order", (1,)), ("/order/item", (1, 2)), ("/order/item/price", (1, 2, 3))]
    events = [
        PrimitiveEvent(
            ts,
            "ins",
            PathType.parse(path),
            ids,
            None,
            None,
            0,
            "2026-01-01T00:00:00Z",
            "doc",
            None,
            None,
            False,
        )
        for ts, (path, ids) in enumerate(paths, 1)
    ]
    write_parquet(tmp_path / "log.parquet", list(map(recorded, events)), set())
    done = subprocess.run(
        [sys.executable, "-c", AUDIT], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["3", "1", "False"]
