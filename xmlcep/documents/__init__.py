"""Documents without lxml calls to intercept: as XML text with node ids, and kept in step by events.

Read `node_tables`, `snapshots` (text with ids), `element_changes`, `value_changes`, `replica` (a tree that follows
events: for expressions, rebuild, recovery).
"""

from .replica import Replica as Replica
from .snapshots import SnapshotError as SnapshotError
from .state import Needs as Needs
from .state import ReplicaError as ReplicaError
from .state import Strictness as Strictness

__all__ = ["Needs", "Replica", "ReplicaError", "SnapshotError", "Strictness"]
