"""What works in a classic session works over Spark Connect: one program, with a server in the session of the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.auditing.levels import LEVELS
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from xmlcep.auditing import audit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The session is not local, so the workers are sent the package; that somebody sends it again changes nothing.
PROGRAM = """\
import json, sys
import xmlcep
from xmlcep.auditing import audit
from xmlcep.auditing.spark.session import spark_session
from xmlcep.spark import findings, in_order, quarantine, read_log, send_package

server, log, rules = sys.argv[1:]
rules = xmlcep.load_rules(rules)

def packages(batches):
    for batch in batches:
        found = [place for place in sys.path if "xmlcep-packages-" in place]
        yield batch.set_column(0, "found", [str(found)] * len(batch))

with spark_session(master=server) as spark:
    assert "connect" in type(spark).__module__
    send_package(spark)
    print(spark.range(1).mapInArrow(packages, "found string").collect())
    changes = read_log(spark, log)
    rows = in_order(findings(changes, rules, large=0)).collect()  # the audit divides nothing
    print(json.dumps([[row.doc, row.ts, row.name, row.ids] for row in rows]))
    print(json.dumps([row.reason for row in quarantine(changes, rules).collect()]))
    audit(log, rules, engine="spark", spark=spark, out="found.jsonl")
"""


@pytest.fixture
def server(spark: SparkSession) -> str:
    """The URL of a server in the session's Java."""
    settings = spark._jsc.sc().conf()
    settings.set("spark.connect.grpc.binding.address", "127.0.0.1")
    settings.set("spark.connect.grpc.binding.port", "0")  # any
    services = spark._jvm.org.apache.spark.sql.connect.service
    service = getattr(getattr(services, "SparkConnectService$"), "MODULE$")
    service.start(spark._jsc.sc())
    return f"sc://127.0.0.1:{service.localPort()}"


@pytest.mark.skipif(find_spec("grpc") is None, reason="needs pyspark[connect]")
def test_spark_connect(server: str, tmp_path: Path) -> None:
    log = write_log(
        tmp_path / "log.jsonl", [*lines_of(orders("a", txn=True)), *lines_of(orders("b")), b"{nonsense"]
    )
    (tmp_path / "rules.xcep").write_text(str(LEVELS))
    (tmp_path / "program.py").write_text(PROGRAM)
    local = audit(log, LEVELS, out=tmp_path / "local.jsonl")
    done = subprocess.run(
        [sys.executable, "program.py", server, str(log), "rules.xcep"], cwd=tmp_path, capture_output=True,
        text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    packages, *found = done.stdout.splitlines()
    assert packages.count("xmlcep-packages-") == 1
    divided, bad = map(json.loads, found)
    assert divided == [[each["doc"], each["ts"], each["name"], each["ids"]] for each in local.records()]
    assert len(bad) == local.summary.quarantined == 1
    assert (tmp_path / "found.jsonl").read_bytes() == local.out.read_bytes()
