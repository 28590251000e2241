"""What tasks make for the driver, fetched as the Arrow batches that it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class KeptBatches:
    """The rows of a frame, made at once and kept on the workers' disks until `unpersist`.

    A frame's own iterator takes each value apart: bytes pass through text in Java and in Python, which takes longer
    than it takes to make them.
    """

    def __init__(self, frame: DataFrame, schema: pa.Schema) -> None:
        from pyspark import RDD, StorageLevel
        from pyspark.serializers import NoOpSerializer

        context = frame.sparkSession.sparkContext
        self._schema = schema
        self._rdd: RDD[bytes] = RDD(frame._jdf.toArrowBatchRdd().toJavaRDD(), context, NoOpSerializer())
        self._rdd.persist(StorageLevel.DISK_ONLY)

    def make(self) -> None:
        """Runs what makes the rows."""
        self._rdd._jrdd.count()  # a count of PySpark's has workers count

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The rows in their order; the next are fetched while these are used."""
        for message in self._rdd.toLocalIterator(prefetchPartitions=True):
            yield pa.ipc.read_record_batch(pa.py_buffer(message), self._schema)

    def unpersist(self) -> None:
        """Forgets them."""
        self._rdd.unpersist()
