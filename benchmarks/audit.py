"""The local audit, log in, findings out, each in a process of its own."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from .frame import Figure, Settings, Unavailable
from .histories import History
from .logs import write_columns, write_lines
from .queries import complete_rule

TITLE = "Local audit of the Q1 log (1000 items open at once): from file to findings file, start-up included"
SHARES = (10, 1)


class Audited(NamedTuple):
    """What one audit took: CPU seconds in all and before any work, peak memory in bytes, and how many findings it
    made."""

    seconds: float
    start: float
    peak: int
    findings: int


def run(settings: Settings) -> Iterator[Figure]:
    """CPU per record and peak memory for a tenth of the events and for all."""
    smaller: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        rules = Path(folder) / "q1.xcep"
        rules.write_text(complete_rule() + "\n", encoding="utf-8")
        for share in SHARES:
            history = History(settings.events // share, 1000, seed=settings.seed)
            for kind, log in _logs(history, Path(folder)):
                used = [_audit(log, rules) for _ in range(settings.runs)]
                case = f"{kind}, {history.events:,} records"
                yield from _figures(case, used, history.events, smaller.get(kind))
                smaller[kind] = _peak(used)


def _logs(history: History, folder: Path) -> Iterator[tuple[str, Path]]:
    lines, columns = folder / "log.jsonl", folder / "log.parquet"
    write_lines(history, lines)
    yield "JSON Lines", lines
    lines.unlink()
    if write_columns(history, columns):
        yield "Parquet", columns
        columns.unlink()


def _audit(log: Path, rules: Path) -> Audited:
    findings = log.with_name("findings.jsonl")
    command = [sys.executable, "-m", f"{__package__}.one_audit", str(log), str(rules), str(findings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"the audit failed: {done.stderr.strip().splitlines()[-1:]}")
    return Audited(*json.loads(done.stdout))


def _figures(case: str, used: list[Audited], records: int, smaller: float | None) -> Iterator[Figure]:
    seconds = [one.seconds for one in used]
    scale = 1e6 / records
    yield Figure(
        "audit", case, statistics.median(seconds) * scale, "µs/record",
        low=min(seconds) * scale, high=max(seconds) * scale, note=f"{used[0].findings:,} findings",
    )  # fmt: skip
    memory = _peak(used)
    ratio = None if smaller is None else memory / smaller
    yield Figure("audit", f"{case}, peak memory", memory, "MiB", ratio, "a tenth of them" if ratio else "")


def _peak(used: list[Audited]) -> float:
    return max(one.peak for one in used) / 2**20
