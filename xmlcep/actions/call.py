"""``call "name"`` (L7)."""

from __future__ import annotations

from ..algebra import Call
from ..rules.rule_programs import ActionProgram
from ..xpath import Environment
from .host import Host


def run(program: ActionProgram, environment: Environment, host: Host) -> int:
    """Has a function of the application called when the transaction is over; returns 1."""
    assert isinstance(program.action, Call)
    host.call(program.action.function)
    return 1
