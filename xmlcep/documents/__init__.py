"""Documents without lxml calls to intercept: as XML text with node ids, and kept in step by events.

Read `node_tables`, `snapshots` (text with ids), `element_changes`, `value_changes`, `replica` (a tree that follows
events: for expressions, rebuild, recovery).
"""

from .replica import Replica
from .snapshots import SnapshotError
from .state import Needs, ReplicaError, Strictness

__all__ = ["Needs", "Replica", "ReplicaError", "SnapshotError", "Strictness"]
