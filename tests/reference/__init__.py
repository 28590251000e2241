"""A naive reference evaluator of the semantics, written from the rules and from nothing else.

It recomputes everything, scans everything, keeps all events for ever, dispatches nothing and frees
nothing. It is slow on purpose: every function is short enough to be compared with the rule it names
(``docs/rules.md`` and ``docs/semantics.md``). Of the code it checks it uses values only: path types, events,
definitions. Read `steps`, `events`, `values`, `relations`, `paths`, `clock`, `expressions`, `document`, `leaves`,
`constraints`, `contexts`, `runs`, `operators` (one module each), `termination`, `graph`, in that order.

>>> evaluation = evaluate(definitions, [event, event, "flush"])        # doctest: +SKIP
>>> evaluation.findings()                                               # doctest: +SKIP
"""

from .graph import Evaluation as Evaluation
from .graph import evaluate as evaluate
from .steps import Advance as Advance
from .steps import Raise as Raise
from .steps import Step as Step

__all__ = ["Advance", "Evaluation", "Raise", "Step", "evaluate"]
