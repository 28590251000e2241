"""Constraints: what the events of a combination have to satisfy beside having occurred (rules Q1, D5, Q4, Q5).

Read `constraint`, then any of them: `order`, `relation`, `window`, `contiguity`, `absence`, `counting`,
`from_each`. None knows another; `contexts.search` takes them through the stored events.
"""

from .absence import Absence as Absence
from .absence import Among as Among
from .absence import Collection as Collection
from .absence import Violations as Violations
from .constraint import REFUSED as REFUSED
from .constraint import Constraint as Constraint
from .constraint import Objection as Objection
from .contiguity import Contiguity as Contiguity
from .from_each import FromEach as FromEach
from .order import Difference as Difference
from .order import Order as Order
from .relation import RELATIONS as RELATIONS
from .relation import IntervalRelation as IntervalRelation
from .window import Gap as Gap
from .window import Within as Within
