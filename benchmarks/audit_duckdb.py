"""The local audit beside DuckDB: the same log in, the same findings out, each in a process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from .audit_sql import queries, rules
from .frame import Figure, Settings, Unavailable
from .histories import History
from .logs import write_columns

try:
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401
except ImportError as error:
    raise Unavailable(f"the audit beside DuckDB needs duckdb and pyarrow: {error}") from error

TITLE = "Local audit beside DuckDB: Parquet in, findings out, one thread; the ratio is to DuckDB"
RULES = (1, 2, 50, 200)
_XMLCEP, _DUCKDB = "xmlcep", "DuckDB"
_MOST_RUNS = 5


def run(settings: Settings) -> Iterator[Figure]:
    """CPU per record, start included and apart, and peak memory, in turns; findings are compared as sets of lines."""
    with TemporaryDirectory(prefix="xmlcep-benchmark-") as modules:
        environment = _environment(Path(modules))
        for count in RULES:
            name = f"{count} rules" if count > 1 else "1 rule"
            if settings.only not in name:
                continue
            taken, found = _compared(count, settings, environment)
            yield from _figures(name, taken, settings.events, f"{found:,} findings")


def _compared(
    count: int, settings: Settings, environment: dict[str, str]
) -> tuple[dict[str, list[tuple[float, float, float]]], int]:
    """What each took, and how many findings there are."""
    taken: dict[str, list[tuple[float, float, float]]] = {_XMLCEP: [], _DUCKDB: []}
    with TemporaryDirectory(prefix="xmlcep-benchmark-") as folder:
        log, text = _written(count, settings, Path(folder))
        found = 0
        for turn in range(min(settings.runs, _MOST_RUNS)):
            ours, theirs = (Path(folder) / f"{each}{turn}" for each in ("ours", "theirs"))
            taken[_XMLCEP].append(_process(environment, "one_audit", log, text, ours / "findings.jsonl"))
            taken[_DUCKDB].append(_process(environment, "one_sql_audit", log, count, theirs))
            found = _check_same(ours, theirs)
    return taken, found


def _written(count: int, settings: Settings, folder: Path) -> tuple[Path, Path]:
    """The log, one file, and the rules."""
    log = folder / "log.parquet"
    names = tuple(dict.fromkeys(query.item for query in queries(count)))
    write_columns(History(settings.events, names=names, seed=settings.seed), log)
    text = folder / "rules.xcep"
    text.write_text(rules(queries(count)), encoding="utf-8")
    return log, text


def _environment(folder: Path) -> dict[str, str]:
    """That of processes to be measured: modules are compiled already, as those of an installed package are."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder)
    modules = (
        f"{__package__}.one_audit",
        f"{__package__}.one_sql_audit",
        "pyarrow.parquet",
        "pyarrow.compute",
    )
    subprocess.run([sys.executable, "-c", f"import {', '.join(modules)}"], env=environment, check=True)
    return environment


def _process(environment: dict[str, str], module: str, *arguments: object) -> tuple[float, float, float]:
    """CPU seconds in all and before any work, peak memory in bytes, of a process that writes into its last argument."""
    target = Path(str(arguments[-1]))
    (target.parent if target.suffix else target).mkdir(exist_ok=True)
    command = [sys.executable, "-m", f"{__package__}.{module}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise Unavailable(f"{module} failed: {done.stderr.strip().splitlines()[-1:]}")
    seconds, start, peak = json.loads(done.stdout)[:3]
    return seconds, start, peak


def _check_same(*folders: Path) -> int:
    """How many findings there are in each folder; raises `AssertionError` if they are not the same."""
    counts = []
    sets: list[set[int]] = []
    for folder in folders:
        hashes: list[int] = []  # of lines, for ten million take less memory so; one process, so they agree
        for file in folder.iterdir():
            with file.open("rb") as lines:
                hashes.extend(
                    hash(line.replace(b',"ended":true', b"")) for line in lines
                )  # SQL cannot say (Y11)
            file.unlink()
        counts.append(len(hashes))
        sets.append(set(hashes))
    assert set(counts) == {len(sets[0])}, f"not as many findings: {counts}, {len(sets[0])} different"
    for other in sets[1:]:
        assert sets[0] == other, f"other findings: {len(sets[0] ^ other)} are in one only"
    return counts[0]


def _figures(
    case: str, taken: dict[str, list[tuple[float, float, float]]], records: int, note: str
) -> Iterator[Figure]:
    scale = 1e6 / records
    for what, of in (
        ("start included", lambda one: one[0]),
        ("start apart", lambda one: one[0] - one[1]),
    ):
        base = statistics.median(map(of, taken[_DUCKDB]))
        for engine, runs in taken.items():
            seconds = list(map(of, runs))
            middle = statistics.median(seconds)
            ratio = middle / base if engine != _DUCKDB else None
            yield Figure(
                "audit_duckdb", f"{case}, {engine}, {what}", middle * scale, "µs/record", ratio,
                "" if ratio is None else _DUCKDB, min(seconds) * scale, max(seconds) * scale, note,
            )  # fmt: skip
    for engine, runs in taken.items():
        peak = max(one[2] for one in runs) / 2**20
        yield Figure("audit_duckdb", f"{case}, {engine}, peak memory", peak, "MiB")
