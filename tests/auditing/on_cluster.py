"""A user's program on a cluster of two workers that lack the package, batch and stream, each beside the local engine:
``python -m tests.auditing.on_cluster``; with ``classic`` or ``connect`` the same program on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tests.auditing.cluster import bare_cluster
from tests.auditing.levels import LEVELS
from tests.auditing.logs import write_log
from tests.auditing.test_agreement import lines_of, orders
from tests.auditing.test_submit import submitting_environment
from xmlcep.auditing import audit

PROGRAM = """\
import json, sys
from pyspark.sql import SparkSession, functions as F
import xmlcep
from xmlcep.auditing import audit
from xmlcep.spark import findings, quarantine, read_log, send_package, stream

where, log = sys.argv[1:]
builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "4")
spark = (builder.remote("local[2]") if where == "connect" else builder.master(where)).getOrCreate()
if where.startswith("spark:"):
    send_package(spark)
rules = xmlcep.load_rules("rules.xcep")
here = "file://" + sys.path[0]

def show(what, found):
    rows = found.where("name is not null").collect()
    print(json.dumps([what, sorted([row.doc, row.ts, row.name, row.ids] for row in rows)]))

good = read_log(spark, log).where("reason is null and aside is null")
columns = ["doc", "ts", "op", "path", "ids", "value", "old", "at", "txn"]
good.select(*columns, (F.col("ts") % 3).alias("day")).write.partitionBy("day").parquet(f"{here}/changes")

changes = spark.read.parquet(f"{here}/changes")
for large in (None, 0):
    found = findings(changes, rules, large=large)
    found.write.partitionBy("name").parquet(f"{here}/found-{large}")
    show(f"table, large={large}", spark.read.parquet(f"{here}/found-{large}"))
show("files", findings(read_log(spark, log), rules))
print(json.dumps(["bad", quarantine(read_log(spark, log), rules).count()]))
for out in ("found.jsonl", "parts/"):
    audit(log.removeprefix("file://"), rules, engine="spark", spark=spark, out=out)

spark.conf.set(
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)
incoming = spark.readStream.schema(changes.schema).parquet(f"{here}/changes")
query = (
    stream(incoming, rules).writeStream.option("checkpointLocation", f"{here}/checkpoint")
    .trigger(availableNow=True).start(f"{here}/streamed", format="parquet")
)
query.awaitTermination()
show("stream", spark.read.parquet(f"{here}/streamed"))
spark.stop()
"""


def run(where: str, folder: Path) -> list[str]:
    """Runs the program in a folder; returns what it finds that the local engine does not, and the other way round."""
    import pyspark

    log = write_log(folder / "log.jsonl", [*lines_of(orders("a")), *lines_of(orders("b")), b"{nonsense"])
    (folder / "rules.xcep").write_text(str(LEVELS))
    (folder / "program.py").write_text(PROGRAM)
    local = audit(log, LEVELS, out=folder / "local.jsonl")
    done = subprocess.run(
        [sys.executable, "program.py", where, log.as_uri()], cwd=folder, stdout=subprocess.PIPE, text=True, check=False,
        env=os.environ | submitting_environment(Path(pyspark.__file__).parent),
    )  # fmt: skip
    if done.returncode:
        return ["the program failed"]
    expected: Any = sorted([each["doc"], each["ts"], each["name"], each["ids"]] for each in local.records())
    wrong = []
    for what, found in map(json.loads, done.stdout.splitlines()):
        right = found == (local.summary.quarantined if what == "bad" else expected)
        print(f"{what}: {'as in one process' if right else 'WRONG'}")
        wrong += [] if right else [what]
    text = local.out.read_bytes()
    parts = sorted((folder / "parts").iterdir())
    if (folder / "found.jsonl").read_bytes() != text:
        wrong.append("found.jsonl")
    if b"".join(part.read_bytes() for part in parts) != text:
        wrong.append("parts/")
    return wrong


def main() -> int:
    """Runs the program; 1 if something is wrong."""
    modes = {"classic": "local[2]", "connect": "connect"}
    where = modes.get(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / each for each in ("cluster", "program")]
        for folder in folders:
            folder.mkdir()
        with bare_cluster(folders[0]) if where is None else nullcontext(where) as master:
            wrong = run(master, folders[1])
    print("\n".join(f"WRONG: {each}" for each in wrong) or "all as in one process")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
