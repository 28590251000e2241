"""Findings of change records that come in batches, for consumers of Kafka and the like (docs/howto/kafka.md)."""

from .auditing.spark.stream_replay import Documents as Documents
from .auditing.spark.stream_replay import Fed as Fed

__all__ = ["Documents", "Fed"]
