"""``move "source" last into "target"`` (L7)."""

from __future__ import annotations

from ..algebra import Move
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from .errors import RefusedActionError
from .host import Host
from .insert import put
from .nodes import described, elements, keep_tail, without_inner


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Moves all that the source selects, in its order, to the target; returns how many. The text behind stays.

    Where there are several targets the first is meant. What stands below another that is moved goes with that.
    """
    action = program.action
    assert isinstance(action, Move) and program.target is not None and program.source is not None
    nodes = without_inner(elements(program.source, environment, host))
    targets = elements(program.target, environment, host)
    if not (nodes and targets):
        return 0
    target, root = targets[0], host.root
    for node in nodes:
        if node is root:
            raise RefusedActionError(f"the root element {described(node)} cannot be moved")
        if node is target or any(above is node for above in target.iterancestors()):
            raise RefusedActionError(
                f"{described(node)} cannot be moved to {described(target)}, which is it or lies in it"
            )
    for node in reversed(nodes):  # or a text would be given to one that goes, too
        keep_tail(node)
    put("", nodes, action.where, target, root)
    return len(nodes)
