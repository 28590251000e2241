"""Audits in processes of their own: one log, one set of rules, several engines, the same findings."""

from __future__ import annotations

import filecmp
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from .frame import Settings, Unavailable

try:
    import pyspark  # noqa: F401

    from .bulk import BulkLog
    from .make_log import Kind, write_log
    from .one_spark_audit import Measured
except ImportError as error:
    raise Unavailable(f"audits with Spark: {error}") from error

_FILES = 8
_DISTURBED = 0.05
_MOST_RUNS = 3  # an audit is long: more runs tell little


class Engine(NamedTuple):
    """What runs an audit: a Spark master or ``local``, with all processes on one core, or nothing but a shuffle."""

    master: str
    one_core: bool = False
    floor: bool = False

    def __str__(self) -> str:
        if self.master == "local":
            return "local engine"
        return (
            ("shuffle only, " if self.floor else "") + self.master + (", one core" if self.one_core else "")
        )


LOCAL = Engine("local")
ONE_TASK = Engine("local[1]")
ONE_CORE = Engine("local[1]", one_core=True)
TWO_TASKS = Engine("local[2]")
FLOOR = Engine("local[2]", floor=True)


@contextmanager
def written(log: BulkLog, rules: str, kind: Kind = "parquet") -> Iterator[tuple[Path, Path]]:
    """The log and the rules as files, gone in the end."""
    with TemporaryDirectory(prefix="xmlcep-benchmark-") as name:
        folder, target = Path(name) / "log", Path(name) / "rules.xcep"
        target.write_text(rules, encoding="utf-8")
        write_log(log, folder, kind, _FILES)
        yield folder, target


def compared(
    engines: Sequence[Engine], log: Path, rules: Path, settings: Settings
) -> Mapping[Engine, list[Measured]]:
    """The engines in turn, three times at most; raises `AssertionError` if findings differ in a byte."""
    taken: dict[Engine, list[Measured]] = {engine: [] for engine in engines}
    expected, findings = rules.with_name("expected.jsonl"), rules.with_name("findings.jsonl")
    for _ in range(min(settings.runs, _MOST_RUNS)):
        for engine in engines:
            taken[engine].append(_measured(engine, log, rules, findings))
            if engine.floor:
                continue
            if not expected.exists():
                findings.rename(expected)
            else:
                same = filecmp.cmp(expected, findings, shallow=False)
                assert same, f"{engine} finds something else than {engines[0]}"
                findings.unlink()
    return taken


def median(runs: Sequence[Measured], of: Callable[[Measured], float]) -> float:
    """The median of the runs."""
    return statistics.median(map(of, runs))


def disturbance(runs: Sequence[Measured]) -> str:
    """What other processes used meanwhile, in words; nothing if it was little."""
    share = max(run.others / run.clock for run in runs)
    return f", others used {share:.2f} cores" if share > _DISTURBED else ""


def memory(runs: Sequence[Measured]) -> str:
    """The highest memory of the runs in words."""
    at_once, driver, java, worker = (
        f"{max(getattr(run, what) for run in runs) / 2**20:,.0f}"
        for what in ("at_once", "driver", "java", "worker")
    )
    parts = f" (driver {driver}, JVM {java}, a worker {worker})" if java != "0" else ""
    return f"{at_once} MiB{parts}"


def _measured(engine: Engine, log: Path, rules: Path, findings: Path) -> Measured:
    options = ["--one-core"] * engine.one_core + ["--floor"] * engine.floor
    program = [sys.executable, "-m", f"{__package__}.one_spark_audit", *options]
    command = [*program, engine.master, str(log), str(rules), str(findings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"{engine} failed: {done.stderr.strip().splitlines()[-1:]}")
    return Measured.from_json(json.loads(done.stdout.splitlines()[-1]))
