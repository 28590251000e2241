"""Chunks between the tasks of a Spark job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from xmlcep.auditing.spark.bucket_tasks import BucketTasks
from xmlcep.auditing.spark.chunk_rdds import exchange, keep, parcels_in
from xmlcep.auditing.spark.chunks import Chunk, ChunkKind
from xmlcep.auditing.spark.parcels import Parcel, common_files
from xmlcep.auditing.spark.tables import CHUNK_DDL, chunk_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHUNKS = [
    Chunk(ChunkKind(target % 2), target % 3, target, 2**40 + target, 7, -1, bytes([target]) * (target % 5))
    for target in range(60)
]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(
    "division",
    [
        BucketTasks((9, 17, 33, 60)),
        BucketTasks((9, 17, 33, 57), (7, 45, 3)),
        BucketTasks(tuple(range(1, 61))),
        BucketTasks((58,), (1, 0)),
        BucketTasks((60,)),
    ],
)
def test_every_chunk_comes_to_its_task_and_those_without_one_to_none(
    spark: SparkSession, division: BucketTasks, shared: bool
) -> None:
    def task_of(chunk: Chunk) -> int | None:
        return division.task_of(chunk.target) if chunk.kind == ChunkKind.ROWS else None

    def numbered(number: int, its: Iterable[Parcel]) -> Iterator[tuple[int, Chunk]]:
        return ((number, parcel.opened()) for parcel in its)

    with common_files(shared=shared) as files:

        def send(its: Iterable[Chunk]) -> Iterator[Parcel]:
            return (Parcel.of(chunk, files) for chunk in its)

        parcels = spark.sparkContext.parallelize(CHUNKS, 3).mapPartitions(send)
        divided = exchange(parcels, division.tasks, task_of).mapPartitionsWithIndex(numbered).collect()
    expected = [(division.task_of(chunk.target), chunk) for chunk in CHUNKS if chunk.kind == ChunkKind.ROWS]
    assert sorted(divided) == sorted(expected)


@pytest.mark.parametrize("shared", [True, False])
def test_chunks_that_are_the_rows_of_a_frame(spark: SparkSession, shared: bool) -> None:
    def rows(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield chunk_batch(CHUNKS[:45])
        yield chunk_batch(CHUNKS[45:])

    with common_files(shared=shared) as files:
        parcels = keep(parcels_in(spark.range(0, 1, 1, 1).mapInArrow(rows, CHUNK_DDL), files))
        try:
            assert [parcel.opened() for parcel in parcels.collect()] == CHUNKS
            assert [parcel.opened() for parcel in parcels.toLocalIterator()] == CHUNKS
        finally:
            parcels.unpersist()
