"""Explanations: what is missing, why something was found, why not (rules Y1 to Y5).

All of it is read from the engine's state: operators and constraints say for themselves what they have and why it is
not enough (`xmlcep.engine.operators.state.Account`, `contexts.constraints.Objection`); nothing here matches events.

Read `reasons`, `values` (what an explanation is), `groups` (what a tree has, group by group), `pending`, `evidence`
(what a history has shown), `answers` (the reasons in it), `why`, `why_not`.
"""

from .pending import pending
from .reasons import Reason
from .values import Cause, Explanation, Part, PendingGroup

__all__ = ["Cause", "Explanation", "Part", "PendingGroup", "Reason", "pending"]
