"""One audit with its processes: ``python -m benchmarks.one_spark_audit MASTER LOG RULES FINDINGS``.

MASTER is a Spark master, ``local-engine`` for the engine without Spark, or ``floor=MASTER`` for nothing but a shuffle
and a sort of as many rows as LOG has lines. Prints CPU seconds of all processes, seconds of the clock, how many
findings there were. The start of Spark is not in it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

from xmlcep import load_rules
from xmlcep.audit import audit

from .processes import ProcessTree


def main(master: str, log: str, rules: str, findings: str) -> None:
    """Audits and prints."""
    tree = ProcessTree()
    spark = None
    if master != "local-engine":
        from xmlcep.audit.session import start_session

        spark = start_session(master.removeprefix("floor="), input_bytes=Path(log).stat().st_size)
        spark.range(10).count()
    before, started = tree.seconds(), perf_counter()
    count = 0
    if spark is None:
        count = audit(log, load_rules(rules), out=findings).summary.findings
    elif master.startswith("floor="):
        with Path(log).open("rb") as lines:
            rows = sum(1 for _ in lines)
        rest = """encode(concat('["ins",', id, ']'), 'utf-8') as rest"""
        columns = ("id % 100000 as key", "'order' as doc", "id as ts", rest)
        shuffled = spark.range(rows).selectExpr(*columns).repartition(8, "doc", "key")
        shuffled.sortWithinPartitions("key", "doc", "ts").write.format("noop").mode("overwrite").save()
    else:
        count = audit(log, load_rules(rules), out=findings, engine="spark", spark=spark).summary.findings
    print(json.dumps([tree.seconds() - before, perf_counter() - started, count]))
    tree.close()
    if spark is not None:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
