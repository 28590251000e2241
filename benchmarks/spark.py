"""The audit with Spark against the local engine: many small groups, few large ones, one that has a third of the log."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from .frame import Figure, Settings, Unavailable
from .histories import History, as_record
from .queries import both_rule, complete_rule

TITLE = "Audit with Spark, CPU of all processes (start of Spark excluded); the ratio is to the local engine"
MASTERS = ("local-engine", "local[1]", "local[2]", "floor=local[1]")
BY_ORDER = "event Complete(/order) = ins(item) ; (ins(item/price) & ins(item/quantity))\n"

# The name of a record's document, by its item: how large the groups of a rule by order are.
Naming = Callable[[int], str]


def run(settings: Settings) -> Iterator[Figure]:
    """CPU per record and records per second for each shape of log; the findings are compared as well."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise Unavailable(f"Spark: {error}") from error
    by_item = f"{complete_rule()}\n{both_rule()}\n"
    shapes: tuple[tuple[str, str, Naming], ...] = (
        ("many groups", by_item, lambda item: "order"),
        ("8 groups", BY_ORDER, lambda item: f"order{item % 8}"),
        ("one group has a third", BY_ORDER, lambda item: "hot" if item % 10 < 3 else f"order{item % 97}"),
    )
    for shape, rules_text, naming in shapes:
        with TemporaryDirectory() as folder:
            rules, log = Path(folder) / "rules.xcep", Path(folder) / "log.jsonl"
            rules.write_text(rules_text, encoding="utf-8")
            _write(History(settings.events, 1000, seed=settings.seed), naming, log)
            yield from _compare(shape, log, rules, settings.events)


def _write(history: History, naming: Naming, target: Path) -> None:
    with target.open("w", encoding="utf-8") as lines:
        for row in history.rows():
            record = as_record(row)
            ids = record["ids"]
            record["doc"] = naming(ids[1] if len(ids) > 1 else 0)
            lines.write(json.dumps(record) + "\n")


def _compare(shape: str, log: Path, rules: Path, events: int) -> Iterator[Figure]:
    base: float | None = None
    expected: bytes | None = None
    for master in MASTERS:
        findings = log.with_name("findings.jsonl")
        findings.unlink(missing_ok=True)
        cpu, clock, count = _audit(master, log, rules, findings)
        if findings.exists():
            written = findings.read_bytes()
            assert expected in (None, written), f"{master} finds something else than the local engine"
            expected = written
        ratio = None if base is None else cpu / base
        base = cpu if base is None else base
        note = f"{clock:.1f} s, {events / clock:,.0f} records/s, {count:,} findings"
        yield Figure(
            "spark", f"{shape}, {master}", cpu / events * 1e6, "µs/record", ratio, "local-engine", note=note
        )


def _audit(master: str, log: Path, rules: Path, findings: Path) -> tuple[float, float, int]:
    command = [
        sys.executable,
        "-m",
        f"{__package__}.one_spark_audit",
        master,
        str(log),
        str(rules),
        str(findings),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"an audit with Spark: {done.stderr.strip().splitlines()[-1:]}")
    cpu, clock, count = json.loads(done.stdout.splitlines()[-1])
    return cpu, clock, count
