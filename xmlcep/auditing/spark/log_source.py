"""Logs in files as a DataFrame, read by Spark: any file system that it knows.

Plain JSON Lines are read as lines, in as many tasks as Spark cuts a file for; packed files and Parquet (whose headers
Spark does not show) as a whole, one task each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...arguments import TEXT, check
from ...errors import ArgumentError
from ..inputs import SUFFIXES, LogFile
from .columns import LOG, ddl
from .told import Names
from .workers import on_workers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_LOGS = f"({'|'.join(map(re.escape, SUFFIXES))})$"
_PACKED = r"[.](gz|zst|parquet|bz2|deflate|lz4|snappy)$"
"""Names of files that are not read as lines: the last ones Spark would unpack, whatever they are."""


def read_log(spark: SparkSession, *paths: str) -> DataFrame:
    """Change logs as a DataFrame, for `findings` and `quarantine`: lazy.

    ``paths`` are files, folders or patterns as Spark takes them (``s3a://…``, ``hdfs://…``, ``file:///…``): JSON Lines,
    also packed with gzip or zstd, and Parquet as xmlcep writes it. Of folders the files with the names of logs are
    read. The columns are those of docs/log.md, and where each record is from: ``file``, ``record`` (its number in the
    file); ``reason``, ``raw`` and ``offset`` of bad records; ``aside`` has headers and control records as JSON.

    A packed file, and one of Parquet, is read by one task, and has at most 2 GiB: large tables of records are
    better read by ``spark.read.parquet``.
    """
    if not paths:
        raise ArgumentError(
            "read_log() needs the path of a file or folder: read_log(spark, 's3a://bucket/logs/')"
        )
    for path in paths:
        check("read_log()", paths=(path, TEXT))
    return _read(spark, list(paths), list(paths), None)


def log_of(spark: SparkSession, files: Sequence[LogFile]) -> DataFrame:
    """The files of an audit, which this process sees, too."""
    names = {os.path.abspath(file.path): (file.place, file.name) for file in files}
    lines: list[str] = []
    whole: list[str] = []
    for file in files:
        is_plain = file.kind == "plain" and not re.search(_PACKED, file.path)
        (lines if is_plain else whole).append(f"file://{_escaped(os.path.abspath(file.path))}")
    return _read(spark, lines, whole, names)


def _escaped(path: str) -> str:
    """A path that is not a pattern."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def _read(spark: SparkSession, lines: list[str], whole: list[str], names: Names) -> DataFrame:
    """The rows of files that are read as lines, and of those that are read as a whole; without ``names`` of those among
    them that are logs by their own names, or are named themselves."""
    from pyspark.sql import functions as F

    found = []
    name = F.col("_metadata.file_name")
    if lines:
        texts = spark.read.option("lineSep", "\n").text(lines)
        if names is None:
            texts = texts.where(_is_log(name, lines) & ~name.rlike(_PACKED))
        found.append(_with_places(texts).mapInArrow(on_workers("log_reading", "lines_read", names), ddl(LOG)))
    if whole:
        files = spark.read.format("binaryFile").load(whole)
        if names is None:
            files = files.where(_is_log(name, whole) & name.rlike(_PACKED))
        files = files.select("content", F.col("_metadata.file_path").alias("file"))
        found.append(files.mapInArrow(on_workers("log_reading", "files_read", names), ddl(LOG)))
    return found[0] if len(found) == 1 else found[0].unionByName(found[1])


def _is_log(name: Column, paths: list[str]) -> Column:
    return name.rlike(_LOGS) | name.isin([path.rpartition("/")[2] for path in paths])


def _with_places(texts: DataFrame) -> DataFrame:
    """Lines with the file and the block that a task reads of it; of a file with several blocks what stands before each,
    and which document the header names that the file begins with."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    rows = texts.selectExpr(
        "cast(value as binary) as line", "monotonically_increasing_id() as number", "_metadata.file_path as file",
        "_metadata.file_block_start as block", "_metadata.file_block_length as length", "_metadata.file_size as size",
    )  # fmt: skip
    parts = rows.where("length < size")
    counts = parts.groupBy("file", "block").agg(
        F.count("*").alias("lines"), F.sum(F.length("line") + 1).alias("bytes"), F.min("number").alias("first")
    )  # fmt: skip
    before = Window.partitionBy("file").orderBy("block").rowsBetween(Window.unboundedPreceding, -1)
    blocks = counts.select(
        "file", "block", *(F.sum(each).over(before).alias(each) for each in ("lines", "bytes"))
    )
    begins = parts.where((F.col("block") == 0) & F.contains("line", F.lit(b'"xmlcep"'))).select(
        "file",
        F.col("number").alias("first"),
        F.get_json_object(F.col("line").cast("string"), "$.doc").alias("doc"),
    )
    headers = counts.where("block = 0").join(begins, ["file", "first"]).select("file", "doc")
    places = blocks.join(headers, "file", "left")
    joined = rows.join(F.broadcast(places), ["file", "block"], "left")
    return joined.select("line", "file", "block", "size", "lines", "bytes", "doc")
