"""A naive reference evaluator of the semantics, written from the rules and from nothing else.

It recomputes everything, scans everything, keeps all events for ever, dispatches nothing and frees
nothing. It is slow on purpose: every function is short enough to be compared with the rule it names
(``docs/semantics.md``). Of the code it checks it uses values only: path types, events,
definitions. Read `steps`, `events`, `values`, `relations`, `paths`, `clock`, `expressions`, `document`, `leaves`,
`constraints`, `contexts`, `runs`, `operators` (one module each), `termination`, `graph`, in that order.

>>> from path_types import PathType
>>> from xmlcep.events import PrimitiveEvent
>>> from xmlcep.rules import parse_rules
>>> rules = parse_rules("event Two = x[2,*] ins(order/item)")
>>> items = [PrimitiveEvent(ts, "ins", PathType.parse("/order/item"), (1, ts + 1)) for ts in (1, 2)]
>>> evaluation = evaluate(rules.definitions, [*items, "flush"])
>>> [(finding["name"], finding["ts"]) for finding in evaluation.findings()]
[('Two', 2)]
"""

from .graph import Evaluation as Evaluation
from .graph import evaluate as evaluate
from .steps import Advance as Advance
from .steps import Raise as Raise
from .steps import Step as Step

__all__ = ["Advance", "Evaluation", "Raise", "Step", "evaluate"]
