"""Which engine an audit takes, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ..errors import MissingExtraError
from ..log import LogError
from ..log.parquet import row_groups
from ..rules import Rules
from .inputs import LogFile
from .plan.partition_key import make_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine: TypeAlias = Literal["auto", "local", "spark"]

# Measured with `python -m benchmarks.one_spark_audit` (benchmarks/NOTES.md): µs of CPU for a record of rules without
# conditions and deferred operators, how many times as much the others take, and the seconds that Spark starts, with
# what a session's first audit takes more.
_LOCAL_US = 1.6
_SPARK_US = 2.3
_HEAVY = 6
_START_S = 7
_UNPACKED = 8  # times as large a packed file is about when it is unpacked
_LARGE_BYTES = 64 * 2**20  # unpacked: less is read soon
_LARGE_SHARE = 0.2  # of a log: as much as one core should read by itself
# Bytes of a record in files of each kind.
_RECORD_BYTES = {"plain": 150, "gzip": 15, "zstd": 15, "parquet": 10}
# So many Parquet files are asked how many records they have: in small ones most bytes are no records.
_FEW = 100


class Choice(NamedTuple):
    """The engine that is taken, and what is to be said of it."""

    engine: Literal["local", "spark"]
    notes: list[str]


def choose_engine(
    asked: Engine,
    files: Sequence[LogFile],
    rules: Rules,
    *,
    spark: SparkSession | None = None,
    master: str | None = None,
    partitions: int | None = None,
) -> Choice:
    """The engine for these files and rules.

    With ``"auto"`` that is Spark where a session or a master is given, or where it is installed and is likely to be
    done earlier, its start included.
    """
    if asked == "spark":
        return Choice("spark", list(_packed(files)))
    if asked == "local":
        given: tuple[tuple[str, Any], ...] = (
            ("spark", spark), ("master", master), ("partitions", partitions)
        )  # fmt: skip
        ignored = [name for name, value in given if value is not None]
        notes = [f"{' and '.join(ignored)}: ignored, the local engine is one process"] if ignored else []
        return Choice("local", notes)
    if spark is not None or master is not None:
        return Choice("spark", list(_packed(files)))
    records = likely_records(files)
    plan = make_plan(rules)
    heavy = plan.whole is not None
    millions = records / 1e6 * (_HEAVY if heavy else 1)
    cores = os.cpu_count() or 1
    about = f"about {_rounded(records):,} records"
    if millions * _LOCAL_US <= _START_S + millions * _SPARK_US / cores:
        notes = [f"engine local: {about}, for which Spark would not be faster"] if millions > 1 else []
        notes += [] if partitions is None else ["partitions: ignored, the local engine is one process"]
        return Choice("local", notes)
    if find_spec("pyspark") is None:
        return Choice(
            "local",
            [
                f"engine local: {about}; Spark would be faster, but is not installed: pip install 'xmlcep[spark]'"
            ],
        )
    return Choice("spark", [f"engine spark: {about} on {cores} cores", *_packed(files)])


def likely_records(files: Sequence[LogFile]) -> int:
    """How many records files are likely to have."""
    return sum(_records(file, exactly=len(files) <= _FEW) for file in files)


def _records(file: LogFile, *, exactly: bool) -> int:
    """How many records a file is likely to have; ``exactly``: or has, if it says so."""
    if exactly and file.kind == "parquet":
        with suppress(LogError, MissingExtraError):  # whoever reads it says what is wrong
            return sum(group.records for group in row_groups(file.path, file.name))
    return file.size // _RECORD_BYTES[file.kind]


def _packed(files: Sequence[LogFile]) -> Iterator[str]:
    """What is to be said of large packed files, which nothing but one task from beginning to end can read."""
    unpacked = {file.name: file.size * _UNPACKED for file in files if file.kind in ("gzip", "zstd")}
    total = sum(file.size for file in files if file.kind not in ("gzip", "zstd")) + sum(unpacked.values())
    for name, size in unpacked.items():
        if size > _LARGE_BYTES and size > _LARGE_SHARE * total:
            yield (
                f"{name}: packed, so one core reads and unpacks it, {size / total:.0%} of the log, however many there"
                " are: several smaller files, or Parquet, are read side by side"
            )


def _rounded(number: int) -> int:
    """A number with two digits that say something."""
    digits = max(len(str(number)) - 2, 0)
    return round(number, -digits)
