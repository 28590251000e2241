"""Rules that act: event, condition, action (docs/actions.md, rules L1 to L12).

Read `schedule` (which firing comes next), `effects` and `triggering` (what is known before any event).
`xmlcep.rules.active_rules` compiles rules.
"""

from .description import draw_mermaid
from .schedule import Schedule
from .triggering import Cycle, TriggeringGraph, triggering_graph

__all__ = ["Cycle", "Schedule", "TriggeringGraph", "draw_mermaid", "triggering_graph"]
