"""A stream that is killed again and again finds what one audit finds, nothing twice:
``python -m tests.auditing.stream_kills SEED KILLS``.

Its program runs with all that it starts (Java, workers) in a group of processes, which is killed by SIGKILL when it has
committed a trigger or two: at once, or somewhere inside the next one. Then it is started again, and goes on from its
checkpoint.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.auditing.logs import write_log
from tests.auditing.test_agreement import ORDER_RULES, lines_of, orders
from xmlcep.auditing import audit

FILES = 24
"""One trigger each."""
PROGRAM = """\
import json, sys
import xmlcep
from xmlcep.auditing.spark.session import start_session
from xmlcep.spark import stream

spark = start_session("local[2,4]")
spark.conf.set("spark.sql.shuffle.partitions", "2")
spark.conf.set(
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)
columns = "doc string, ts long, op string, path string, ids array<long>, value string, old string, txn long"
changes = spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).json("changes")
query = (
    stream(changes, xmlcep.load_rules("rules.xcep")).writeStream.option("checkpointLocation", "checkpoint")
    .trigger(availableNow=True).start(path="found", format="parquet")
)
query.awaitTermination()
found = spark.read.parquet("found")
print(json.dumps([[row.reason, row.doc, row.ts, row.name, row.ids] for row in found.collect()]))
spark.stop()
"""


def started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "program.py"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


def triggers(folder: Path, which: str) -> int:
    """How many triggers have begun (``offsets``), or are committed (``commits``)."""
    return sum(file.name.isdigit() for file in (folder / "checkpoint" / which).glob("*"))


def is_killed(folder: Path, draw: random.Random) -> str:
    """Starts the program and kills it; says where, or nothing if it had ended before."""
    inside = draw.random() < 0.7
    wait = draw.random() * 0.6
    enough = triggers(folder, "commits") + draw.randint(1, 2)
    with started(folder) as program:
        while program.poll() is None:
            began, committed = triggers(folder, "offsets"), triggers(folder, "commits")
            if committed >= enough and (began > committed or not inside):
                time.sleep(wait if inside else 0)
                break
            time.sleep(0.005)
        if program.poll() is not None:
            return ""
        at = triggers(folder, "offsets"), triggers(folder, "commits")
        os.killpg(program.pid, signal.SIGKILL)
    return f"{'inside' if at[0] > at[1] else 'after'} trigger {at[0]}"


def main(arguments: list[str]) -> int:
    """Returns 1 if the output is not that of an audit, or there were fewer kills."""
    seed, kills = map(int, arguments)
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = [record for doc in "abc" for record in orders(doc, 70)]
        records.sort(key=lambda record: record["ts"])
        local = audit(
            write_log(folder / "log.jsonl", lines_of(records)), ORDER_RULES, out=folder / "local.jsonl"
        )
        (folder / "rules.xcep").write_text(str(ORDER_RULES))
        (folder / "program.py").write_text(PROGRAM)
        (folder / "changes").mkdir()
        parts = [
            lines_of(records[len(records) * n // FILES : len(records) * (n + 1) // FILES])
            for n in range(FILES)
        ]
        parts.append(lines_of([{"doc": doc, "op": "end"} for doc in "abc"]))
        for number, lines in enumerate(parts):
            file = folder / "changes" / f"{number}.json"
            file.write_bytes(b"".join(line + b"\n" for line in lines))
            os.utime(file, (1_700_000_000 + number,) * 2)  # the order in which they are read
        for number in range(kills):
            where = is_killed(folder, draw)
            if not where:
                print(f"it had come to its end before kill {number + 1}")
                return 1
            print(f"killed {where}", flush=True)
        program = started(folder)
        text, _ = program.communicate()
        found = sorted(json.loads(text.splitlines()[-1]), key=repr)
        expected = sorted(
            [[None, each["doc"], each["ts"], each["name"], each["ids"]] for each in local.records()], key=repr
        )
        print(f"{len(found)} findings, {'as in one audit' if found == expected else 'NOT as in one audit'}")
    return found != expected


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
