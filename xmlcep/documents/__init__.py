"""Documents without lxml calls to intercept: as XML text with node ids, and kept in step by events.

Read `snapshots` (text with ids), `replica` (a tree that follows events: for conditions, rebuild, recovery).
"""

from .replica import Replica as Replica
from .replica import ReplicaError as ReplicaError
from .snapshots import SnapshotError as SnapshotError

__all__ = ["Replica", "ReplicaError", "SnapshotError"]
