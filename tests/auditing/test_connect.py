"""All that works in a classic session works over Spark Connect: one program, with a server of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.auditing.levels import LEVELS
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from tests.auditing.test_submit import submitting_environment
from xmlcep.auditing import audit

pytestmark = pytest.mark.slow

PROGRAM = """\
import json, sys
from pyspark.sql import SparkSession
import xmlcep
from xmlcep.auditing import audit
from xmlcep.spark import findings, in_order, quarantine, read_log

log, rules = sys.argv[1:]
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
assert "connect" in type(spark).__module__
rules = xmlcep.load_rules(rules)
changes = read_log(spark, log)
rows = in_order(findings(changes, rules, large=0)).collect()  # the audit divides nothing
print(json.dumps([[row.doc, row.ts, row.name, row.ids] for row in rows]))
print(json.dumps([row.reason for row in quarantine(changes, rules).collect()]))
audit(log, rules, engine="spark", spark=spark, out="found.jsonl")
spark.stop()
"""


@pytest.mark.skipif(find_spec("grpc") is None, reason="needs pyspark[connect]")
def test_spark_connect(tmp_path: Path) -> None:
    pyspark = pytest.importorskip("pyspark")
    log = write_log(
        tmp_path / "log.jsonl", [*lines_of(orders("a", txn=True)), *lines_of(orders("b")), b"{nonsense"]
    )
    (tmp_path / "rules.xcep").write_text(str(LEVELS))
    (tmp_path / "program.py").write_text(PROGRAM)
    local = audit(log, LEVELS, out=tmp_path / "local.jsonl")
    done = subprocess.run(
        [sys.executable, "program.py", str(log), "rules.xcep"], cwd=tmp_path, capture_output=True, text=True,
        timeout=600,
        env=os.environ | submitting_environment(Path(pyspark.__file__).parent),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    divided, bad = map(json.loads, done.stdout.splitlines())
    expected = [[each["doc"], each["ts"], each["name"], each["ids"]] for each in local.records()]
    assert divided == expected
    assert len(bad) == local.summary.quarantined == 1
    assert (tmp_path / "found.jsonl").read_bytes() == local.out.read_bytes()
