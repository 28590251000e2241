"""``raise NAME("target")`` (L7)."""

from __future__ import annotations

from ..algebra import Raise
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from .host import Host
from .nodes import nodes


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Raises an external event at every target; returns how many there were."""
    action = program.action
    assert isinstance(action, Raise) and program.target is not None
    targets = nodes(program.target, environment, host)
    for target in targets:
        host.raise_event(action.event, target)
    return len(targets)
