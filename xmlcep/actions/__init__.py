"""Rules that act: event, condition, action (docs/actions.md, rules L1 to L12).

Read `schedule` (which firing comes next), `effects` and `triggering` (what is known before any event).
`xmlcep.rules.active_rules` compiles rules.
"""

from .description import draw_mermaid as draw_mermaid
from .schedule import Schedule as Schedule
from .triggering import Cycle as Cycle
from .triggering import TriggeringGraph as TriggeringGraph
from .triggering import triggering_graph as triggering_graph

__all__ = ["Cycle", "Schedule", "TriggeringGraph", "draw_mermaid", "triggering_graph"]
