"""Chunks between the tasks of a Spark job: kept on the workers' disks, divided among tasks, fetched by the driver.

They are few, large, and bytes to Spark. As rows of a frame each step would cost a plan, and the classes of Spark SQL,
which a session's first audit loads: more than it takes Java to move the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from .chunks import Chunk
from .parcels import ContentFiles, Parcel
from .tables import CHUNK_SCHEMA, chunks_of

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame

T = TypeVar("T")


def keep(rdd: RDD[T]) -> RDD[T]:
    """Makes what is in it, at once, and keeps it on the workers' disks until `RDD.unpersist`."""
    from pyspark import StorageLevel

    rdd.persist(StorageLevel.DISK_ONLY)
    rdd._jrdd.count()  # a count of PySpark's has workers count
    return rdd


def exchange(parcels: RDD[Parcel], tasks: int, task_of: Callable[[Chunk], int | None]) -> RDD[Parcel]:
    """The same chunks divided among so many tasks, without those that have none; in no order.

    `RDD.partitionBy` collects what goes to one task before it hands it on, which chunks do not need: they are large.
    """
    from pyspark import RDD

    context = parcels.ctx
    serializer: Any = context._unbatched_serializer

    def with_tasks(its: Iterable[Parcel]) -> Iterator[bytes]:
        for parcel in its:
            task = task_of(parcel.chunk)
            if task is not None:
                yield struct.pack("!q", task)
                yield serializer.dumps(parcel)

    # A task has a price of its own, and these have little to do.
    divided = parcels.coalesce(context.defaultParallelism).mapPartitions(with_tasks)
    divided._bypass_serializer = True  # type: ignore[attr-defined]
    java = context._jvm
    assert java is not None
    pairs = java.PairwiseRDD(divided._jrdd.rdd()).asJavaPairRDD()
    by_task = pairs.partitionBy(java.PythonPartitioner(tasks, 0))
    return RDD(java.PythonRDD.valueOfPair(by_task), context, serializer)


def parcels_in(frame: DataFrame, files: ContentFiles) -> RDD[Parcel]:
    """The chunks that are the rows of a frame: as the Arrow batches that it is, for its rows go through text."""
    from pyspark import RDD
    from pyspark.serializers import NoOpSerializer

    def read(messages: Iterable[bytes]) -> Iterator[Parcel]:
        for message in messages:
            for chunk in chunks_of(pa.ipc.read_record_batch(pa.py_buffer(message), CHUNK_SCHEMA)):
                yield Parcel.of(chunk, files)

    batches = frame._jdf.toArrowBatchRdd().toJavaRDD()
    return RDD(batches, frame.sparkSession.sparkContext, NoOpSerializer()).mapPartitions(read)
